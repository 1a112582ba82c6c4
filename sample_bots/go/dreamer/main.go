// Dreamer plays any game by dreaming: in worlds of the forward model it takes each option, lets everybody play on at
// random to the end, and counts. It shows how a bot that is not written in Python looks ahead: docs/model.md.
package main

import (
	"fmt"
	"os"
	"time"

	"tortuga/sdk/tortugabot"
)

const (
	mostTime    = 200 * time.Millisecond // for one answer
	mostOptions = 12                     // that are tried, spread over the list
)

func main() {
	child, err := startWorlds()
	if err != nil {
		fmt.Fprintln(os.Stderr, "python -m tortuga_bot.model_server does not start:", err)
		os.Exit(1)
	}
	choose := func(question *tortugabot.Question) int {
		best, err := dream(child, question)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return best
	}
	tortugabot.Main(tortugabot.Bot{Name: "dreamer-go", Choose: choose, Slots: 1, WantModel: true, OmitOptions: true})
}

// dream returns the option after which the seat does best on average, as far as there is time to try.
func dream(child *worlds, question *tortugabot.Question) (int, error) {
	until := time.Now().Add(min(mostTime, question.TimeLeft()/5))
	seed := fmt.Sprintf("%s/%d", question.Match.GetMatchId(), question.GetQuestionId())
	opened, err := child.ask(request{Open: question.GetModel(), Seed: seed})
	if err != nil {
		return 0, err
	}
	options := spread(int(question.GetOptionCount()))
	totals := make([]float64, len(options))
	for round := 0; round == 0 || time.Now().Before(until); round++ {
		if err := tryAll(child, opened.Model, int(question.Match.GetSeat()), options, totals); err != nil {
			return 0, err
		}
	}
	_, err = child.ask(request{Close: opened.Model})
	best := 0
	for place, total := range totals {
		if total > totals[best] {
			best = place
		}
	}
	return options[best], err
}

// spread picks options evenly over a list of so many.
func spread(count int) []int {
	picked := make([]int, min(count, mostOptions))
	for place := range picked {
		picked[place] = place * count / len(picked)
	}
	return picked
}

// tryAll takes every option in one and the same world, and adds what the seat wins.
func tryAll(child *worlds, model, seat int, options []int, totals []float64) error {
	dealt, err := child.ask(request{Worlds: 1, Model: model})
	if err != nil {
		return err
	}
	for place, option := range options {
		cloned, err := child.ask(request{Clone: dealt.Worlds[0]})
		if err != nil {
			return err
		}
		world := cloned.Worlds[0]
		for _, step := range []request{{Play: world, Index: &option}, {PlayOut: world}} {
			if _, err := child.ask(step); err != nil {
				return err
			}
		}
		ended, err := child.ask(request{Outcome: world})
		if err != nil {
			return err
		}
		totals[place] -= float64(ended.Outcome.Ranks[seat])
		if _, err := child.ask(request{Drop: []int{world}}); err != nil {
			return err
		}
	}
	_, err = child.ask(request{Drop: dealt.Worlds})
	return err
}
