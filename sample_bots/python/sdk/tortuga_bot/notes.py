"""What a bot notes on its questions: cut to what the referee keeps, and held until the next answer takes it along."""

from __future__ import annotations

import sys

from tortuga.v1 import referee_pb2

LEAST_NOTE_BYTES = 16
"""What a note counts for at least."""


class Notes:
    """The notes of one match that are not sent yet. A referee without limits for them is too old to take any."""

    __slots__ = ("_bytes", "_limits", "_match_id", "_waiting", "_was_full")

    def __init__(self, match_id: str = "", limits: referee_pb2.Limits | None = None) -> None:
        self._match_id = match_id
        self._limits = limits or referee_pb2.Limits()
        self._bytes = 0
        self._waiting: list[referee_pb2.Note] = []
        self._was_full = False

    def add(self, question_id: int, text: str) -> None:
        """Keep a note until the next answer; what the referee would not keep is dropped here."""
        most = self._limits.max_note_bytes
        # Half of a surrogate pair, as `json` may make it, has no UTF-8.
        cut = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore").encode()
        if not cut:
            return
        cost = max(LEAST_NOTE_BYTES, len(cut))
        if self._bytes + cost > self._limits.max_notes_bytes:
            if not self._was_full:
                most = self._limits.max_notes_bytes
                print(f"match {self._match_id}: more than {most} bytes of notes, the rest is dropped", file=sys.stderr)
            self._was_full = True
            return
        self._bytes += cost
        self._waiting.append(referee_pb2.Note(question_id=question_id, text=cut))

    def take(self) -> list[referee_pb2.Note]:
        """The notes to be sent now."""
        waiting, self._waiting = self._waiting, []
        return waiting
