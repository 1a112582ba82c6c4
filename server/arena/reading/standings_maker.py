"""Computes the official tables in a separate process.

A table over many matches takes numpy seconds and blocks the interpreter meanwhile; referees cannot wait for that. So it
is computed elsewhere, at most every few seconds, and only if there are new matches. The live Elo in a table is always
up to date.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from referee.match import clock
from server.arena.caller_input import Key
from server.arena.reading.archive import Archive
from server.arena.reading.comparisons import (
    HISTORY_POINTS,
    History,
    contest_results,
    make_entry,
    make_history,
    make_pair,
)
from server.ratings.claims import say_first
from server.ratings.live import MICRO
from server.standings.cells import scale_words
from server.standings.placing_messages import put_placings
from server.standings.row_messages import bots_by_entry, cross_table, ladder_rows
from server.system.logs import get_logger
from server.system.processes import end_with_parent
from server.tournament.folder import Folder
from server.tournament.standings import read_standings
from tortuga.v1 import arena_pb2 as pb

log = get_logger()

FRESH_SECONDS = 10.0
HISTORY_SECONDS = 60.0
"""As FRESH_SECONDS, for histories: each is many tables."""
MAX_CACHED = 1000
"""Answers that are kept: every pair of bots can be asked for."""
MOST_TURNS = HISTORY_POINTS + 1
"""A history is made in several turns, so that it holds nobody up; each has at least one point more."""
PATIENCE_SECONDS = 1.0
"""How long a caller waits for a new table if there is an old one."""

Version = tuple[int, int]
"""The number of matches, and when the roster was written."""
NEVER = -1, -1
"""No version at all."""
NEVER_MET = 1 << 30
"""The group number of bots without a match: they come last."""


@dataclass(frozen=True, slots=True)
class OfficialTable:
    """A ladder's table as it passes between processes: per row its sort key and a packed LadderRow."""

    matches: int = 0
    method: str = ""
    warning: str = ""
    first: str = ""
    scale: str = ""
    rows: tuple[tuple[Key, bytes], ...] = ()


@dataclass(slots=True)
class _Cached:
    """A table, the version it was made from, and when."""

    version: Version
    rulings: int
    """When the last ruling that it knows was made."""
    made_at: float
    value: object


class RatingTables:
    """Tables of ladders and events, as fresh as they need to be."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pool: ProcessPoolExecutor | None = None
        self._cache: OrderedDict[tuple[str, ...], _Cached] = OrderedDict()
        self._making: dict[tuple[str, ...], asyncio.Task[None]] = {}

    def close(self) -> None:
        """Stop the table maker."""
        for task in self._making.values():
            task.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    async def ladder(
        self, contest: str, folder: Folder | None = None, season: str = ""
    ) -> tuple[OfficialTable, list[tuple[Key, pb.LadderRow]]]:
        """The table of a ladder, and its rows with the present live Elo. A folder has other ones in another season."""
        folder = folder or self._archive.ladder
        nothing: dict[str, tuple[int, int]] = {}
        matches = await self._archive.ask(folder, lambda store: store.match_count(contest), 0)
        version = f"{matches}/{_roster_time(folder)}"
        found = await self._get(("ladder", contest, season), folder, matches, make_official_table, contest, version)
        official = found if isinstance(found, OfficialTable) else OfficialTable()
        live = await self._archive.ask(folder, lambda store: store.live_elo(contest), nothing)
        rows = [(key, pb.LadderRow.FromString(row)) for key, row in official.rows]
        for _, row in rows:
            if row.entry in live:
                elo, change = live[row.entry]
                row.live_elo, row.live_change = elo / MICRO, change / MICRO
        return official, rows

    async def event(self, name: str, matches: int, *, over: bool) -> list[pb.EventTable]:
        """The tables of an event after this many matches. Of one that is over nobody sees older ones: who leads in its
        middle is not who won it."""
        folder = self._archive.event(name)
        found = await self._get(("event", name), folder, matches, make_event_tables, exact=over)
        return [pb.EventTable.FromString(table) for table in found] if isinstance(found, list) else []

    async def history(self, folder: Folder, contest: str) -> History:
        """The history of all ratings of a contest. While it is being computed, the points so far."""
        found = await self._about("history", folder, contest, make_history, HISTORY_SECONDS)
        return found if isinstance(found, History) else History()

    async def entry(self, folder: Folder, contest: str, entry: str) -> pb.EntryDetails:
        """An entry of a contest, which must be on its roster."""
        found = await self._about("entry", folder, contest, make_entry, FRESH_SECONDS, entry)
        assert isinstance(found, bytes)
        return pb.EntryDetails.FromString(found)

    async def pair(self, folder: Folder, contest: str, first: str, second: str) -> pb.Pair:
        """Two entries of a contest, which must be on its roster."""
        found = await self._about("pair", folder, contest, make_pair, FRESH_SECONDS, first, second)
        assert isinstance(found, bytes)
        return pb.Pair.FromString(found)

    async def _about(
        self, kind: str, folder: Folder, contest: str, make: Callable[..., object], fresh: float, *entries: str
    ) -> object:
        """An answer of comparisons.py. The version goes with the question: the table maker keeps what it has read."""
        matches = await self._archive.ask(folder, lambda store: store.match_count(contest), 0)
        version = f"{matches}/{_roster_time(folder)}"
        key = (kind, str(folder.path), contest, *entries)
        return await self._get(key, folder, matches, make, contest, version, str(FRESH_SECONDS), *entries, fresh=fresh)

    async def _get(
        self,
        key: tuple[str, ...],
        folder: Folder,
        matches: int,
        make: Callable[..., object],
        *words: str,
        fresh: float | None = None,
        exact: bool = False,
    ) -> object:
        """What was made before, if it is fresh enough; `exact`: only if nothing has changed since."""
        version = matches, _roster_time(folder)
        kept = self._cache.get(key)
        fresh = FRESH_SECONDS if fresh is None else fresh
        ruled = kept is not None and kept.rulings != _rulings_time(folder)  # a ruling takes effect at once
        fresh = 0.0 if exact else fresh
        if kept is not None and not ruled and (kept.version == version or clock.now() < kept.made_at + fresh):
            return kept.value
        task = self._making.get(key)
        if task is not None and exact:
            await asyncio.wait([task])  # it began before the last match, perhaps
            task = self._making.get(key)
        if task is None:
            rulings = _rulings_time(folder)
            task = asyncio.create_task(self._make(key, version, rulings, make, str(folder.path), *words))
            self._making[key] = task
            task.add_done_callback(lambda done: self._made(key, done))
        if kept is None or ruled or exact:
            await asyncio.shield(task)  # others may wait for it too
        else:
            await asyncio.wait([task], timeout=PATIENCE_SECONDS)
        kept = self._cache.get(key, kept)
        assert kept is not None
        return kept.value

    async def _make(
        self, key: tuple[str, ...], version: Version, rulings: int, make: Callable[..., object], *words: str
    ) -> None:
        for _ in range(MOST_TURNS):
            value = await self._run(make, *words)
            if not isinstance(value, History) or value.complete:
                self._keep(key, _Cached(version, rulings, clock.now(), value))
                return
            if key not in self._cache or self._cache[key].version == NEVER:  # better than nothing, until it is whole
                self._keep(key, _Cached(NEVER, rulings, clock.now(), value))

    def _keep(self, key: tuple[str, ...], made: _Cached) -> None:
        self._cache[key] = made
        self._cache.move_to_end(key)
        if len(self._cache) > MAX_CACHED:
            self._cache.popitem(last=False)

    async def _run(self, make: Callable[..., object], *words: str) -> object:
        """One turn of the table maker. Those who wait come in the order in which they asked."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._process(), make, *words)
        except BrokenProcessPool:  # the process was killed, perhaps for its memory: try once more in a new one
            self._pool = None
            return await loop.run_in_executor(self._process(), make, *words)

    def _made(self, key: tuple[str, ...], task: asyncio.Task[None]) -> None:
        self._making.pop(key, None)
        if not task.cancelled() and task.exception():
            log.error("table_failed", table="/".join(key), error=repr(task.exception()))

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # gRPC does not survive a fork
            # Its resource tracker outlives a killed server and would print plain text into the log.
            os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)
        return self._pool


def make_official_table(path: str, contest: str, version: str) -> OfficialTable:
    """The table of one ladder. Runs in the table maker, which keeps what it has read for other questions."""
    found = contest_results(path, contest, version, 0.0)
    if found is None:
        return OfficialTable()
    standings, table, bots = found.standings, found.standings.table, bots_by_entry(found.agreement)
    return OfficialTable(
        matches=table.matches,
        method=table.method,
        warning=table.goodness.warning or "",
        first=say_first(table),
        scale=scale_words(table.anchors),
        rows=tuple(
            ((int(line.row.group or NEVER_MET), -float(line.row.rating), line.bot), row.SerializeToString())
            for line, row in zip(standings.lines, ladder_rows(standings, bots), strict=True)
        ),
    )


def make_event_tables(path: str) -> list[bytes]:
    """All tables of an event. Runs in the table maker."""
    folder = Folder(Path(path))
    try:
        ladders, bots = read_standings(folder), bots_by_entry(folder.require_agreement())
    except ConfigError:
        return []  # nothing was played yet
    return [
        put_placings(
            pb.EventTable(
                contest=one.contest.id,
                rows=ladder_rows(one, bots),
                first=say_first(one.table),
                method=one.table.method,
                warning=one.table.goodness.warning or "",
                scale=scale_words(one.table.anchors),
                table_matches=one.table.matches,
                cross_table=cross_table(one),
            ),
            one,
        ).SerializeToString()
        for one in ladders
    ]


def _roster_time(folder: Folder) -> int:
    """Changes when the roster or a ruling is written."""
    found = _rulings_time(folder)
    with suppress(FileNotFoundError):
        found += folder.agreement.stat().st_mtime_ns
    return found


def _rulings_time(folder: Folder) -> int:
    try:
        return folder.rulings.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
