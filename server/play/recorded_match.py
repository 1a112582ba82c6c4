"""What a match comes to: recorded, or void.

Plain values that travel from the process that played a match to the one that stores it, which needs nothing that
playing does. Of a match that counts there are these shapes, one after another:

referee.match.match.MatchResult   what the referee decided; it stays where the match was played
RecordedMatch                     its record and what is kept beside it, on the way to the folder of its event
summary.MatchSummary              its rows in the database, made from the record alone
summary.ResultRow                 the few columns of them that schedules and ladders read, by the million
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from server.play.summary import MatchSummary, summarize, summarize_at

if TYPE_CHECKING:
    from referee.records.signature import SigningKey
    from tortuga.v1 import record_pb2 as pb


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """A match that counts: its summary, its record, and the logs of the bots that failed, by seat.

    On a ladder a match gets its number when it is stored. Until then its record is `unplaced`, and `packed` is empty.
    """

    summary: MatchSummary
    packed: bytes
    """The content of its record file."""
    logs: Mapping[int, bytes]
    notes: bytes = b""
    """The file of the bots' notes beside the record; empty: there is none."""
    unplaced: pb.Record | None = None
    """The record of a match whose place is not known yet."""

    @property
    def match_id(self) -> str:
        """Return its name."""
        return self.summary.match_id

    @property
    def names(self) -> list[str]:
        """Return its bots, in seat order."""
        return list(self.summary.seated)


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that counts for nobody, or a whole block if its worker died."""

    reason: str
    late_bots: tuple[str, ...] = ()
    """Those that ran out of time and were excused."""
    began: bool = True
    """False: the host could not start it, and no bot has seen anything of it."""
    machine: str = ""
    """The machine of a cluster that it was lost with, perhaps together with others."""
    record: pb.Record | None = field(default=None, repr=False, compare=False)
    """Its record, for who played this one match; it is in no result that travels."""

    @property
    def text(self) -> str:
        """Return the reason, for journals and logs."""
        return self.reason if self.began else f"void: {self.reason}"

    def named(self, match_id: str) -> VoidMatch:
        """Return the same with the match's name in its reason, for results that tell of several matches."""
        return VoidMatch(f"{match_id}: {self.text}", self.late_bots)


def record_match(record: pb.Record, logs: Mapping[int, bytes], notes: bytes) -> RecordedMatch:
    """Pack a record, unless its place is still to come: then `place_match` does."""
    from referee.records.record import pack

    if not record.HasField("place"):
        return RecordedMatch(summary=summarize(record, b""), packed=b"", logs=logs, notes=notes, unplaced=record)
    packed = pack(record)
    return RecordedMatch(summary=summarize(record, packed), packed=packed, logs=logs, notes=notes)


def place_match(match: RecordedMatch, place: pb.RecordPlace) -> RecordedMatch:
    """Give a match its place, and pack its record."""
    from referee.records.record import pack

    assert match.unplaced is not None, "a match is placed once"
    match.unplaced.place.CopyFrom(place)
    packed = pack(match.unplaced)
    return replace(match, summary=summarize_at(match.summary, place, packed), packed=packed, unplaced=None)


def sign_match(match: RecordedMatch, key: SigningKey) -> RecordedMatch:
    """Sign the record of a match. Only the process that stores matches has the key: bots run beside the others."""
    from referee.records.record import sign

    packed = sign(match.packed, key)
    digest = hashlib.sha256(packed).digest()
    return replace(match, packed=packed, summary=replace(match.summary, record_sha256=digest, record_bytes=len(packed)))
