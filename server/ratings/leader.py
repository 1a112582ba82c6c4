"""The result of a ladder in words: who is first, or who may be, and how many more blocks would tell.

**The forecast** (`blocks_to_tell`) must not take the lead of the bot that luck put first for a true one: then it comes
true in a fifth of events. So true strengths are drawn again and again from all that the ratings allow (likeness.py),
and with each the event is played on, with errors that become smaller as blocks are added, until one bot surely leads
all the others. Between the ends of the range lie 80 % of what was drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.ratings.fitted_ratings import FittedRatings
from server.ratings.likeness import find_likeness
from server.ratings.matches import Floats

NAMED = 4
"""If more bots may be first, only their number is named."""

FARTHEST = 20
"""A forecast of more times the blocks played so far is not given."""

DRAWS = 200
"""Futures that are drawn. With 200, an end of the range is known to a tenth or so."""

STEPS = 24
"""Numbers of blocks at which a future is looked at."""

HELD = 0.8
"""The share of futures that are in the range."""

SEEN = 24
"""The best bots that are looked at, where more may be first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlocksToTell:
    """How many more blocks it takes until one bot is surely first."""

    low: int
    high: int | None
    """None: perhaps more than FARTHEST times those played."""
    twice: float
    """The chance that as many blocks as were played so far, once more, are enough."""


def say_first(fitted: FittedRatings) -> str:
    """Say in one sentence who is first, or who may be."""
    if not fitted.matches:
        return "nothing was played yet"
    if fitted.groups > 1:
        return f"nobody can be called first: {fitted.groups} groups never met each other"
    may_be = [row.name for row in fitted.rows if row.group == 1 and row.rank_best == 1]
    if len(may_be) == 1:
        return f"{may_be[0]} is first"
    candidates = " or ".join(may_be) if len(may_be) <= NAMED else f"one of {len(may_be)} bots"
    return f"first is {candidates}; {_forecast(blocks_to_tell(fitted, may_be), FARTHEST * fitted.clusters)}"


def _forecast(more: BlocksToTell | None, farthest: int) -> str:
    if more is None:
        return f"they are so close that even {FARTHEST} times the blocks may not tell"
    if more.high is None:
        return f"between {rough(more.low)} and more than {rough(farthest)} more blocks would tell"
    return f"between {rough(more.low)} and {rough(more.high)} more blocks would tell"


def rough(number: int) -> str:
    """Format a number with two digits that count, in groups of three."""
    digits = max(0, int(math.log10(max(number, 1))) - 1)
    return f"{round(number, -digits):,}".replace(",", " ")


def blocks_to_tell(fitted: FittedRatings, may_be: Sequence[str]) -> BlocksToTell | None:
    """Forecast how many more blocks it takes until one of these is surely first; None if that cannot be said."""
    bots = [fitted.names.index(name) for name in may_be[:SEEN]]
    likeness = find_likeness(fitted, bots)
    luck = np.random.RandomState(0)  # its draws are promised to be the same in every version of numpy
    strengths = np.array([likeness.draw(luck) for _ in range(DRAWS)])
    factors = np.geomspace(1.0, 1.0 + FARTHEST, STEPS)
    told = _tell(likeness.ratings, likeness.variances, strengths, factors, fitted.criticals[0], luck)
    after = np.sort(np.append(factors, np.inf)[told] - 1) * fitted.clusters
    low, middle, high = (after[round(share * (DRAWS - 1))] for share in ((1 - HELD) / 2, 0.5, (1 + HELD) / 2))
    if math.isinf(middle):
        return None
    return BlocksToTell(
        low=max(1, math.ceil(low)),
        high=None if math.isinf(high) else max(1, math.ceil(high)),
        twice=float((after <= fitted.clusters).mean()),
    )


def _tell(
    ratings: Floats, variances: Floats, strengths: Floats, factors: Floats, critical: float, luck: np.random.RandomState
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return by draw the first of these multiples of the blocks at which one bot surely leads the others; else their
    count."""
    told = np.full(len(strengths), len(factors))
    total = np.tile(ratings, (len(strengths), 1))
    before = 1.0
    for step, factor in enumerate(factors):
        more = factor - before
        total = total + more * strengths + np.sqrt(more * variances) * luck.standard_normal(strengths.shape)
        seen = total / factor
        best = seen.argmax(axis=1)
        leads = seen.max(axis=1)[:, None] - seen
        needed = critical * np.sqrt((variances + variances[best][:, None]) / factor)
        sure = (leads >= needed).sum(axis=1) == len(ratings) - 1
        told = np.where(sure & (told == len(factors)) & (step > 0), step, told)
        before = factor
    return told
