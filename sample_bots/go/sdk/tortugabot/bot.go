// Package tortugabot connects a bot to Tortuga's referee. A bot is a function from a question to the index of an option:
//
//	func main() {
//		tortugabot.Main(tortugabot.Bot{
//			Name:   "first",
//			Choose: func(*tortugabot.Question) int { return 0 },
//		})
//	}
//
// The questions are messages of package tortuga/v1, generated from proto/tortuga/v1, where every field is described. A bot for
// one game takes typed questions, see PiratesCove and its like.
package tortugabot

//go:generate sh ../../generate.sh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	pb "tortuga/v1"
)

const (
	protocol = 1
	sdk      = "tortugabot 0.1.0"
)

// Resign, returned by Choose, gives the match up. It is not -1, so that a search that found nothing does not resign.
const Resign = math.MinInt

// Bot is what there is to say about a bot. Only Choose is needed. All functions are called from one goroutine, one at a
// time, so they need no locks; but the questions of several matches come mixed.
type Bot struct {
	// Choose answers a question: any index below OptionCount is legal, Resign gives up.
	Choose func(*Question) int

	Name       string   // "bot" if empty; where the referee started the bot, the name in its bot.toml counts instead
	Version    string   // "1" if empty
	Games      []string // ids of the games it plays; empty: all
	SeatCounts []uint32 // the sizes of tables it sits down at, in an arena; empty: any
	Slots      uint32   // how many matches it plays at once; 8 if 0

	OmitOptions bool // spare the referee the list of options, for a bot that answers without reading it
	OmitEvents  bool // spare it the events, for a bot that lives by the observation alone
	WantModel   bool // send Question.model with every question, for a bot that looks ahead: docs/model.md
	WantText    bool // send Question.text with every question: the table and the options in words
	WantRules   bool // send MatchStart.rules_text with every match: the rules of the game in words

	// The hooks may be nil.
	OnStart func(*Match)               // a match begins; not called again when it is resumed on a new stream
	OnFault func(*Match, *pb.Fault)    // the bot did something wrong; it is printed to stderr in any case
	OnEnd   func(*Match, *pb.MatchEnd) // a match is over
}

// Main plays until the referee says goodbye and exits: with 0, or with 1 and a line on stderr that says why.
func Main(bot Bot) {
	if err := Play(context.Background(), bot); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Play is Main for a program that has other things to do: it returns nil after the referee's goodbye. The environment
// says where the referee is, as docs/protocol.md describes.
func Play(ctx context.Context, bot Bot) error {
	address := os.Getenv("TORTUGA_ADDRESS")
	if address == "" {
		return errors.New("TORTUGA_ADDRESS is not set: start this bot through the referee, e.g. `tortuga play GAME --bot FOLDER`")
	}
	client := &client{
		bot:     bot,
		address: address,
		token:   os.Getenv("TORTUGA_TOKEN"),
		tables:  map[uint32]*Match{},
		matches: map[chair]*Match{},
		log:     &logMarks{out: os.Stderr},
	}
	client.log.takeOverLog()
	if err := client.play(ctx); err != nil {
		return fmt.Errorf("talking to the referee at %s: %w", address, err)
	}
	return nil
}

func (b *Bot) hello() *pb.Hello {
	return &pb.Hello{
		Protocol:    protocol,
		BotName:     cmp.Or(b.Name, "bot"),
		BotVersion:  cmp.Or(b.Version, "1"),
		Sdk:         sdk,
		Language:    "go",
		Games:       b.Games,
		SeatCounts:  b.SeatCounts,
		Slots:       cmp.Or(b.Slots, 8),
		OmitOptions: b.OmitOptions,
		OmitEvents:  b.OmitEvents,
		WantModel:   b.WantModel,
		WantText:    b.WantText,
		WantRules:   b.WantRules,
	}
}
