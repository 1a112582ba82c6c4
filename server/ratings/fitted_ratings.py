"""Holds the result of a fit, as plain values: what the standings of a ladder are made of.

docs/spec/ratings.md, section 5. Whoever prints it shows no decimals below the size of the half-width, and claims no
rank but those of the rank ranges.

**Relative to what?** A rating and its plus and minus are relative to the same thing: the anchors, or where there are
none the mean of the group (scale.py). The doubt about a difference of two is in `FittedRatings.difference`, which knows
that their errors are correlated, and in `claims.chance_better`. Both are meant for pairs named beforehand: whoever
looks at the standings first and then asks about the pair at their top has let luck choose the pair.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.ratings.distributions import ELO, t_below, t_quantile
from server.ratings.matches import Floats, Ints
from server.ratings.scale import ScaleAnchor, fix_scale


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatRecord:
    """The results of a bot on one seat."""

    matches: int
    wins: float
    """A tie for the first rank is shared out."""

    @property
    def share(self) -> float:
        """Return the share of its matches won; 0 of none."""
        return self.wins / self.matches if self.matches else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingRow:
    """The rating of one bot."""

    name: str
    rating: float
    plus_minus: float
    """Half of the 95 % interval of the rating, relative to the scale. 0: the one anchor, whose rating is given.
    Infinite without a match, unless there is a former version to go by."""
    mean_plus_minus: float
    """Half of the interval relative to the mean of its group."""
    low: float
    """The lower end of the 95 % interval that is printed: `rating` less `plus_minus`. Minus infinity: the bot lost
    nearly everything, or what fixes the scale won nearly everything; then all that is said is "below `high`"."""
    high: float
    """The upper end of it; infinite likewise: "above `low`"."""
    rank_best: int
    rank_worst: int
    """The ranks in its group that cannot be excluded: all ranges of a ladder hold together, 95 times of 100."""
    surely_better_than: tuple[str, ...]
    """Those it leads by more than the largest error of any pair, the best first."""
    doubtful: tuple[str, ...]
    """Those of them of whom this holds only if strengths add up: they share hardly any opponents with it, or the
    results of the two depart from the fit (goodness.py)."""
    provisional: bool
    matches: int
    clusters: int
    opponents: int
    score: float
    """The mean share of the other seats that it beat, ties counting half."""
    seats: tuple[SeatRecord, ...]
    group: int
    """From 1; 0 without a match. Groups never met, not even through others: their numbers do not compare."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeatTerm:
    """The value of a seat, relative to the mean seat."""

    elo: float
    plus_minus: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """The record of one bot against another, over all matches where both sat."""

    first: str
    second: str
    games: int
    score: float
    """Mean score of the first; 1/2 without a game."""
    expected: float
    """Mean score expected by the fit."""
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
    """Departure in standard deviations."""
    variance: Floats
    """Variance of the sum of the scores, less the expected ones."""


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
class FittedRatings:
    """The official ratings of a ladder, and all that its standings say of them."""

    rows: tuple[RatingRow, ...]
    """By group, and within it the best first."""
    seats: tuple[SeatTerm, ...]
    flagged: tuple[Pair, ...]
    """Pairs that depart from the fit by more than 4 standard deviations: kingmaking, or cycles."""
    goodness: Goodness
    cycles: tuple[tuple[str, str, str], ...]
    """Triads in which each did better against the next than strengths allow, the clearest first."""
    method: str
    """Source of the errors: "cluster-robust", or "none" without a match."""
    anchors: tuple[ScaleAnchor, ...]
    """Bots that fix the scale; empty: the mean is 1000. Groups without anchors have their mean at 1000."""
    matches: int
    clusters: int
    groups: int
    names: tuple[str, ...]
    """Names in the order of the matrices below."""
    ratings: Floats
    covariance: Floats
    """Covariance of the ratings, in Elo squared, relative to the mean of each one's group."""
    degrees: float
    """Degrees of freedom of the covariance."""
    dispersion: float
    """How much more clusters scatter than independent pairs would."""
    pair_dispersion: float
    """How much more the score of a pair scatters over blocks than that of as many independent games."""
    deviations: Floats
    """The standard deviation of every difference of two."""
    criticals: tuple[float, ...]
    """By group, from 1: how many standard deviations a lead has to exceed to be sure."""
    information: Floats
    """By bot, how much its matches tell of it."""
    group_of: Ints
    pairs: Pairs

    def confidence(self, better: str, worse: str) -> float:
        """Return the confidence that the one is better than the other, by their difference and its error alone (Ordo's
        CFS); 1/2, that is none, if they share no scale."""
        i, j = self.names.index(better), self.names.index(worse)
        if self.group_of[i] != self.group_of[j] or self.group_of[i] == 0 or self.deviations[i, j] == 0:
            return 0.5
        return t_below(float((self.ratings[i] - self.ratings[j]) / self.deviations[i, j]), self.degrees)

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """Return by how much the first is rated above the second, and half of the 95 % interval; infinite: unknown."""
        i, j = self.names.index(first), self.names.index(second)
        if self.group_of[i] != self.group_of[j] or self.group_of[i] == 0:
            return 0.0, math.inf
        lead = float(self.ratings[i] - self.ratings[j])
        return lead, t_quantile(0.975, self.degrees) * float(self.deviations[i, j])

    def shift_from(self, pinned: Mapping[str, float]) -> float:
        """Return by how much the ratings of the first group are above those that other anchors would give."""
        played = np.array([self.group_of[i] > 0 for i in range(len(self.names))]).astype(np.int64)
        other = fix_scale(self.names, self.ratings / ELO, self.information, self.group_of, played, pinned)
        return -float(other.offsets[np.flatnonzero(self.group_of == 1)[0]])

    def sure(self) -> NDArray[np.bool_]:
        """Return who is surely better than whom: a row is the better one, a column the worse one."""
        leads = self.ratings[:, None] - self.ratings[None, :]
        needed = np.array([0.0, *self.criticals])[self.group_of][:, None] * self.deviations
        same_scale = (self.group_of[:, None] == self.group_of[None, :]) & (self.group_of > 0)
        return np.asarray(same_scale & (leads > 0) & (leads >= needed))

    def pair(self, first: str, second: str) -> Pair:
        """Return what the first did against the second."""
        place = self.names.index(first), self.names.index(second)
        return Pair(
            first=first,
            second=second,
            games=int(self.pairs.games[place]),
            score=float(self.pairs.score[place]),
            expected=float(self.pairs.expected[place]),
            residual=float(self.pairs.residual[place]),
        )
