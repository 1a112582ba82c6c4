package tortugabot

import (
	"log"
	"os"
	"strings"
	"testing"

	pb "tortuga/v1"
)

func TestAQuestionOfOneGameHasItsMessagesAtHand(t *testing.T) {
	position := &pb.PiratesCove_Position{
		Decision:    pb.PiratesCove_DECISION_NAVIGATE,
		Observation: &pb.PiratesCove_Observation{Ships: []*pb.PiratesCove_Ship{{}, {Chests: 3}}},
		Options:     []*pb.PiratesCove_Option{{}, {Action: &pb.PiratesCove_Option_Sail{Sail: &pb.PiratesCove_Sail{Island: 6}}}},
		Events:      []*pb.PiratesCove_Event{{}},
	}
	message := &pb.Question{OptionCount: 2, Position: &pb.Question_PiratesCove{PiratesCove: position}}
	question := &Question{Question: message, Match: &Match{MatchStart: &pb.MatchStart{Seat: 1}}}
	choice := PiratesCove(func(question *PiratesCoveQuestion) int {
		mine := question.GetObservation().GetShips()[question.Match.GetSeat()]
		if question.GetDecision() != pb.PiratesCove_DECISION_NAVIGATE || mine.GetChests() != 3 || len(question.GetEvents()) != 1 {
			t.Errorf("got %v", question.PiratesCove_Position)
		}
		for index, option := range question.GetOptions() {
			if option.GetSail().GetIsland() == 6 {
				return index
			}
		}
		return Resign
	})(question)
	if choice != 1 {
		t.Errorf("chose %d, want 1", choice)
	}
}

func TestAQuestionOfAnotherGameIsEmptyAndNoPanic(t *testing.T) {
	question := &Question{Question: &pb.Question{OptionCount: 7}, Match: &Match{}}
	for name, choose := range map[string]func(*Question) int{
		"pavillon_noir": PavillonNoir(func(q *PavillonNoirQuestion) int { return len(q.GetOptions()) + int(q.GetOptionCount()) }),
		"broadsides":    Broadsides(func(q *BroadsidesQuestion) int { return len(q.GetOptions()) + int(q.GetOptionCount()) }),
		"pirates_cove":  PiratesCove(func(q *PiratesCoveQuestion) int { return len(q.GetOptions()) + int(q.GetOptionCount()) }),
		"marauders":     Marauders(func(q *MaraudersQuestion) int { return len(q.GetOptions()) + int(q.GetOptionCount()) }),
	} {
		if got := choose(question); got != 7 {
			t.Errorf("%s: %d, want 7", name, got)
		}
	}
}

func TestTheLogNamesTheQuestionBeforeItsFirstLine(t *testing.T) {
	var out strings.Builder
	c := &client{log: &logMarks{out: &out}}
	c.bot.Choose = func(question *Question) int {
		switch question.GetQuestionId() {
		case 1:
			question.Logf("%d options", question.GetOptionCount())
			question.Logf("hm")
		case 3:
			panic("at the third")
		}
		return 0
	}
	match := &Match{MatchStart: &pb.MatchStart{MatchId: "cove-7", Seat: 1}}
	ask := func(id uint32) {
		defer func() { _ = recover() }()
		c.answer(&Question{Question: &pb.Question{QuestionId: id, OptionCount: 4}, Match: match, log: c.log})
	}
	ask(1)
	ask(2) // prints nothing: no mark
	ask(3) // what Go prints about the panic follows its mark
	want := "[tortuga cove-7 seat 1 question 1]\n4 options\nhm\n[tortuga cove-7 seat 1 aside]\n[tortuga cove-7 seat 1 question 3]\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestWhatPackageLogPrintsIsMarkedToo(t *testing.T) {
	var out strings.Builder
	marks := &logMarks{out: &out}
	marks.begin(&Question{Question: &pb.Question{QuestionId: 5}, Match: &Match{MatchStart: &pb.MatchStart{MatchId: "m"}}})
	flags := log.Flags()
	defer func() { log.SetOutput(os.Stderr); log.SetFlags(flags) }()
	log.SetFlags(0)
	marks.takeOverLog()
	log.Print("hello")
	if want := "[tortuga m seat 0 question 5]\nhello\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
