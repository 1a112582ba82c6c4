"""The fits of the standings maker: one for each contest of a folder, kept by the version of its data.

How old a fit may be: it is of the present data, or of data from ten seconds ago (five times as long ago as it took to
make, if that is more), or, while a newer one is being made, from a minute ago. What was ruled is in it at once.

Everything here runs in the standings maker. A new fit is made in a thread beside it, so that questions about other
contests need not wait for it.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from referee.match import clock
from server.arena.caller_input import Key
from server.standings.messages import make_listing
from server.tournament.folder import Folder
from server.tournament.standings import ContestResults, read_contest

GOOD_SECONDS = 10.0
GOOD_TIMES = 5.0
"""A fit is good for so many times the time that it took to make, if that is longer than GOOD_SECONDS."""
STALE_SECONDS = 60.0
"""How old a fit may be while a newer one is being made."""
TURN_SECONDS = 0.5
"""Longest turn of the standings maker at one question. What has no answer by then is asked again, after the others."""
FEWEST_FITS = 8
MOST_CELLS = 4_000_000
"""Fits kept beyond the fewest, by the squares of their numbers of bots: some 60 MB."""
NEVER_MET = 1 << 30
"""The group number of bots without a match: they come last."""


class Version(NamedTuple):
    """The version of a contest's data."""

    matches: int
    roster: int
    """When it was written."""
    rulings: int
    """When the last one was made."""
    database: int
    """Changes with the season."""


def read_version(folder: Folder, matches: int) -> Version:
    """Return the version of a contest that has so many matches."""
    roster, rulings, database = (_stat(path) for path in (folder.agreement, folder.rulings, folder.database))
    return Version(
        matches=matches,
        roster=roster.st_mtime_ns if roster else 0,
        rulings=rulings.st_mtime_ns if rulings else 0,
        database=database.st_ino if database else 0,
    )


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A contest as it was read and fitted."""

    version: Version
    began: float
    seconds: float
    """How long that took."""
    contest: ContestResults | None
    """None: nothing was played yet."""

    @cached_property
    def listing(self) -> tuple[bytes, tuple[Key, ...]]:
        """The standings of a ladder for other processes: a packed EventTable, and the sort key of each row."""
        if self.contest is None:
            return b"", ()
        standings = self.contest.standings
        keys = ((int(line.row.group or NEVER_MET), -float(line.row.rating), line.bot) for line in standings.lines)
        return make_listing(standings, pairs=False).SerializeToString(), tuple(keys)

    def has(self, entries: Collection[str]) -> bool:
        """Check whether all these entries are in it."""
        return set(entries) <= set(self.contest.results.names if self.contest else ())

    @property
    def cells(self) -> int:
        """What it takes to keep."""
        return len(self.contest.results.names) ** 2 if self.contest else 0


_fits: OrderedDict[tuple[str, str], Fit] = OrderedDict()
_making: dict[tuple[str, str], Future[None]] = {}
_thread = ThreadPoolExecutor(1, "fit")


def find_fit(path: str, contest: str, version: Version, *entries: str, exact: bool = False) -> Fit | None:
    """Return the fit of a contest that has these entries. None: it is not there yet, so ask again.

    `exact`: only one of this version will do.
    """
    key = path, contest
    if (fit := _usable(key, version, entries, exact=exact)) is not None:
        return fit
    making = _making.get(key)
    if making is None:
        making = _making[key] = _thread.submit(_make, key, version)
        making.add_done_callback(lambda _: _making.pop(key))
    wait([making], TURN_SECONDS)
    if making.done():
        making.result()  # raises what went wrong
    return _usable(key, version, entries, exact=exact, is_late=True)


def _usable(
    key: tuple[str, str], version: Version, entries: tuple[str, ...], *, exact: bool, is_late: bool = False
) -> Fit | None:
    """Return the kept fit if it will do. `is_late`: a newer one was made just now, or is being made."""
    fit = _fits.get(key)
    if fit is None or (is_late and fit.version == version):
        return fit
    if fit.version == version:
        return fit if fit.has(entries) else None
    if exact or (fit.version.rulings, fit.version.database) != (version.rulings, version.database):
        return None
    if not fit.has(entries):
        return None
    good_seconds = max(GOOD_SECONDS, GOOD_TIMES * fit.seconds)
    return fit if clock.now() < fit.began + (max(STALE_SECONDS, good_seconds) if is_late else good_seconds) else None


def _make(key: tuple[str, str], version: Version) -> None:
    """Read and fit a contest. Runs in the thread, which alone changes what is kept."""
    (path, contest), began = key, clock.now()
    results = read_contest(Folder(Path(path)), contest)
    _fits[key] = Fit(version=version, began=began, seconds=clock.now() - began, contest=results)
    _fits.move_to_end(key)
    while len(_fits) > FEWEST_FITS and sum(fit.cells for fit in _fits.values()) > MOST_CELLS:
        _fits.popitem(last=False)
