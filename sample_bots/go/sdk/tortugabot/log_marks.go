package tortugabot

import (
	"fmt"
	"io"
	"log"
	"os"
	"sync"
)

// logMarks writes a bot's log. Questions of several matches come mixed and all print to one log, so a line before the first
// output of each question says which one it is: `tortuga replay show --logs` finds it there. A line after the last one says
// that whatever follows, printed past us, is not about that question.
type logMarks struct {
	lock  sync.Mutex // a bot's own goroutines may log, too
	out   io.Writer
	who   string // match and seat of the question that is being answered; empty: none is
	id    uint32
	wrote bool // its mark is written
}

// begin says that from now on, output belongs to this question.
func (m *logMarks) begin(question *Question) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.who = fmt.Sprintf("tortuga %s seat %d", question.Match.GetMatchId(), question.Match.GetSeat())
	m.id, m.wrote = question.GetQuestionId(), false
}

// end says that the question is answered.
func (m *logMarks) end() {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.wrote {
		fmt.Fprintf(m.out, "[%s aside]\n", m.who)
	}
	m.who, m.wrote = "", false
}

// Write writes, after the mark if it is still to come.
func (m *logMarks) Write(text []byte) (int, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.mark()
	return m.out.Write(text)
}

// mark writes the mark of the question, once.
func (m *logMarks) mark() {
	if m.who != "" && !m.wrote {
		fmt.Fprintf(m.out, "[%s question %d]\n", m.who, m.id)
		m.wrote = true
	}
}

// takeOverLog lets what package log prints pass through here, unless the bot has sent it elsewhere.
func (m *logMarks) takeOverLog() {
	if log.Writer() == os.Stderr {
		log.SetOutput(m)
	}
}

// Logf prints a line to the bot's log, marked with this question. So does package log while Choose runs; what fmt prints is
// not marked.
func (q *Question) Logf(format string, arguments ...any) {
	var out io.Writer = os.Stderr
	if q.log != nil {
		out = q.log
	}
	fmt.Fprintf(out, format+"\n", arguments...)
}
