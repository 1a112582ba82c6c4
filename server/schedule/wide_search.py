"""The search of seat_search.py with whole arrays at a time: the same tables, ten times as fast with a hundred bots.

What each swap would gain is kept for all pairs of bots at once. A swap changes it for the bots of two tables only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from server.schedule.exact_algebra import Ints

_TAKEN = 1 << 62
"""Added to the cost of bots that are seated already."""


def cheapest_tables(
    waiting: Sequence[int], seats: int, costs: Ints, bench: list[int], free: Collection[int]
) -> list[list[int]]:
    """Return tables for all who wait, at which no swap of two bots helps; `free` bots may be swapped with the bench."""
    tables = take_tables(waiting, seats, costs)
    swap_down(tables, costs, bench, free)
    return tables


def take_tables(waiting: Sequence[int], seats: int, costs: Ints) -> list[list[int]]:
    """Call `take_table` until nobody waits."""
    order = np.array(waiting)
    ordered = costs[np.ix_(order, order)]
    taken = np.zeros(len(order), dtype=np.int64)
    tables = []
    for first in range(len(order)):
        if taken[first]:
            continue
        taken[first] = _TAKEN
        table, row = [first], ordered[first]
        while len(table) < seats:
            partner = int((row + taken).argmin())
            taken[partner] = _TAKEN
            table.append(partner)
            if len(table) < seats:
                row = row + ordered[partner]
        tables.append(order[table].tolist())
    return tables


def swap_down(tables: list[list[int]], costs: Ints, bench: list[int] | None = None, free: Collection[int] = ()) -> None:
    """Swap bots between tables, in place, as `swap_down` of seat_search.py does."""
    search = _Search(tables, costs, bench or [], free)
    changed = set(range(len(tables)))
    while changed:
        here = min(changed)
        there = search.improve(here)
        if there < 0:
            changed.remove(here)
        else:
            changed.update(range(len(tables)) if there == len(tables) else (there,))


class _Search:
    """The places of all bots, and the gain of every swap."""

    def __init__(self, tables: list[list[int]], costs: Ints, bench: list[int], free: Collection[int]) -> None:
        count = len(costs)
        self._places = [*tables, bench]
        self._last = len(tables)
        self._costs = costs
        self._twice = 2 * costs
        self._home = np.zeros(count, dtype=np.int64)
        self._load = np.zeros((count, len(self._places)), dtype=np.int64)
        """Cost of each bot at each table; 0 on the bench."""
        for number, table in enumerate(self._places):
            self._home[table] = number
        for column in zip(*tables, strict=True):
            self._load[:, : self._last] += costs[:, list(column)]
        self._is_free = np.zeros(count, dtype=bool)
        self._is_free[list(free)] = True
        self._gains = self._gains_of(np.arange(count))

    def improve(self, here: int) -> int:
        """Make the best swap of the first bot of this table that gains by one, and return the other table; -1: none."""
        for bot in self._places[here]:
            row = self._gains[bot]
            other = int(row.argmax())
            if row[other] > 0:
                return self._swap(bot, other)
        return -1

    def _swap(self, bot: int, other: int) -> int:
        places, home, load = self._places, self._home, self._load
        here, there = int(home[bot]), int(home[other])
        places[here][places[here].index(bot)] = other
        places[there][places[there].index(other)] = bot
        home[bot], home[other] = there, here
        more = self._costs[other] - self._costs[bot]
        load[:, here] += more
        if there != self._last:
            load[:, there] -= more
        touched = np.array(places[here] + places[there])
        gains = self._gains_of(touched)
        self._gains[touched] = gains
        self._gains[:, touched] = gains.T
        return there

    def _gains_of(self, bots: Ints) -> Ints:
        """Return the gain of a swap of each of these with each bot; 0 at the same table, or where it is barred."""
        home, load = self._home, self._load
        theirs = home[bots]
        stay = load[np.arange(len(home)), home]
        # Both new tables still count the one that leaves them; the bench counts nobody.
        gains = self._twice[bots]
        gains += stay[bots][:, None]
        gains += stay
        gains -= load[bots][:, home]
        gains -= load[:, theirs].T
        gains[theirs[:, None] == home] = 0
        if self._places[-1]:
            one_rests = (theirs == self._last)[:, None] != (home == self._last)
            both_free = self._is_free[bots][:, None] & self._is_free
            gains = np.where(one_rests, np.where(both_free, gains - self._costs[bots], 0), gains)
        return np.asarray(gains)
