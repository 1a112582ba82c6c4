package tortugabot

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "tortuga/v1"
)

const (
	firstPause  = 100 * time.Millisecond // before dialling again; doubled each time
	longPause   = 2 * time.Second        // up to this
	leavingTime = time.Second            // for the referee to end the stream after its goodbye

	waitingBatches = 256 // read while the bot thinks; each table has one question at most
)

// chair is a place in a match. One bot may sit on several chairs of the same match.
type chair struct {
	match string
	seat  uint32
}

// client is one bot's conversation with the referee, over as many streams as it takes.
type client struct {
	bot     Bot
	address string
	token   string

	welcome *pb.Welcome       // of this stream, nil before it came
	tables  map[uint32]*Match // of this stream
	matches map[chair]*Match  // the same matches, and those that a broken stream left without a table
	log     *logMarks
}

// play talks until the referee's goodbye and comes back after a broken stream for as long as the referee keeps the seats.
func (c *client) play(ctx context.Context) error {
	var keep, pause time.Duration // a stream that was never welcomed leaves no seats to come back to
	var broken time.Time
	for {
		c.welcome = nil
		clear(c.tables)
		err := c.talk(ctx)
		if c.welcome != nil {
			keep = millis(c.welcome.GetReconnectMillis())
			pause, broken = firstPause, time.Now()
		}
		// Whatever is not a broken line is a refusal, and final.
		if status.Code(err) != codes.Unavailable || time.Since(broken)+pause > keep {
			return err
		}
		fmt.Fprintf(os.Stderr, "%v; dialling again in %v\n", err, pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, longPause)
	}
}

// talk is one stream, from Hello to Goodbye.
func (c *client) talk(ctx context.Context) error {
	transport, err := transportCredentials(os.Getenv("TORTUGA_TLS"))
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(c.address, grpc.WithTransportCredentials(transport))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.token)
	stream, err := pb.NewRefereeClient(conn).Play(ctx)
	if err != nil {
		return err
	}

	said := make(chan heard, waitingBatches)
	go listen(stream, said)
	answers := []*pb.FromBot{{Message: &pb.FromBot_Hello{Hello: c.bot.hello()}}}
	for goodbye := false; !goodbye; {
		if len(answers) > 0 {
			// An error of Send only says that the stream is over; the next Recv says why.
			_ = stream.Send(&pb.FromBotBatch{Messages: answers})
		}
		next := <-said
		if next.err == io.EOF {
			return status.Error(codes.Unavailable, "the stream ended without Goodbye")
		}
		if next.err != nil {
			return next.err
		}
		answers, goodbye = c.hear(next.batch, next.received)
	}

	// Half-close and let the referee end the stream: cutting it would look like a crash.
	defer time.AfterFunc(leavingTime, cancel).Stop()
	err = stream.CloseSend()
	for err == nil {
		err = (<-said).err
	}
	return nil
}

// heard is a batch and when it came, or how the stream ended.
type heard struct {
	batch    *pb.ToBotBatch
	received time.Time
	err      error
}

// listen reads the stream to its end while the bot thinks, so that it is known how long each question waited.
func listen(stream pb.Referee_PlayClient, said chan<- heard) {
	var err error
	for err == nil {
		var batch *pb.ToBotBatch
		batch, err = stream.Recv()
		said <- heard{batch, time.Now(), err}
	}
}

// hear takes in one batch. Everything in it that wants an answer is answered in one batch, too.
func (c *client) hear(batch *pb.ToBotBatch, received time.Time) (answers []*pb.FromBot, goodbye bool) {
	for _, message := range batch.GetMessages() {
		table := message.GetTable()
		match := c.tables[table]
		switch said := message.GetMessage().(type) {
		case *pb.ToBot_Welcome:
			c.welcome = said.Welcome
			if token := said.Welcome.GetResumeToken(); token != "" {
				c.token = token
			}
		case *pb.ToBot_MatchStart:
			c.sit(table, said.MatchStart)
			answers = append(answers, &pb.FromBot{Table: table, Message: &pb.FromBot_Ready{Ready: &pb.Ready{}}})
		case *pb.ToBot_Question:
			if match != nil {
				answer := c.answer(&Question{Question: said.Question, Match: match, received: received, log: c.log})
				answer.Table = table
				// The notes go first: the answer may end the match, and after that nobody hears them.
				for _, note := range match.notes.take() {
					answers = append(answers, &pb.FromBot{Table: table, Message: &pb.FromBot_Note{Note: note}})
				}
				answers = append(answers, answer)
			}
		case *pb.ToBot_Fault:
			fmt.Fprintf(os.Stderr, "table %d: fault: %s\n", table, said.Fault.GetMessage())
			if match != nil && c.bot.OnFault != nil {
				c.bot.OnFault(match, said.Fault)
			}
		case *pb.ToBot_MatchEnd:
			if match != nil {
				c.rise(table, match)
				if c.bot.OnEnd != nil {
					c.bot.OnEnd(match, said.MatchEnd)
				}
			}
		case *pb.ToBot_Goodbye:
			goodbye = true
			if c.welcome.GetReconnectMillis() > 0 { // a far server: nobody else would tell the author why
				fmt.Fprintf(os.Stderr, "goodbye: %s\n", said.Goodbye.GetReason())
			}
		default:
			// A kind of message from a later protocol: not for us.
		}
	}
	return answers, goodbye
}

// sit begins a match, or goes on with one that is known from an earlier stream.
func (c *client) sit(table uint32, start *pb.MatchStart) {
	chair := chair{start.GetMatchId(), start.GetSeat()}
	match := c.matches[chair]
	if match != nil && start.GetResumed() {
		match.MatchStart = start
		c.tables[table] = match
		return
	}
	match = &Match{MatchStart: start, notes: notes{limits: c.welcome.GetLimits()}}
	c.matches[chair] = match
	c.tables[table] = match
	if c.bot.OnStart != nil {
		c.bot.OnStart(match)
	}
}

// rise ends a match.
func (c *client) rise(table uint32, match *Match) {
	delete(c.tables, table)
	delete(c.matches, chair{match.GetMatchId(), match.GetSeat()})
}

// answer asks the bot, once per question: a question that comes again after a broken stream gets the same answer.
func (c *client) answer(question *Question) *pb.FromBot {
	match, id := question.Match, question.GetQuestionId()
	if match.answered != id {
		match.choice = c.choose(question)
		match.answered = id
	}
	if match.choice == Resign {
		return &pb.FromBot{Message: &pb.FromBot_Resign{Resign: &pb.Resign{}}}
	}
	choice := &pb.Choice{QuestionId: id, OptionIndex: int32(match.choice)}
	return &pb.FromBot{Message: &pb.FromBot_Choice{Choice: choice}}
}

// choose asks the bot. If it panics, what Go prints about that is marked with the question, too.
func (c *client) choose(question *Question) (choice int) {
	c.log.begin(question)
	answered := false
	defer func() {
		if answered {
			c.log.end()
		} else {
			_, _ = c.log.Write(nil)
		}
	}()
	choice = c.bot.Choose(question)
	answered = true
	return choice
}

// transportCredentials reads TORTUGA_TLS: empty for plain text, "system", or a PEM file with the roots to trust.
func transportCredentials(setting string) (credentials.TransportCredentials, error) {
	switch setting {
	case "":
		return insecure.NewCredentials(), nil
	case "system":
		return credentials.NewTLS(&tls.Config{}), nil
	default:
		roots, err := credentials.NewClientTLSFromFile(setting, "")
		if err != nil {
			return nil, fmt.Errorf("TORTUGA_TLS: %w", err)
		}
		return roots, nil
	}
}
