"""What the results say of a field: every bot's strength, and how uncertain all strengths are together.

The model is that of the official ratings (docs/spec/ratings.md, section 3): Bradley-Terry with one virtual tie per bot
against the mean. Two things differ. There are no seat terms, since rotations and lots spread the seats evenly. And
**every machine computes the same numbers, to the last bit**: an event that is continued elsewhere must draw the same
tables. So only the four basic operations are used, element by element and in a fixed order: no function of the C
library, no sum whose order numpy may choose, and no linear algebra but that of exact_algebra.py.

A bot's total score and the numbers of meetings are all that Bradley-Terry needs, so a block's points suffice.

**What a game tells.** The covariance of all strengths is C, the inverse of the information. A further game of i and j
with expected score p adds p (1 - p) of information about their difference, and the sum of all variances falls by

    p (1 - p) |C (e_i - e_j)|^2 / (1 + p (1 - p) (C_ii + C_jj - 2 C_ij))

(the A-criterion of the design of experiments). It is largest between bots of equal strength, between bots of which
little is known, and between parts of the field that few games connect. C and its square follow each new game by a
rank-one update.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from server.schedule.exact_algebra import Floats, Ints, invert, product

ELO = 173.71779276130073
"""400 / ln 10: one unit of strength, in Elo."""

PRIOR = 1.0
"""Virtual ties of every bot against the mean."""

UNEQUAL = 2.0
"""A field counts as one of equals until its strengths scatter more than equals would show, by so many standard
errors."""

CAUTION = 1.5
"""After that a difference in strength counts as far as it exceeds this many standard errors,"""
CAUTION_PER_BIT = 0.3
"""or this many times the digits of the number of bots, in binary: of more bots, more look unequal by luck."""

MOST_STEPS = 30
LONGEST_STEP = 2.0
"""No step of the fit moves a bot further than this."""

_FARTHEST = 16
"""Larger differences count as this one."""
_FINENESS = 64
"""Places of the table below per unit of strength."""


def _table() -> tuple[Floats, Floats, Floats]:
    """Compute the weaker one's expected score by difference in strength, and Taylor's next two terms."""
    power, rows = 1.0, []
    for _ in range(_FARTHEST * _FINENESS + 1):
        value = 1.0 / (1.0 + power)
        slope = -value * (1.0 - value)
        rows.append((value, slope, -slope * (1.0 - 2.0 * value) / 2.0))
        power *= 1.0157477085866857  # exp(1 / 64), multiplied: a power function would be the C library's
    value_at, slope_at, bend_at = (np.array(column) for column in zip(*rows, strict=True))
    return value_at, slope_at, bend_at


_VALUE, _SLOPE, _BEND = _table()


def expected(leads: Floats) -> Floats:
    """Return the expected score of a bot that is stronger by this much, within 1e-6 of the formula."""
    gap = np.minimum(np.abs(leads), _FARTHEST)
    place = np.rint(gap * _FINENESS)
    rest = gap - place / _FINENESS
    at = place.astype(np.int64)
    weaker = _VALUE[at] + rest * (_SLOPE[at] + rest * _BEND[at])
    return np.asarray(np.where(leads > 0, 1.0 - weaker, weaker))


def add_up(rows: Floats) -> Floats:
    """Add up all rows, one after the other: `sum` would choose its own order."""
    return np.asarray(np.add.accumulate(rows, axis=0)[-1]) if len(rows) else np.zeros(0)


class FieldStrengths:
    """The strengths of a field and their covariance. Bots are numbers from 0 here."""

    def __init__(self, count: int) -> None:
        self.values = np.zeros(count)
        """Strengths in units of ELO, by the last fit."""
        self._weights = np.full((count, count), 0.25)
        self._covariance = np.zeros((count, count))
        self._squared = np.zeros((count, count))
        """The square of the covariance."""

    def fit(self, points: Floats, games: Floats, seats: int = 2) -> None:
        """Fit the likeliest strengths, by everybody's points in so many games with everybody else, at tables of so
        many seats."""
        values = self.values
        for _ in range(MOST_STEPS):
            share = expected(values[:, None] - values)
            pull = expected(values)
            gradient = points - add_up(games * share.T) + PRIOR * (0.5 - pull)
            errors = invert(_information(games, share * (1.0 - share), PRIOR * (pull * (1.0 - pull))))
            step = add_up(errors * gradient[:, None])
            longest = float(np.abs(step).max(initial=0.0))
            values = values + (step if longest <= LONGEST_STEP else step * (LONGEST_STEP / longest))
            if longest < 1e-6:
                break
        self.values = values
        # The games of one match scatter together, (seats + 1) / 3 times as much as the errors know: without that, a
        # hundred equals at tables of four needed 18 % more matches than a round-robin.
        share = expected(certain_leads(values[:, None] - values, _differences(errors) * ((seats + 1) / 3)))
        self._weights = share * (1.0 - share)

    def plan(self, games: Floats) -> None:
        """Take all these games as played or certain to be played: the covariance is that after them."""
        prior = np.full(len(self.values), PRIOR / 4)
        self._covariance = invert(_information(games, self._weights, prior))
        self._squared = product(self._covariance, self._covariance)

    def gains(self, bots: Sequence[int] | None = None) -> Floats:
        """Return, by pair of these bots, or of all, how much the sum of all variances falls with one more game of
        the two."""
        part = np.ix_(*2 * [range(len(self.values)) if bots is None else bots])
        weights = self._weights[part]
        apart = _differences(self._covariance[part])
        return np.asarray(weights * _differences(self._squared[part]) / (1.0 + weights * apart))

    def variances(self) -> Floats:
        """Return the variance of each strength, relative to the mean of the field."""
        # The mean itself is known only by the prior; it is the same for all and no game tells of it.
        mean = float(add_up(add_up(self._covariance))) / len(self.values) ** 2
        return np.asarray(np.diagonal(self._covariance) - mean)

    def add_games(self, bots: Sequence[int], count: int) -> None:
        """Take this many further games of each pair of a table as certain."""
        for place, bot in enumerate(bots):
            for other in bots[:place]:
                self._add(bot, other, count)

    def _add(self, bot: int, other: int, count: int) -> None:
        weight = float(self._weights[bot, other]) * count
        moved = self._covariance[bot] - self._covariance[other]
        further = self._squared[bot] - self._squared[other]
        factor = weight / (1.0 + weight * float(moved[bot] - moved[other]))
        length = float(further[bot] - further[other])
        self._covariance -= (factor * moved)[:, None] * moved
        both = moved[:, None] * further
        self._squared -= factor * (both + both.T)
        self._squared += (factor * factor * length * moved)[:, None] * moved


def certain_leads(leads: Floats, variances: Floats) -> Floats:
    """Return by pair how much of a difference in strength is beyond doubt, from its variance.

    If pairs that look unequal by luck met less often, the luck would stay in their ratings: among twenty equals,
    that cost 8 % more matches than a round-robin. So two doubts are asked. Is the field one of equals? Among equals
    the squares of all leads, in standard errors, are 1 on average, with a variance of 2 / (bots - 1). And is the
    pair? In a wide field there are equals too, to whom the same applies.
    """
    count = len(leads)
    certain = 1.0 / np.maximum(variances, 1e-9)
    np.fill_diagonal(certain, 0.0)
    squares = add_up(add_up(leads * leads * certain)) / max(count * (count - 1), 1)
    if count < 2 or squares <= 1.0 + UNEQUAL * np.sqrt(2.0 / (count - 1)):
        return np.zeros_like(leads)
    caution = max(CAUTION, CAUTION_PER_BIT * count.bit_length())
    return np.asarray(np.maximum(np.abs(leads) - caution * np.sqrt(np.maximum(variances, 0.0)), 0.0))


def count_games(games: Floats, tables: Sequence[Sequence[int]] | Ints, sign: int = 1) -> None:
    """Add a block of each of these tables to the games of every pair, or take it off."""
    at = np.array(tables, dtype=np.int64)
    for first, second in permutations(range(at.shape[-1] if len(at) else 0), 2):
        np.add.at(games, (at[:, first], at[:, second]), sign * at.shape[-1])


def _differences(matrix: Floats) -> Floats:
    """Return by pair the variance of the difference, from a matrix of covariances."""
    own = np.diagonal(matrix)
    return np.asarray(own[:, None] + own - (matrix + matrix.T))


def _information(games: Floats, weights: Floats, prior: Floats) -> Floats:
    each = games * weights
    information = -each
    np.fill_diagonal(information, add_up(each) + prior)
    return information
