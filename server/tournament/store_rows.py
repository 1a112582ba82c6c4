"""The tables of an event's database, and their rows as values. The queries are in store.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from server.tournament.summary import FaultSummary, MatchSummary, SeatSummary

MIGRATIONS = (
    """
    CREATE TABLE match (
        match_id TEXT PRIMARY KEY,
        event TEXT NOT NULL,
        contest TEXT NOT NULL,
        block INTEGER NOT NULL,
        stage INTEGER NOT NULL,
        label TEXT NOT NULL,
        bots TEXT NOT NULL,              -- in the order of rotation 0, a space between
        rotation INTEGER NOT NULL,
        reason TEXT NOT NULL,
        decisions INTEGER NOT NULL,
        started_millis INTEGER NOT NULL,
        record_sha256 BLOB NOT NULL,
        record_bytes INTEGER NOT NULL,
        UNIQUE (contest, block, rotation)
    ) WITHOUT ROWID;
    CREATE TABLE seat (
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        version TEXT NOT NULL,
        language TEXT NOT NULL,
        rank INTEGER NOT NULL,
        score REAL NOT NULL,
        half_points INTEGER NOT NULL,
        faults INTEGER NOT NULL,
        answers INTEGER NOT NULL,
        time_micros INTEGER NOT NULL,
        PRIMARY KEY (match_id, seat)
    ) WITHOUT ROWID;
    CREATE TABLE fault (
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        number INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        decision INTEGER NOT NULL,
        kind TEXT NOT NULL,
        message TEXT NOT NULL,
        out INTEGER NOT NULL,
        PRIMARY KEY (match_id, number)
    ) WITHOUT ROWID;
    CREATE TABLE live_elo (              -- what each match did, in millionths; sums to 0 over a match
        match_id TEXT NOT NULL REFERENCES match ON DELETE CASCADE,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        before INTEGER NOT NULL,
        change INTEGER NOT NULL,
        PRIMARY KEY (match_id, seat)
    ) WITHOUT ROWID;
    CREATE INDEX live_elo_of_bot ON live_elo (bot);
    """,
    """
    ALTER TABLE match ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;  -- 0: the record was let go, the row stays
    CREATE INDEX match_by_time ON match (started_millis, match_id);
    CREATE INDEX match_of_contest ON match (contest, started_millis, match_id);
    CREATE INDEX seat_of_bot ON seat (bot);
    """,
)

MEASURED = {"match": {"started_millis", "record_sha256", "record_bytes"}, "seat": {"time_micros"}}
"""Columns that differ when the same match is played twice: times, and the hash of a record that holds them."""


def match_row(match: MatchSummary) -> tuple[Any, ...]:
    """The row of a match."""
    return (
        match.match_id,
        match.event,
        match.contest,
        match.block,
        match.stage,
        match.label,
        " ".join(match.bots),
        match.rotation,
        match.reason,
        match.decisions,
        match.started_millis,
        match.record_sha256,
        match.record_bytes,
        int(match.kept),
    )


def seat_row(match: MatchSummary, number: int) -> tuple[Any, ...]:
    """The row of one seat, without the match id."""
    seat = match.seats[number]
    return (
        number,
        seat.bot,
        seat.version,
        seat.language,
        seat.rank,
        seat.score,
        seat.half_points,
        seat.faults,
        seat.answers,
        seat.time_micros,
    )


def read_match(row: Sequence[Any], seats: Iterable[Sequence[Any]], faults: Iterable[FaultSummary]) -> MatchSummary:
    """A match from its rows."""
    return MatchSummary(
        match_id=row[0],
        event=row[1],
        contest=row[2],
        block=row[3],
        stage=row[4],
        label=row[5],
        bots=tuple(row[6].split(" ")),
        rotation=row[7],
        reason=row[8],
        decisions=row[9],
        started_millis=row[10],
        record_sha256=row[11],
        record_bytes=row[12],
        # A reader may find a database of version 1.
        kept=bool(row[13]) if len(row) > 13 else True,
        seats=tuple(map(_read_seat, seats)),
        faults=tuple(faults),
    )


def _read_seat(row: Sequence[Any]) -> SeatSummary:
    names = ("bot", "version", "language", "rank", "score", "half_points", "faults", "answers", "time_micros")
    return SeatSummary(**dict(zip(names, row[2:], strict=True)))


def read_fault(row: Sequence[Any]) -> FaultSummary:
    """A fault from its row."""
    seat, bot, decision, kind, message, out = row[2:]
    return FaultSummary(seat=seat, bot=bot, decision=decision, kind=kind, message=message, out=bool(out))


def fault_row(fault: FaultSummary) -> tuple[Any, ...]:
    """The row of a fault, without match id and number."""
    return fault.seat, fault.bot, fault.decision, fault.kind, fault.message, int(fault.out)
