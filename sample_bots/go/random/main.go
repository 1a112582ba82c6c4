// Random plays any game by picking any option: the yardstick of every ladder. Its strength must never change.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"tortuga/sdk/tortugabot"
)

func main() {
	fixed := flag.Bool("fixed", false, "answer by the question's number alone, the same in every language")
	flag.Parse()
	bot := tortugabot.Bot{Name: "random-go", Choose: pick, OmitOptions: true, OmitEvents: true}
	if *fixed {
		bot.Choose = fixedPick
	}
	tortugabot.Main(bot)
}

// pick takes any option, all alike. The picks follow from the match and the seat, so that `--seed` repeats a whole match
// and not only its luck.
func pick(question *tortugabot.Question) int {
	match := question.Match
	picks, ok := match.Memory.(*rand.Rand)
	if !ok {
		seed := fnv.New64a()
		fmt.Fprintf(seed, "%s/%d", match.GetMatchId(), match.GetSeat())
		picks = rand.New(rand.NewPCG(seed.Sum64(), 0))
		match.Memory = picks
	}
	return picks.IntN(int(question.GetOptionCount()))
}

// fixedPick is the same in every kit, so that records can be compared byte for byte. The product wraps at 2^32.
func fixedPick(question *tortugabot.Question) int {
	hash := question.GetQuestionId() * 2654435761
	return int((hash >> 16) % question.GetOptionCount())
}
