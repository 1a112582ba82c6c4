"""The result in words: who is first, or who may be, and how many more blocks would tell."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from server.ratings.table import RatingTable

NAMED = 4
"""With more bots that may be first, only their number is told."""

FARTHEST = 20
"""A forecast of more times the blocks played so far is no forecast."""


def say_first(table: RatingTable) -> str:
    """One sentence."""
    if not table.matches:
        return "nothing was played yet"
    if table.groups > 1:
        return f"nobody can be called first: {table.groups} groups never met each other"
    may_be = [row.name for row in table.rows if row.group == 1 and row.rank_best == 1]
    if len(may_be) == 1:
        return f"{may_be[0]} is first"
    told = " or ".join(may_be) if len(may_be) <= NAMED else f"one of {len(may_be)} bots"
    return f"first is {told}; {_forecast(table, may_be)}"


def _forecast(table: RatingTable, may_be: Sequence[str]) -> str:
    """How many more blocks would tell the leader from the others, if it leads by what it seems to."""
    more = blocks_to_tell(table, may_be)
    if more is None:
        return "they are so close that no forecast can be made"
    if more > FARTHEST * table.clusters:
        return f"they are so close that even {FARTHEST} times the blocks may not tell"
    digits = max(0, int(math.log10(more)) - 1)
    return f"about {round(more, -digits):,} more blocks would tell".replace(",", " ")


def blocks_to_tell(table: RatingTable, may_be: Sequence[str]) -> int | None:
    """Blocks until the first of these surely leads all the others; None if one of them has the same rating."""
    first, *others = (table.names.index(name) for name in may_be)
    leads = table.ratings[first] - table.ratings[others]
    if leads.min() <= 0:
        return None
    needed = (table.criticals[0] * table.deviations[first, others] / leads) ** 2
    return max(1, math.ceil(table.clusters * float(np.max(needed - 1))))
