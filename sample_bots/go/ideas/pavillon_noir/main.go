// A bot for Tortuga: a function from a question to the index of an option. README.md says how to build and play it.
//
// A first idea for Pavillon Noir: a broadside hits without any aiming, so fire one whenever the cards pay for it. It beats
// random nine times out of ten. Next: aim before you fire. docs/games/pavillon_noir.md has the rules.
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
		Choose: tortugabot.PavillonNoir(choose),
		Slots:  8, // matches at once; what belongs to one of them goes into question.Match.Memory
	})
}

// choose takes the option that is worth most, any of them if there are several. Whatever is below question.GetOptionCount() is
// a legal answer; tortugabot.Resign gives up. A bot that searches asks question.TimeLeft() how long it may still think.
func choose(question *tortugabot.PavillonNoirQuestion) int {
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
		question.Note("whenever the guns may speak, they speak") // for people who read the match afterwards
	}
	return best[rand.IntN(len(best))]
}

// worth says how much we like an option: 0 is neither liked nor avoided. The kinds are those of PavillonNoir.Option in
// proto/tortuga/v1/pavillon_noir.proto.
func worth(option *pb.PavillonNoir_Option) int {
	switch option.GetAction().(type) {
	case *pb.PavillonNoir_Option_Broadside_:
		return 4
	case *pb.PavillonNoir_Option_FireBroadside_:
		return 3
	case *pb.PavillonNoir_Option_ReloadBattery_:
		return 2
	case *pb.PavillonNoir_Option_Fire_:
		return 1
	}
	return 0
}
