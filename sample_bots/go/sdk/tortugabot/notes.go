package tortugabot

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	pb "tortuga/v1"
)

const leastNoteBytes = 16 // what a note counts for at least

// notes are those of one match that are not sent yet: the next answer takes them along.
type notes struct {
	limits  *pb.Limits // without limits for notes the referee is too old to take any
	waiting []*pb.Note
	bytes   uint32
	full    bool
}

// add keeps a note, cut to what the referee keeps. What it would drop is dropped here, and said once.
func (n *notes) add(match string, id uint32, text string) {
	text = cut(strings.ToValidUTF8(text, "\uFFFD"), int(n.limits.GetMaxNoteBytes()))
	if text == "" {
		return
	}
	cost := max(leastNoteBytes, uint32(len(text)))
	if most := n.limits.GetMaxNotesBytes(); n.bytes+cost > most {
		if !n.full {
			fmt.Fprintf(os.Stderr, "match %s: more than %d bytes of notes, the rest is dropped\n", match, most)
		}
		n.full = true
		return
	}
	n.bytes += cost
	n.waiting = append(n.waiting, &pb.Note{QuestionId: id, Text: []byte(text)})
}

// take gives the notes to be sent now.
func (n *notes) take() []*pb.Note {
	waiting := n.waiting
	n.waiting = nil
	return waiting
}

// cut shortens a text to so many bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
