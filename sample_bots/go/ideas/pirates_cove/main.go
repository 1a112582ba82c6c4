// A bot for Tortuga: a function from a question to the index of an option. README.md says how to build and play it.
//
// A first idea for Pirate's Cove: keep away from the black ships, take what lies on the other islands, and go to Treasure
// Island to bury it as soon as three chests are aboard. It beats random nine times out of ten. Next: look at what each island
// offers, and at how strong the others are. docs/games/pirates_cove.md has the rules.
package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"tortuga/sdk/tortugabot"
	pb "tortuga/v1"
)

const (
	treasureIsland = 6
	lastMonth      = 12
)

func main() {
	tortugabot.Main(tortugabot.Bot{
		Name:   "@NAME@",
		Games:  []string{"@GAMES@"},
		Choose: tortugabot.PiratesCove(choose),
		Slots:  8, // matches at once; what belongs to one of them goes into question.Match.Memory
	})
}

// choose takes the option that is worth most, any of them if there are several. Whatever is below question.GetOptionCount() is
// a legal answer; tortugabot.Resign gives up. A bot that searches asks question.TimeLeft() how long it may still think.
func choose(question *tortugabot.PiratesCoveQuestion) int {
	var best []int
	most := math.MinInt
	for index, option := range question.GetOptions() {
		if worth := worth(question.GetObservation(), option); worth > most {
			best, most = []int{index}, worth
		} else if worth == most {
			best = append(best, index)
		}
	}
	if len(best) == 0 {
		return rand.IntN(int(question.GetOptionCount()))
	}
	if most > 0 {
		question.Note("this is what we like best") // for people who read the match afterwards
	}
	return best[rand.IntN(len(best))]
}

// worth says how much we like an option: 0 is neither liked nor avoided. The kinds are those of PiratesCove.Option in
// proto/tortuga/v1/pirates_cove.proto.
func worth(seen *pb.PiratesCove_Observation, option *pb.PiratesCove_Option) int {
	switch action := option.GetAction().(type) {
	case *pb.PiratesCove_Option_Sail:
		return sail(seen, action.Sail.GetIsland())
	case *pb.PiratesCove_Option_BuryChests:
		return 300 + int(action.BuryChests.GetCount())
	case *pb.PiratesCove_Option_BuryGold:
		return 200 + int(action.BuryGold.GetFame())
	case *pb.PiratesCove_Option_Fire:
		return 100
	}
	return 0
}

// sail likes Treasure Island with the loot, and otherwise any outer island without a black ship.
func sail(seen *pb.PiratesCove_Observation, island uint32) int {
	isHome := island == treasureIsland
	if seen.GetShips()[seen.GetSeat()].GetChests() >= 3 || seen.GetMonth() == lastMonth {
		return value(isHome)
	}
	isBlack := slices.ContainsFunc(seen.GetBlackShips(), func(ship *pb.PiratesCove_BlackShip) bool {
		return ship.GetPlace() == island
	})
	return value(!isHome && !isBlack)
}

func value(liked bool) int {
	if liked {
		return 1
	}
	return 0
}
