"""From the base blocks of designs.py to rounds and tables, as points 0 to n - 1; two seats have the circle method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from server.schedule.designs import FAMILIES, STARTERS

Points = tuple[int, ...]

FEW_TABLES = 100
"""If there are at most this many tables, they all make one round of a round-robin."""

STAR = "*"


@lru_cache(maxsize=64)
def season(bots: int, seats: int) -> list[list[Points]] | None:
    """Return rounds that seat everybody, with at most one bot sitting out, after which all pairs met equally often;
    None if unknown."""
    if bots == seats:
        return [[tuple(range(bots))]]
    row = circle(bots) if seats == 2 else STARTERS.get((seats, bots))
    return None if row is None else [list(tables) for tables in zip(*movements(row, bots), strict=True)]


@lru_cache(maxsize=64)
def all_meet_equally(bots: int, seats: int) -> list[Points] | None:
    """Return tables at which all pairs meet equally often, ordered so that all play about equally early; None if
    unknown."""
    if (seats, bots) not in FAMILIES:
        tables = list(combinations(range(bots), seats)) if comb(bots, seats) <= FEW_TABLES else None
        return tables and evenly(tables, len(tables))
    row = FAMILIES[seats, bots]
    tables = [table for group in movements(row, bots) for table in group]
    # Base block after base block; those with the star in between, or it would play all its blocks together.
    still = bots - 1 if STAR in row else None
    turning = [table for table in tables if still not in table]
    starred = [table for table in tables if still in table]
    places = [(place * len(starred), table) for place, table in enumerate(turning)]
    places += [(place * len(turning), table) for place, table in enumerate(starred)]
    return evenly([table for _, table in sorted(places, key=lambda item: item[0])], bots)


def circle(bots: int) -> str:
    """Return the first round of the circle method, as a row of designs.py."""
    turning = bots if bots % 2 else bots - 1
    pairs = [f"{point}-{turning - point}" for point in range(1, (turning + 1) // 2)]
    return " ".join(pairs if bots % 2 else [f"0-{STAR}", *pairs])


def movements(row: str, bots: int) -> list[list[Points]]:
    """Return all movements of each base block of a row."""
    turning = bots - 1 if STAR in row else bots
    groups = []
    for block in row.split():
        points, _, short = block.partition("/")
        base = [bots - 1 if point == STAR else int(point) for point in points.split("-")]
        groups.append(
            [
                tuple((point + by) % turning if point < turning else point for point in base)
                for by in range(int(short or turning))
            ]
        )
    return groups


def evenly(tables: Sequence[Points], ahead: int) -> list[Points]:
    """Return the tables in about the same order, but among the next few the one whose bots played least comes first."""
    waiting = list(tables)
    played: Counter[int] = Counter()
    order = []
    while waiting:
        near = waiting[:ahead]
        least = min(played[point] for table in near for point in table)
        chosen = min(near, key=lambda table: sum(4 ** (played[point] - least) for point in table))
        waiting.remove(chosen)
        played.update(chosen)
        order.append(chosen)
    return order
