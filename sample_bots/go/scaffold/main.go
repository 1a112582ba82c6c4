// A bot for Tortuga. Start reading at choose; README.md says how to build and play it.
package main

import (
	"math/rand/v2"
	"slices"

	"tortuga/sdk/tortugabot"
	pb "tortuga/v1"
)

func main() {
	tortugabot.Main(tortugabot.Bot{
		Name:   "@NAME@",
		Games:  []string{"@GAMES@"}, // empty: every game
		Choose: choose,
		Slots:  8, // matches at once; what belongs to one of them goes into question.Match.Memory
	})
}

// choose answers a question by the index of an option. Each game has its own messages: what the seat may know is in the
// position's Observation, what it may do in its Options, what has happened since the last question in its Events. Replace
// these first ideas by better ones, and drop the games it does not play. A bot that searches asks question.TimeLeft() how
// long it may still think.
func choose(question *tortugabot.Question) int {
	index := -1
	switch position := question.GetPosition().(type) {
	case *pb.Question_PavillonNoir:
		index = slices.IndexFunc(position.PavillonNoir.GetOptions(), func(option *pb.PavillonNoir_Option) bool {
			return option.GetFire() != nil // whenever the guns may speak, they speak
		})
	case *pb.Question_Broadsides:
		index = slices.IndexFunc(position.Broadsides.GetOptions(), func(option *pb.Broadsides_Option) bool {
			return option.GetFire() != pb.Broadsides_SECTION_UNSPECIFIED
		})
	case *pb.Question_PiratesCove:
		seen := position.PiratesCove.GetObservation()
		mine := seen.GetShips()[seen.GetSeat()]
		index = slices.IndexFunc(position.PiratesCove.GetOptions(), func(option *pb.PiratesCove_Option) bool {
			bury := option.GetBuryChests()
			return bury != nil && bury.GetCount() == mine.GetChests() // all or nothing
		})
	case *pb.Question_Marauders:
		index = slices.IndexFunc(position.Marauders.GetOptions(), func(option *pb.Marauders_Option) bool {
			return option.GetSell() != nil // goods are there to be sold
		})
	}
	if index >= 0 {
		question.Note("the first idea that came") // for people who read the match afterwards
	}
	if index < 0 { // no idea, or a game that was not known yet: any option is legal
		index = rand.IntN(int(question.GetOptionCount()))
	}
	return index
}
