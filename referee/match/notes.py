"""Bots' notes on their questions, for people: stored beside a match, never part of it.

A note never costs a bot anything: one that is too long is cut, one too many is dropped, and a character cut in two is
repaired. The notes kept for one seat are bounded, and so are those dropped before they count as a flood
(`referee.door`).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from referee.rules.engine import Seat

MAX_NOTE_BYTES = 200
"""Longest note kept, in bytes of UTF-8."""
MAX_NOTES_BYTES = 64 * 1024
"""Most bytes of notes kept of one seat in one match."""
LEAST_NOTE_BYTES = 16
"""Least bytes that a note counts for, so that the number of notes is bounded, too."""
MAX_NOTES = MAX_NOTES_BYTES // LEAST_NOTE_BYTES
"""Most notes kept of one seat in one match, if all are short."""

EVERYBODY, OWNER, NOBODY = "everybody", "owner", "nobody"
AUDIENCES = (EVERYBODY, OWNER, NOBODY)
"""Readers of notes after a match: everybody, in its record; the owner of the bot alone; nobody, as none is kept."""

_decode = codecs.getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True)
class SeatNote:
    """A bot's note, and the decision at which it was made (counted over all seats from 1)."""

    seat: Seat
    decision: int
    text: str


class Notebook:
    """The notes of one seat in one match."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._decisions: list[int] = []
        """Decision of each question, in the order in which the seat was asked."""
        self._bytes = 0
        self.notes: list[SeatNote] = []
        self.dropped = 0
        """Number of notes beyond the limits, and on questions that were never asked."""

    def asked(self, decision: int) -> None:
        """Note that the seat is asked its next question: that decision of the match."""
        self._decisions.append(decision)

    def write(self, question_id: int, raw: bytes) -> None:
        """Keep a note on a question of this seat, or count it as dropped."""
        text = mend(raw)
        if not text:
            return
        cost = cost_of(text)
        if not 1 <= question_id <= len(self._decisions) or self._bytes + cost > MAX_NOTES_BYTES:
            self.dropped += 1
            return
        self._bytes += cost
        self.notes.append(SeatNote(self._seat, self._decisions[question_id - 1], text))


def mend(raw: bytes) -> str:
    """Return the text of a note: at most 200 bytes, cut between characters; bytes that are no UTF-8 are shown as
    such."""
    text = _decode(errors="replace").decode(raw[:MAX_NOTE_BYTES])
    return text.encode()[:MAX_NOTE_BYTES].decode(errors="ignore")  # a replacement is longer than what it replaces


def cost_of(text: str) -> int:
    """Return what a note counts for, in bytes."""
    return max(LEAST_NOTE_BYTES, len(text.encode()))
