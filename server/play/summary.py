"""Summarises a match for the tables, from its record alone.

A worker summarises a record when the match is over, `tortuga ladder rebuild` when it reads the file again. Both use
`summarize`, so both arrive at the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tortuga.v1 import record_pb2 as pb


class ResultRow(NamedTuple):
    """What a schedule and a ladder need to know of a match. Of a million matches, no more is read."""

    contest: str
    match_id: str
    block: int
    stage: int
    rotation: int
    bots: tuple[str, ...]
    """In the order of rotation 0."""
    seated: tuple[str, ...]
    """In seat order, as are the following."""
    ranks: tuple[int, ...]
    half_points: tuple[int, ...]
    faults_by_seat: tuple[int, ...]


@dataclass(slots=True)
class BotTotals:
    """Faults, answers and time of a bot over all its matches."""

    failed: int = 0
    """Matches in which it failed."""
    answers: int = 0
    time_micros: int = 0
    version: str = ""
    """The version it last reported."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatSummary:
    """One seat of a match."""

    bot: str
    version: str
    language: str
    rank: int
    score: float
    half_points: int
    """2 for each seat beaten, 1 for each tied with."""
    faults: int
    answers: int
    time_micros: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultSummary:
    """One fault."""

    seat: int
    bot: str
    decision: int
    kind: str
    message: str
    out: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchSummary:
    """One match and its place in the event. It offers all that a ResultRow has."""

    match_id: str
    event: str
    contest: str
    block: int
    stage: int
    label: str
    bots: tuple[str, ...]
    rotation: int
    reason: str
    decisions: int
    started_millis: int
    record_sha256: bytes
    record_bytes: int
    seats: tuple[SeatSummary, ...]
    faults: tuple[FaultSummary, ...]
    kept: bool = True
    """False: the record was deleted after its retention time, and the database is all there is."""
    host: str = ""
    """The machine of a cluster that played it. Empty: the one that ran the event."""
    host_speed: int = 0
    """As in the record."""

    @property
    def seated(self) -> tuple[str, ...]:
        """Return its bots, in seat order."""
        return tuple(seat.bot for seat in self.seats)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Return the ranks, one per seat."""
        return tuple(seat.rank for seat in self.seats)

    @property
    def half_points(self) -> tuple[int, ...]:
        """Return the half points, one per seat."""
        return tuple(seat.half_points for seat in self.seats)

    @property
    def faults_by_seat(self) -> tuple[int, ...]:
        """Return how often each seat failed."""
        return tuple(seat.faults for seat in self.seats)

    @property
    def is_unplayed(self) -> bool:
        """Check whether nobody played it: every seat failed before it made a single decision."""
        return all(seat.faults and not seat.answers for seat in self.seats)


Result = ResultRow | MatchSummary


def half_points(ranks: Sequence[int], seat: int) -> int:
    """Count 2 for each seat beaten, 1 for each tied with."""
    own = ranks[seat]
    return sum((rank > own) * 2 + (rank == own) for place, rank in enumerate(ranks) if place != seat)


def summarize(record: pb.Record, packed: bytes) -> MatchSummary:
    """Summarise a record; `packed` is the content of its file."""
    from referee.wire.envelope import fault_kind_name  # here: what reads rows of a database does without
    from tortuga.v1 import record_pb2 as pb

    answers = [0] * len(record.seats)
    micros = [0] * len(record.seats)
    played = (answer for moment in record.story.moments for answer in moment.answers)
    for answer, spent in zip(played, record.answer_micros, strict=True):
        micros[answer.seat] += spent
        answers[answer.seat] += answer.source == pb.ANSWER_SOURCE_BOT
    ranks = tuple(record.outcome.ranks)
    return MatchSummary(
        **_place_columns(record.place, packed),
        match_id=record.match_id,
        reason=record.outcome.reason,
        decisions=len(record.answer_micros),
        started_millis=record.started_unix_millis,
        seats=tuple(
            SeatSummary(
                bot=seat.bot_name,
                version=seat.bot_version,
                language=seat.language,
                rank=ranks[number],
                score=record.outcome.scores[number],
                half_points=half_points(ranks, number),
                faults=sum(fault.seat == number for fault in record.faults),
                answers=answers[number],
                time_micros=micros[number],
            )
            for number, seat in enumerate(record.seats)
        ),
        faults=tuple(
            FaultSummary(
                seat=fault.seat,
                bot=record.seats[fault.seat].bot_name,
                decision=fault.decision,
                kind=fault_kind_name(fault.kind),
                message=fault.message,
                out=fault.out,
            )
            for fault in record.faults
        ),
        host=record.host,
        host_speed=record.host_speed,
    )


def summarize_at(summary: MatchSummary, place: pb.RecordPlace, packed: bytes) -> MatchSummary:
    """Return the summary of a match that was given a place; `packed` is the content of its file."""
    return replace(summary, **_place_columns(place, packed))


def _place_columns(place: pb.RecordPlace, packed: bytes) -> dict[str, Any]:
    """Return what a summary says of a match's place in its event, and of its file."""
    return {
        "event": place.event,
        "contest": place.contest,
        "block": place.block,
        "stage": place.stage,
        "label": place.label,
        "bots": tuple(place.bots),
        "rotation": place.rotation,
        "record_sha256": hashlib.sha256(packed).digest(),
        "record_bytes": len(packed),
    }
