package tortugabot

import (
	"math"
	"time"

	pb "tortuga/v1"
)

// Match is a match the bot plays in: the message that began it, with Game, Seat, SeatNames, Clock and the rest.
type Match struct {
	*pb.MatchStart

	// Memory is the bot's own: whatever it wants to keep for the length of this match.
	Memory any

	answered uint32 // the last question that Choose has answered
	choice   int    // its answer
	notes    notes
}

// Question is a question of one match. The embedded message holds OptionCount and, by game, the typed Position, e.g.
// GetPiratesCove(): decision, observation (all that the seat may know), events since the last question, and options. For one
// game, PiratesCoveQuestion and its like have them at hand.
type Question struct {
	*pb.Question
	Match *Match

	received time.Time
	log      *logMarks
}

// Forever is the time that is left in a match without a clock.
const Forever = time.Duration(math.MaxInt64)

// TimeLeft is how long the bot may still think about this question, from now on: what the question waited while others
// were answered is gone. Forever in a match without a clock. It allows nothing for the way there and back: leave some.
func (q *Question) TimeLeft() time.Duration {
	deadline, ok := q.Deadline()
	if !ok {
		return Forever
	}
	return max(0, time.Until(deadline))
}

// Note says something on this question, for people who look at the match afterwards: at most 200 bytes, the rest is cut.
// It leaves together with the answer and costs no time; no other bot ever sees it.
func (q *Question) Note(text string) {
	q.Match.notes.add(q.Match.GetMatchId(), q.GetQuestionId(), text)
}

// Deadline is when the answer is due; ok is false in a match without a clock. It allows nothing for the way there and back.
func (q *Question) Deadline() (deadline time.Time, ok bool) {
	if q.Match.GetClock().GetUnlimited() {
		return time.Time{}, false
	}
	return q.received.Add(millis(q.GetTimeLeftMillis())), true
}

// BankLeft is what the seat's bank held when the question was sent.
func (q *Question) BankLeft() time.Duration {
	return millis(q.GetBankLeftMillis())
}

func millis(n uint32) time.Duration {
	return time.Duration(n) * time.Millisecond
}
