// A bot for Tortuga: a function from a question to the index of an option. README.md says how to build and play it.
//
// A first idea for Broadsides: never give up, and never cease fire while a shot is left. It beats random two times out of
// three. Next: sail so that your guns bear and the enemy's do not. docs/games/broadsides.md has the rules.
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
		Choose: tortugabot.Broadsides(choose),
		Slots:  8, // matches at once; what belongs to one of them goes into question.Match.Memory
	})
}

// choose takes the option that is worth most, any of them if there are several. Whatever is below question.GetOptionCount() is
// a legal answer; tortugabot.Resign gives up. A bot that searches asks question.TimeLeft() how long it may still think.
func choose(question *tortugabot.BroadsidesQuestion) int {
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
		question.Note("no surrender, and no shot left unfired") // for people who read the match afterwards
	}
	return best[rand.IntN(len(best))]
}

// worth says how much we like an option: 0 is neither liked nor avoided. The kinds are those of Broadsides.Option in
// proto/tortuga/v1/broadsides.proto.
func worth(option *pb.Broadsides_Option) int {
	switch option.GetAction().(type) {
	case *pb.Broadsides_Option_Surrender:
		return -2
	case *pb.Broadsides_Option_Cease:
		return -1
	case *pb.Broadsides_Option_Fire:
		return 1
	}
	return 0
}
