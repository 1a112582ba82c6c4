"""The road of a match between bots: terms and a table in, one recorded match or a void one out.

All who seat bots play through `play_match`: workers, the tables of an arena, challenges, checks, `tortuga play` and
tuning. What happens to a void match is decided here and nowhere else: it is played again as often as the caller
allows, and the bots that sat in it are retired first, because they have seen its luck.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from referee.errors import MatchVoid
from referee.match.match import MatchResult, Terms, Watcher
from referee.match.notes import EVERYBODY, OWNER
from referee.records.notes import pack_notes
from referee.records.record import make_record
from server import __version__
from server.hosting.hosted_bot import HostedBot, SeatedBot, jail_level
from server.play.recorded_match import RecordedMatch, VoidMatch, record_match
from tortuga.v1 import record_pb2 as pb


def _nothing(*_: object) -> None:
    pass


class MatchHost(Protocol):
    """Whatever can play a match: a `BotHost`, or a fake one."""

    async def play(self, terms: Terms, bots: Sequence[SeatedBot], watcher: Watcher | None = None) -> MatchResult:
        """Play one match; the bots are given in the order of the seats."""
        ...


@dataclass(frozen=True, slots=True)
class Table:
    """The bots of one match, in seat order."""

    bots: Sequence[SeatedBot]
    retire: Callable[[], None] = _nothing
    """Retires its bots, where a match that does not count is played again with the same luck."""


OpenTable: TypeAlias = Callable[[], AbstractAsyncContextManager[Table]]
"""Opens a table for one try at a match. When it closes, its bots are free, or gone with their logs."""

Ended: TypeAlias = Callable[[MatchResult, Sequence[SeatedBot]], None]


def table_of(bots: Sequence[SeatedBot]) -> OpenTable:
    """Return a table of bots that sit there anyway, before the match and after it."""

    @asynccontextmanager
    async def open_table() -> AsyncIterator[Table]:
        yield Table(bots)

    return open_table


async def play_match(
    host: MatchHost,
    terms: Terms,
    open_table: OpenTable,
    *,
    attempts: int = 1,
    place: pb.RecordPlace | None = None,
    notes: str = EVERYBODY,
    machine: str = "",
    machine_speed: int = 0,
    watcher: Watcher | None = None,
    ended: Ended = _nothing,
    voided: Callable[[VoidMatch], None] = _nothing,
) -> RecordedMatch | VoidMatch:
    """Play a match until it counts, but no more often than `attempts`; return it, or the last void try.

    `place`: where in its event it belongs; without one its record is packed later (`place_match`). `notes`: who may
    read what the bots noted. `machine` and its speed go into the record. `ended` is called at the table with every
    result, void or not, while the bots still sit there; `voided` with every try that was void.
    """
    outcome: RecordedMatch | VoidMatch | None = None
    for _ in range(attempts):
        try:
            async with open_table() as table:
                outcome = None
                started = int(time.time() * 1000)
                try:
                    result = await host.play(terms, table.bots, watcher)
                    ended(result, table.bots)
                    outcome = record_result(
                        result, table.bots, started, place=place, notes=notes, host=machine, host_speed=machine_speed
                    )
                finally:
                    if not isinstance(outcome, RecordedMatch):
                        table.retire()  # its bots have seen luck that is played again
        except MatchVoid as error:
            outcome = VoidMatch(str(error), began=False)
        if isinstance(outcome, RecordedMatch):
            return outcome
        voided(outcome)
    assert outcome is not None, "a match is tried at least once"
    return outcome


def record_result(
    result: MatchResult,
    bots: Sequence[SeatedBot],
    started_millis: int,
    *,
    place: pb.RecordPlace | None = None,
    notes: str = EVERYBODY,
    host: str = "",
    host_speed: int = 0,
) -> RecordedMatch | VoidMatch:
    """Record a match while its bots are still at the table: their logs go when they go.

    What the bots noted is in the record only if it is for everybody.
    """
    record = make_record(
        result,
        [bot.identity() for bot in bots],
        server_version=__version__,
        started_unix_millis=started_millis,
        place=place,
        jail_level=jail_level(bots),
        host=host,
        host_speed=host_speed,
        with_notes=notes == EVERYBODY,
    )
    if result.void:
        return VoidMatch(result.reason, result.late_bots, record=record)
    failed = {int(fault.seat) for fault in result.faults}
    logs = {
        seat: bot.process.printed() for seat, bot in enumerate(bots) if seat in failed and isinstance(bot, HostedBot)
    }
    return record_match(record, logs, pack_notes(result.terms.match_id, result.notes) if notes == OWNER else b"")
