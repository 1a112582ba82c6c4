package tortugabot

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "tortuga/v1"
)

// The referee of these tests follows a script per stream: what it says, and what the bot has to answer.
type script func(*door) error

// referee hands out the scripts, in the order of the streams.
type referee struct {
	pb.UnimplementedRefereeServer
	t       *testing.T
	scripts []script
	streams atomic.Int32
}

// Play hands each stream the next script.
func (r *referee) Play(stream pb.Referee_PlayServer) error {
	number := int(r.streams.Add(1)) - 1
	if number >= len(r.scripts) {
		return status.Error(codes.ResourceExhausted, "the bot dialled once too often")
	}
	return r.scripts[number](&door{t: r.t, stream: stream})
}

// door is the referee's end of one stream.
type door struct {
	t      *testing.T
	stream pb.Referee_PlayServer
}

func (d *door) token() string {
	values := metadata.ValueFromIncomingContext(d.stream.Context(), "authorization")
	return strings.Join(values, ",")
}

func (d *door) say(messages ...*pb.ToBot) {
	if err := d.stream.Send(&pb.ToBotBatch{Messages: messages}); err != nil {
		d.t.Errorf("Send: %v", err)
	}
}

// expect reads one batch and compares it with what the bot should have said.
func (d *door) expect(want ...*pb.FromBot) {
	d.t.Helper()
	got, err := d.stream.Recv()
	if err != nil {
		d.t.Errorf("Recv: %v", err)
		return
	}
	if !proto.Equal(got, &pb.FromBotBatch{Messages: want}) {
		d.t.Errorf("the bot said %v, want %v", got.GetMessages(), want)
	}
}

// greet hears Hello and welcomes the bot.
func (d *door) greet(welcome *pb.Welcome) *pb.Hello {
	d.t.Helper()
	batch, err := d.stream.Recv()
	if err != nil || len(batch.GetMessages()) != 1 || batch.GetMessages()[0].GetHello() == nil {
		d.t.Errorf("instead of one Hello came %v, %v", batch, err)
	}
	d.say(&pb.ToBot{Message: &pb.ToBot_Welcome{Welcome: welcome}})
	return batch.GetMessages()[0].GetHello()
}

func start(table uint32, start *pb.MatchStart) *pb.ToBot {
	return &pb.ToBot{Table: table, Message: &pb.ToBot_MatchStart{MatchStart: start}}
}

func ask(table, id, options uint32) *pb.ToBot {
	return &pb.ToBot{Table: table, Message: &pb.ToBot_Question{Question: &pb.Question{QuestionId: id, OptionCount: options}}}
}

func end(table uint32) *pb.ToBot {
	return &pb.ToBot{Table: table, Message: &pb.ToBot_MatchEnd{MatchEnd: &pb.MatchEnd{}}}
}

func goodbye() *pb.ToBot {
	return &pb.ToBot{Message: &pb.ToBot_Goodbye{Goodbye: &pb.Goodbye{}}}
}

func ready(table uint32) *pb.FromBot {
	return &pb.FromBot{Table: table, Message: &pb.FromBot_Ready{Ready: &pb.Ready{}}}
}

func choice(table, id uint32, index int32) *pb.FromBot {
	return &pb.FromBot{Table: table, Message: &pb.FromBot_Choice{Choice: &pb.Choice{QuestionId: id, OptionIndex: index}}}
}

// meet lets a bot play against the scripts over a Unix socket.
func meet(t *testing.T, bot Bot, scripts ...script) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TORTUGA_ADDRESS", "unix:"+path)
	return meetAt(t, listener, grpc.NewServer(), bot, scripts...)
}

func meetAt(t *testing.T, listener net.Listener, server *grpc.Server, bot Bot, scripts ...script) error {
	t.Helper()
	referee := &referee{t: t, scripts: scripts}
	pb.RegisterRefereeServer(server, referee)
	go func() { _ = server.Serve(listener) }()
	defer server.Stop()
	t.Setenv("TORTUGA_TOKEN", "secret")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := Play(ctx, bot)
	if seen := int(referee.streams.Load()); seen != len(scripts) {
		t.Errorf("the bot opened %d streams, want %d", seen, len(scripts))
	}
	return err
}

func last(question *Question) int { return int(question.GetOptionCount()) - 1 }

func TestABatchOfSeveralTablesIsAnsweredInOneBatch(t *testing.T) {
	var seats, ended []uint32
	bot := Bot{
		Name:   "tester",
		Games:  []string{"marauders"},
		Slots:  3,
		Choose: last,

		SeatCounts: []uint32{2, 4},
		OnStart: func(match *Match) {
			match.Memory = match.GetSeat()
			seats = append(seats, match.GetSeat())
		},
		OnEnd: func(match *Match, _ *pb.MatchEnd) { ended = append(ended, match.Memory.(uint32)) },
	}
	err := meet(t, bot, func(d *door) error {
		hello := d.greet(&pb.Welcome{Protocol: 1})
		want := &pb.Hello{
			Protocol: 1, BotName: "tester", BotVersion: "1", Sdk: sdk, Language: "go", Games: []string{"marauders"}, Slots: 3,
			SeatCounts: []uint32{2, 4},
		}
		if !proto.Equal(hello, want) {
			t.Errorf("Hello was %v, want %v", hello, want)
		}
		if d.token() != "Bearer secret" {
			t.Errorf("authorization was %q", d.token())
		}
		// Two chairs of one match are two matches to the bot.
		d.say(start(1, &pb.MatchStart{MatchId: "m", Seat: 0}), start(2, &pb.MatchStart{MatchId: "m", Seat: 1}))
		d.expect(ready(1), ready(2))
		d.say(ask(2, 1, 5), ask(1, 1, 3))
		d.expect(choice(2, 1, 4), choice(1, 1, 2))
		d.say(end(2), ask(1, 2, 2))
		d.expect(choice(1, 2, 1))
		d.say(end(1), goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if fmt.Sprint(seats, ended) != "[0 1] [1 0]" {
		t.Errorf("started %v, ended %v", seats, ended)
	}
}

func TestWhatIsUnknownIsIgnored(t *testing.T) {
	err := meet(t, Bot{Choose: last}, func(d *door) error {
		d.greet(&pb.Welcome{})
		unknown := &pb.ToBot{Table: 1}
		unknown.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 7))
		fault := &pb.Fault{Kind: 77, Message: "of a kind from the future"}
		d.say(unknown, ask(9, 1, 2), end(9), &pb.ToBot{Table: 9, Message: &pb.ToBot_Fault{Fault: fault}})
		d.say(start(1, &pb.MatchStart{MatchId: "m", Game: "from the future"}))
		d.expect(ready(1))
		d.say(ask(1, 1, 2), end(1), end(1)) // the match is over while the bot still thinks
		d.expect(choice(1, 1, 1))
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestResignAndFault(t *testing.T) {
	var faults []string
	bot := Bot{
		Choose: func(*Question) int { return Resign },
		OnFault: func(match *Match, fault *pb.Fault) {
			faults = append(faults, match.GetMatchId()+": "+fault.GetMessage())
		},
	}
	err := meet(t, bot, func(d *door) error {
		d.greet(&pb.Welcome{})
		d.say(start(1, &pb.MatchStart{MatchId: "m"}))
		d.expect(ready(1))
		d.say(ask(1, 1, 2))
		d.expect(&pb.FromBot{Table: 1, Message: &pb.FromBot_Resign{Resign: &pb.Resign{}}})
		d.say(&pb.ToBot{Table: 1, Message: &pb.ToBot_Fault{Fault: &pb.Fault{Message: "resigned"}}}, end(1), goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if fmt.Sprint(faults) != "[m: resigned]" {
		t.Errorf("faults: %v", faults)
	}
}

func TestTheClock(t *testing.T) {
	bot := Bot{Choose: func(question *Question) int {
		deadline, ok := question.Deadline()
		if !ok {
			return 1
		}
		left := time.Until(deadline)
		if left <= 0 || left > time.Second || question.BankLeft() != time.Minute {
			t.Errorf("%v left, and %v in the bank", left, question.BankLeft())
		}
		return 0
	}}
	err := meet(t, bot, func(d *door) error {
		d.greet(&pb.Welcome{})
		d.say(
			start(1, &pb.MatchStart{MatchId: "timed", Clock: &pb.Clock{}}),
			start(2, &pb.MatchStart{MatchId: "free", Clock: &pb.Clock{Unlimited: true}}),
		)
		d.expect(ready(1), ready(2))
		timed := &pb.Question{QuestionId: 1, OptionCount: 2, TimeLeftMillis: 1000, BankLeftMillis: 60_000}
		d.say(&pb.ToBot{Table: 1, Message: &pb.ToBot_Question{Question: timed}}, ask(2, 1, 2))
		d.expect(choice(1, 1, 0), choice(2, 1, 1))
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func note(table, id uint32, text string) *pb.FromBot {
	return &pb.FromBot{Table: table, Message: &pb.FromBot_Note{Note: &pb.Note{QuestionId: id, Text: []byte(text)}}}
}

func TestNotesLeaveBeforeTheAnswerAndAreCutToTheLimits(t *testing.T) {
	bot := Bot{Choose: func(question *Question) int {
		switch question.GetQuestionId() {
		case 1:
			question.Note("first")
			question.Note("")
			question.Note(strings.Repeat("é", 20)) // 40 bytes
			question.Note("bad \xff")
		case 2:
			for range 9 {
				question.Note("x") // counts as 16
			}
			return Resign
		}
		return 0
	}}
	err := meet(t, bot, func(d *door) error {
		d.greet(&pb.Welcome{Limits: &pb.Limits{MaxNoteBytes: 21, MaxNotesBytes: 100}})
		d.say(start(1, &pb.MatchStart{MatchId: "m"}))
		d.expect(ready(1))
		d.say(ask(1, 1, 2))
		d.expect(note(1, 1, "first"), note(1, 1, strings.Repeat("é", 10)), note(1, 1, "bad \uFFFD"), choice(1, 1, 0))
		d.say(ask(1, 2, 2))
		resign := &pb.FromBot{Table: 1, Message: &pb.FromBot_Resign{Resign: &pb.Resign{}}}
		d.expect(note(1, 2, "x"), note(1, 2, "x"), note(1, 2, "x"), resign) // 16 + 20 + 16 + 3 * 16 = 100
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAnOldRefereeIsSentNoNotes(t *testing.T) {
	bot := Bot{Choose: func(question *Question) int {
		question.Note("nobody will read this")
		return 0
	}}
	err := meet(t, bot, func(d *door) error {
		d.greet(&pb.Welcome{Limits: &pb.Limits{MaxMessageBytes: 1000}})
		d.say(start(1, &pb.MatchStart{MatchId: "m"}), ask(1, 1, 2))
		d.expect(ready(1), choice(1, 1, 0))
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheTimeAQuestionWaitedIsGone(t *testing.T) {
	const slow = 500 * time.Millisecond
	left := map[string]time.Duration{}
	bot := Bot{Choose: func(question *Question) int {
		left[question.Match.GetMatchId()] = question.TimeLeft()
		if question.Match.GetMatchId() == "slow" {
			time.Sleep(slow)
		}
		return 0
	}}
	err := meet(t, bot, func(d *door) error {
		d.greet(&pb.Welcome{})
		for table, id := range []string{"slow", "same batch", "next batch"} {
			d.say(start(uint32(table), &pb.MatchStart{MatchId: id, Clock: &pb.Clock{}}))
			d.expect(ready(uint32(table)))
		}
		d.say(start(3, &pb.MatchStart{MatchId: "free", Clock: &pb.Clock{Unlimited: true}}))
		d.expect(ready(3))
		timed := func(table uint32) *pb.ToBot {
			question := &pb.Question{QuestionId: 1, OptionCount: 2, TimeLeftMillis: 10_000}
			return &pb.ToBot{Table: table, Message: &pb.ToBot_Question{Question: question}}
		}
		d.say(timed(0), timed(1))
		d.say(timed(2), ask(3, 1, 2)) // while the bot thinks
		d.expect(choice(0, 1, 0), choice(1, 1, 0))
		d.expect(choice(2, 1, 0), choice(3, 1, 0))
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, id := range []string{"same batch", "next batch"} {
		if left[id] > 10*time.Second-slow/2 {
			t.Errorf("%s: %v left", id, left[id])
		}
	}
	if left["free"] != Forever {
		t.Errorf("without a clock: %v left", left["free"])
	}
}

func TestABrokenStreamIsTakenUpAgain(t *testing.T) {
	asked := 0
	bot := Bot{
		OnStart: func(match *Match) { match.Memory = "kept" },
		Choose: func(question *Question) int {
			asked++
			if question.Match.Memory != "kept" {
				t.Errorf("memory: %v", question.Match.Memory)
			}
			return asked
		},
	}
	welcome := &pb.Welcome{ReconnectMillis: 5000, ResumeToken: "again"}
	err := meet(t, bot,
		func(d *door) error {
			d.greet(welcome)
			d.say(start(1, &pb.MatchStart{MatchId: "m"}))
			d.expect(ready(1))
			d.say(ask(1, 1, 9))
			d.expect(choice(1, 1, 1))
			return nil // an end without Goodbye
		},
		func(*door) error { return status.Error(codes.Unavailable, "not yet") },
		func(d *door) error {
			if d.token() != "Bearer again" {
				t.Errorf("authorization was %q", d.token())
			}
			d.greet(welcome)
			d.say(start(3, &pb.MatchStart{MatchId: "m", Resumed: true}))
			d.expect(ready(3))
			d.say(ask(3, 1, 9)) // its answer was lost: the same one comes once more
			d.expect(choice(3, 1, 1))
			d.say(ask(3, 2, 9))
			d.expect(choice(3, 2, 2))
			d.say(end(3), goodbye())
			return nil
		})
	if err != nil {
		t.Error(err)
	}
}

func TestWhenToGiveUp(t *testing.T) {
	refuse := func(code codes.Code) script {
		return func(*door) error { return status.Error(code, "no") }
	}
	breakOff := func(reconnectMillis uint32) script {
		return func(d *door) error {
			d.greet(&pb.Welcome{ReconnectMillis: reconnectMillis})
			return nil
		}
	}
	for _, test := range []struct {
		name    string
		scripts []script
		want    codes.Code
	}{
		{"refused", []script{refuse(codes.Unauthenticated)}, codes.Unauthenticated},
		{"nobody there", []script{refuse(codes.Unavailable)}, codes.Unavailable},
		{"seats are not kept", []script{breakOff(0)}, codes.Unavailable},
		{"refused on coming back", []script{breakOff(5000), refuse(codes.AlreadyExists)}, codes.AlreadyExists},
		{"seats are kept no longer", []script{breakOff(250), refuse(codes.Unavailable)}, codes.Unavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := meet(t, Bot{Choose: last}, test.scripts...); status.Code(err) != test.want {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestTheBotLeavesThoughTheRefereeLingers(t *testing.T) {
	err := meet(t, Bot{Choose: last}, func(d *door) error {
		d.greet(&pb.Welcome{})
		d.say(goodbye())
		<-d.stream.Context().Done()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheGoodbyeOfAFarServerIsPrinted(t *testing.T) {
	for name, test := range map[string]struct {
		welcome *pb.Welcome
		want    string
	}{
		"far":  {&pb.Welcome{ReconnectMillis: 5000}, "goodbye: the arena closes\n"},
		"near": {&pb.Welcome{}, ""}, // who started the bot tells its author
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stderr")
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			defer func(usual *os.File) { os.Stderr = usual }(os.Stderr)
			os.Stderr = file
			err = meet(t, Bot{Choose: last}, func(d *door) error {
				d.greet(test.welcome)
				d.say(&pb.ToBot{Message: &pb.ToBot_Goodbye{Goodbye: &pb.Goodbye{Reason: "the arena closes"}}})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if said, err := os.ReadFile(path); err != nil || string(said) != test.want {
				t.Errorf("stderr: %q, %v", said, err)
			}
		})
	}
}

func TestTLSOverTCP(t *testing.T) {
	lender := httptest.NewTLSServer(nil) // of a certificate for 127.0.0.1
	defer lender.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw}
	if err := os.WriteFile(roots, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TORTUGA_ADDRESS", listener.Addr().String())
	t.Setenv("TORTUGA_TLS", roots)
	server := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&lender.TLS.Certificates[0])))
	err = meetAt(t, listener, server, Bot{Choose: last}, func(d *door) error {
		d.greet(&pb.Welcome{})
		d.say(goodbye())
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWithoutAnAddress(t *testing.T) {
	t.Setenv("TORTUGA_ADDRESS", "")
	if err := Play(t.Context(), Bot{Choose: last}); err == nil || !strings.Contains(err.Error(), "TORTUGA_ADDRESS") {
		t.Errorf("got %v", err)
	}
}
