"""Has official standings, histories and comparisons computed in a separate process, the standings maker.

Standings over many matches take numpy seconds and block the interpreter meanwhile; referees cannot wait for that.
fits.py says how old standings may be. The live Elo in them is always that of the moment.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from referee.errors import ConfigError
from server.arena.caller_input import Key
from server.arena.errors import NotFound
from server.arena.reading.archive import Archive
from server.arena.reading.comparisons import History, make_entry, make_history, make_pair
from server.arena.reading.fits import FEWEST_FITS, MOST_CELLS, Fit, Version, find_fit, read_version
from server.ratings.live import MICRO
from server.standings.messages import make_listing, make_overall_listing
from server.system.logs import get_logger
from server.system.processes import end_with_parent
from server.tournament.folder import Folder
from server.tournament.standings import combine
from tortuga.v1 import arena_pb2 as pb

log = get_logger()

T = TypeVar("T")
Listing = tuple[bytes, tuple[Key, ...]]
"""A packed answer, and the sort key of each row."""
TOO_LARGE = "the contests have too many bots for one table"
MOST_OVERALLS = 8
"""Tables over several contests that are kept."""


class StandingsMaker:
    """Asks the standings maker. Nothing is kept here: its process keeps the fits, and the services their answers."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._pool: ProcessPoolExecutor | None = None

    def close(self) -> None:
        """Stop the standings maker."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    async def ladder(self, contest: str, folder: Folder) -> tuple[pb.EventTable, tuple[Key, ...]]:
        """Return the standings of a ladder with the present live Elo, and the sort key of each row."""
        packed, keys = await self._ask(make_ladder_listing, folder, contest)
        nothing: dict[str, tuple[int, int]] = {}
        live = await self._archive.ask(folder, lambda store: store.live_elo(contest), nothing)
        listing = pb.EventTable.FromString(packed)
        for row in listing.rows:
            if row.entry in live:
                elo, change = live[row.entry]
                row.live_elo, row.live_change = elo / MICRO, change / MICRO
        return listing, keys

    async def event(self, folder: Folder, *, over: bool) -> list[pb.EventTable]:
        """Return the listings of an event. Of one that is over nobody sees older ones: who leads in its middle is not
        who won it."""
        agreement = await self._archive.run(folder.read_agreement)
        contests = [contest.id for contest in agreement.manifest.contests] if agreement else []
        packed = [await self._ask(make_event_listing, folder, contest, over) for contest in contests]
        return [pb.EventTable.FromString(listing) for listing in packed if listing]

    async def overall(self, folder: Folder, *, over: bool) -> tuple[pb.GetOverallResponse, tuple[Key, ...]]:
        """Return one table over all contests of an event or of the ladders, and the sort key of each row."""
        agreement = await self._archive.run(folder.read_agreement)
        contests = [contest.id for contest in agreement.manifest.contests] if agreement else []
        if agreement and len(contests) > FEWEST_FITS and len(contests) * len(agreement.roster) ** 2 > MOST_CELLS:
            # Their fits are not kept all at once, so this would fit one of them after another for ever.
            return pb.GetOverallResponse(quiet=TOO_LARGE), ()
        # Of the versions of this moment: while matches go on, the first fit could be too old before the last is made.
        versions = {contest: await self._version(folder, contest) for contest in contests}
        while (answer := await self._turn(make_overall, "overall", str(folder.path), versions, over)) is None:
            pass
        packed, keys = answer
        return pb.GetOverallResponse.FromString(packed), keys

    async def history(self, folder: Folder, contest: str) -> History:
        """Return the history of all ratings of a contest. It is made in turns, so that it holds nobody up."""
        while not (history := await self._ask(make_history, folder, contest)).complete:
            pass
        return history

    async def entry(self, folder: Folder, contest: str, entry: str) -> pb.EntryDetails:
        """Return an entry of a contest, which must be on its roster."""
        return pb.EntryDetails.FromString(await self._ask(make_entry, folder, contest, entry))

    async def pair(self, folder: Folder, contest: str, first: str, second: str) -> pb.Pair:
        """Return two entries of a contest, which must be on its roster, compared."""
        return pb.Pair.FromString(await self._ask(make_pair, folder, contest, first, second))

    async def _ask(self, make: Callable[..., T | None], folder: Folder, contest: str, *more: object) -> T:
        """Ask the standings maker about a contest, again and again until it has the answer.

        Those who wait come in the order in which they asked, so nobody waits long for the fit of another contest.
        """
        while True:
            version = await self._version(folder, contest)
            answer = await self._turn(make, contest, str(folder.path), contest, version, *more)
            if answer is not None:
                return answer

    async def _version(self, folder: Folder, contest: str) -> Version:
        """Return the version of a contest's data."""
        return read_version(folder, await self._archive.ask(folder, lambda store: store.match_count(contest), 0))

    async def _turn(self, make: Callable[..., T], table: str, *arguments: object) -> T:
        """Run one turn of the standings maker for a table, and log what goes wrong."""
        try:
            return await self._run(make, *arguments)
        except NotFound:
            raise
        except Exception as error:
            log.error("table_failed", table=f"{make.__name__}/{table}", error=repr(error))
            raise

    async def _run(self, make: Callable[..., T], *arguments: object) -> T:
        """Run a turn, in a new process if the last one was killed."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._process(), make, *arguments)
        except BrokenProcessPool:  # the process was killed, perhaps for its memory: try once more in a new one
            self._pool = None
            return await loop.run_in_executor(self._process(), make, *arguments)

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # gRPC does not survive a fork
            # Its resource tracker outlives a killed server and would print plain text into the log.
            os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)
        return self._pool


def make_ladder_listing(path: str, contest: str, version: Version) -> Listing | None:
    """Return `Fit.listing` of a ladder. None: it is still being fitted. Runs in the standings maker."""
    fit = find_fit(path, contest, version)
    return None if fit is None else fit.listing


def make_event_listing(path: str, contest: str, version: Version, exact: bool) -> bytes | None:
    """Return a packed listing of an event; empty: nothing was played yet. None: it is still being fitted.

    Runs in the standings maker.
    """
    fit = find_fit(path, contest, version, exact=exact)
    if fit is None or fit.contest is None:
        return None if fit is None else b""
    return make_listing(fit.contest.standings).SerializeToString()


_overalls: OrderedDict[str, tuple[tuple[float, ...], Listing]] = OrderedDict()
"""By folder: when the fits began that a table over several contests was made from, and the table."""


def make_overall(path: str, versions: Mapping[str, Version], exact: bool) -> Listing | None:
    """Return a packed GetOverallResponse. None: a contest is still being fitted. Runs in the standings maker."""
    fits = []
    for contest, version in versions.items():
        fit = find_fit(path, contest, version, exact=exact)
        if fit is None:
            return None
        fits.append(fit)
    began = tuple(fit.began for fit in fits)
    if path not in _overalls or _overalls[path][0] != began:
        _overalls[path] = began, _combine(fits)
        _overalls.move_to_end(path)
        while len(_overalls) > MOST_OVERALLS:
            _overalls.popitem(last=False)
    return _overalls[path][1]


def _combine(fits: Sequence[Fit]) -> Listing:
    try:
        overall = combine([fit.contest.standings for fit in fits if fit.contest])
    except ConfigError as error:
        return pb.GetOverallResponse(quiet=str(error)).SerializeToString(), ()
    answer = pb.GetOverallResponse(
        table=make_overall_listing(overall), contests=overall.contests, missing=overall.missing
    )
    return answer.SerializeToString(), tuple((-float(line.row.rating), line.bot) for line in overall.lines)
