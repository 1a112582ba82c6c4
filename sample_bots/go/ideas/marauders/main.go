// A bot for Tortuga: a function from a question to the index of an option. README.md says how to build and play it.
//
// A first idea for Marauders: sell what you have, bring gold into the chest, raid merchants, follow rumors and missions;
// leave armed ships alone, and never end a turn while something can still be done. It beats random two times out of three.
// Next: buy what the next port wants. docs/games/marauders.md has the rules.
package main

import (
	"math"
	"math/rand/v2"

	"tortuga/sdk/tortugabot"
	pb "tortuga/v1"
)

func main() {
	tortugabot.Main(tortugabot.Bot{
		Name:   "@NAME@",
		Games:  []string{"@GAMES@"},
		Choose: tortugabot.Marauders(choose),
		Slots:  8, // matches at once; what belongs to one of them goes into question.Match.Memory
	})
}

// choose takes the option that is worth most, any of them if there are several. Whatever is below question.GetOptionCount() is
// a legal answer; tortugabot.Resign gives up. A bot that searches asks question.TimeLeft() how long it may still think.
func choose(question *tortugabot.MaraudersQuestion) int {
	var best []int
	most := math.MinInt
	for index, option := range question.GetOptions() {
		if worth := worth(option); worth > most {
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

// worth says how much we like an option: 0 is neither liked nor avoided. The kinds are those of Marauders.Option in
// proto/tortuga/v1/marauders.proto.
func worth(option *pb.Marauders_Option) int {
	switch action := option.GetAction().(type) {
	case *pb.Marauders_Option_Sell_:
		return 800 + int(action.Sell.GetGold())
	case *pb.Marauders_Option_RepairEverything_:
		return 700
	case *pb.Marauders_Option_Stash_:
		return 600 + int(action.Stash.GetGold())
	case *pb.Marauders_Option_TryRumor_:
		return 500
	case *pb.Marauders_Option_DoMission_:
		return 400
	case *pb.Marauders_Option_ScoutRumor_:
		return 300
	case *pb.Marauders_Option_ScoutMerchant_:
		return 200
	case *pb.Marauders_Option_Engage_:
		return 100
	case *pb.Marauders_Option_Retire_, *pb.Marauders_Option_LetGo_, *pb.Marauders_Option_End_,
		*pb.Marauders_Option_ScoutNpc_, *pb.Marauders_Option_ScoutPlayer_:
		return -1
	}
	return 0
}
