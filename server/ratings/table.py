"""The official table: the result of a fit, as plain values.

docs/spec/ratings.md, section 5. Whoever prints it shows no decimals below the size of the half-width, and
claims no rank under a confidence of 97.5 %.

**Relative to what?** Every error is relative to the mean of the bot's group. The anchor fixes the numbers, not the
errors: the anchor too has its plus and minus. The doubt about a difference of two is in
`RatingTable.confidence`, which knows that their errors are correlated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from server.ratings.matches import Floats, Ints
from server.ratings.tails import normal_below


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatRecord:
    """What a bot did on one seat."""

    matches: int
    wins: float
    """A tie for the first rank is shared out."""

    @property
    def share(self) -> float:
        """The share of its matches won; 0 of none."""
        return self.wins / self.matches if self.matches else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingRow:
    """One bot."""

    name: str
    rating: float
    plus_minus: float
    """Half of the 95 % interval; infinite without a match."""
    rank_best: int
    rank_worst: int
    """The ranks in its group that cannot be excluded with a confidence of 97.5 %."""
    cfs_next: float | None
    """The confidence of being better than the next row of the group; None at its end."""
    provisional: bool
    matches: int
    clusters: int
    opponents: int
    score: float
    """The mean share of the other seats that it beat, ties counting half."""
    seats: tuple[SeatRecord, ...]
    group: int
    """From 1; 0 without a match. Groups never met, not even through others: their numbers do not compare."""

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.rating - self.plus_minus

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.rating + self.plus_minus


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatTerm:
    """What a seat is worth, relative to the mean seat."""

    elo: float
    plus_minus: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """What one bot did against another, over all matches where both sat."""

    first: str
    second: str
    games: int
    score: float
    """The mean of the first; 1/2 without a game."""
    expected: float
    """The same by the fit."""
    residual: float
    """Score less expected, in standard deviations of what chance and the fit leave open."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Pairs:
    """By pair of bots: a row is the one, a column the other."""

    games: Floats
    score: Floats
    """The mean; 1/2 without a game."""
    expected: Floats
    residual: Floats
    """In standard deviations."""
    variance: Floats
    """Of the sum of the scores, less the expected ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Goodness:
    """Whether one number per bot can explain who beats whom."""

    chi_square: float
    degrees: int
    p_value: float | None
    """The chance of departures this large if the model holds; None without a degree of freedom."""
    departure: float
    """The typical departure of a pair's score from the fit beyond chance: 0.05 is 5 of 100 games."""
    warning: str | None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RatingTable:
    """A ladder's official table."""

    rows: tuple[RatingRow, ...]
    """By group, and within it the best first."""
    seats: tuple[SeatTerm, ...]
    flagged: tuple[Pair, ...]
    """Pairs that depart from the fit by more than 4 standard deviations: kingmaking, or cycles."""
    goodness: Goodness
    method: str
    """Where the errors come from: "cluster-robust", "block bootstrap", or "none" without a match."""
    anchor: str | None
    """The bot that is 1000; None: the mean of the group is. Groups without the anchor have their mean at 1000."""
    matches: int
    clusters: int
    groups: int
    names: tuple[str, ...]
    """In the order of the matrices below."""
    ratings: Floats
    covariance: Floats
    """Of the ratings, in Elo squared, relative to the mean of each one's group."""
    group_of: Ints
    pairs: Pairs

    def confidence(self, better: str, worse: str) -> float:
        """The confidence (CFS) that the one is better than the other; 1/2, that is none, if they share no scale."""
        i, j = self.names.index(better), self.names.index(worse)
        spread = math.sqrt(max(self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j], 0))
        if self.group_of[i] != self.group_of[j] or self.group_of[i] == 0 or spread == 0:
            return 0.5
        return normal_below((self.ratings[i] - self.ratings[j]) / spread)

    def confidences(self) -> Floats:
        """The same for all: a row is the better one, a column the worse one."""
        own = np.diag(self.covariance)
        spread = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * self.covariance, 0))
        leads = self.ratings[:, None] - self.ratings[None, :]
        same_scale = (self.group_of[:, None] == self.group_of[None, :]) & (self.group_of > 0) & (spread > 0)
        sigmas = np.where(same_scale, leads / np.where(spread > 0, spread, 1), 0)
        return np.array([[normal_below(z) for z in row] for row in sigmas.tolist()]).reshape(spread.shape)

    def pair(self, first: str, second: str) -> Pair:
        """What the first did against the second."""
        place = self.names.index(first), self.names.index(second)
        return Pair(
            first=first,
            second=second,
            games=int(self.pairs.games[place]),
            score=float(self.pairs.score[place]),
            expected=float(self.pairs.expected[place]),
            residual=float(self.pairs.residual[place]),
        )
