package tortugabot

import (
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
}

// Question is a question of one match. The embedded message holds OptionCount and, by game, the typed Position, e.g.
// GetPiratesCove(): decision, observation (all that the seat may know), events since the last question, and options.
type Question struct {
	*pb.Question
	Match *Match

	received time.Time
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
