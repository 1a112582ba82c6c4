"""What bots are like, taken together: groups of bots that are nearly alike, and the strengths that follow from that.

The error of a rating alone does not say how strong a bot is: where all bots are nearly alike, a lead of one standard
error is mostly luck; where they lie far apart, it is mostly strength. So strengths are taken to scatter around the
middle of a group, by a spread that is itself estimated. Groups are stretches of the ranking: one bot far below the
others is a group of its own and says nothing of how far the others are apart, and neither does another camp.

Every way to cut the ranking into groups counts by how well it explains the ratings, given their errors: all groups of a
way are as likely as their ratings are with any middle (normal, MIDDLES wide) and any spread (half-Cauchy around
TYPICAL_SPREAD), and a cut has a chance of CUT. Sums over all ways take no more than all stretches (forward and
backward, as in a hidden Markov model). Given group and spread, ratings shrink towards the middle by as much as they are
uncertain.

Errors count as independent of each other, with the variances that explain the errors of all differences best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.ratings.distributions import t_below
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.matches import Floats, Ints

TYPICAL_SPREAD = 30.0
"""Median of all spreads of a group before any match is played, in Elo. The prior has a heavy tail: a field that is wide
says so itself, and then this number matters little."""

SPREADS = 40
"""Number of spreads that are tried, each as likely beforehand as any other."""

MIDDLES = 600.0
"""How far the middles of groups scatter beforehand, in Elo."""

CUT = 0.03
"""The chance that two neighbours in the ranking belong to two groups, before any match is played."""

NEIGHBOURS = 16
"""So many bots on either side of those in question are looked at: the others say little of them, and take time."""

_NEGLIGIBLE = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Likeness:
    """All ways to cut a ranking into groups, with their chances."""

    order: Ints
    """The bots by rating, the lowest first, as numbers of the fit."""
    ratings: Floats
    variances: Floats
    """Of their errors."""
    spreads: Floats
    stretches: Floats
    """By first bot, bot after the last, and spread: the logarithm of how likely the ratings of a group are."""
    forward: Floats
    """By bot: the logarithm of how likely all ratings below it are, if a group begins with it."""

    def chance_above(self, fitted: FittedRatings, better: int, worse: int) -> float:
        """Return the chance that one bot is stronger than another; numbers of the fit."""
        this, other = (int(np.flatnonzero(self.order == bot)[0]) for bot in (better, worse))
        first, last = min(this, other), max(this, other)
        lead = float(fitted.ratings[better] - fitted.ratings[worse])
        deviation = float(fitted.deviations[better, worse])
        if deviation == 0:
            return 0.5
        # The errors of these two are known better than by two variances.
        scale = deviation**2 / float(self.variances[this] + self.variances[other])
        backward = self._backward()
        weights = np.exp(
            self.forward[: first + 1, None, None]
            + self.stretches[: first + 1, last + 1 :]
            + backward[None, last + 1 :, None]
            - self.forward[-1]
        )
        together = float(weights.sum())
        chance = max(0.0, 1 - together) * t_below(lead / deviation, fitted.degrees)
        for begin, end, number in np.argwhere(weights > _NEGLIGIBLE).tolist():
            stretch = slice(begin, last + 1 + end)
            chance += float(weights[begin, end, number]) * t_below(
                self._shrunken(stretch, float(self.spreads[number]), this, other, scale), fitted.degrees
            )
        return chance / (max(0.0, 1 - together) + float(weights[weights > _NEGLIGIBLE].sum()))

    def _shrunken(self, stretch: slice, spread: float, this: int, other: int, scale: float) -> float:
        """Return by how many of its deviations one bot leads another of its group."""
        precision = 1 / (spread**2 + self.variances[stretch])
        middle = float(precision @ self.ratings[stretch]) / float(precision.sum())
        own, its = (spread**2 / (spread**2 + scale * float(self.variances[bot])) for bot in (this, other))
        lead = own * (self.ratings[this] - middle) - its * (self.ratings[other] - middle)
        doubt = scale * float(own * self.variances[this] + its * self.variances[other])
        return float(lead) / math.sqrt(doubt + (own - its) ** 2 / float(precision.sum()))

    def _backward(self) -> Floats:
        """Return by bot the logarithm of how likely all ratings from it on are, if a group begins with it."""
        count, whole = len(self.order), _log_sum(self.stretches)
        backward = np.full(count + 1, -math.inf)
        backward[count] = 0.0
        for first in range(count - 1, -1, -1):
            backward[first] = _log_sum(whole[first, first + 1 :] + backward[first + 1 :])
        return backward

    def draw(self, luck: np.random.RandomState) -> Floats:
        """Draw true strengths, in the order of the ranking."""
        strengths = np.empty(len(self.order))
        end, whole = len(self.order), _log_sum(self.stretches)
        while end:
            first = _choose(luck, self.forward[:end] + whole[:end, end])
            spread = float(self.spreads[_choose(luck, self.stretches[first, end])])
            stretch = slice(first, end)
            precision = 1 / (spread**2 + self.variances[stretch])
            middle = float(precision @ self.ratings[stretch]) / float(precision.sum())
            middle += luck.standard_normal() / math.sqrt(float(precision.sum()))
            kept = spread**2 * precision
            mean = middle + kept * (self.ratings[stretch] - middle)
            strengths[stretch] = mean + np.sqrt(kept * self.variances[stretch]) * luck.standard_normal(end - first)
            end = first
        return strengths


def find_likeness(fitted: FittedRatings, bots: Sequence[int]) -> Likeness:
    """Look at some bots of one group of the fit, and at their neighbours in the ranking."""
    group = np.flatnonzero(fitted.group_of == fitted.group_of[bots[0]])
    ranking = group[np.argsort(fitted.ratings[group], kind="stable")]
    places = np.flatnonzero(np.isin(ranking, bots))
    near = (np.abs(np.arange(len(ranking))[:, None] - places) <= NEIGHBOURS).any(axis=1)
    variances = error_variances(fitted.deviations[np.ix_(ranking, ranking)])[near]
    order = ranking[near]
    spreads = TYPICAL_SPREAD * np.tan(np.pi / 2 * (np.arange(SPREADS) + 0.5) / SPREADS)
    ratings = fitted.ratings[order] - fitted.ratings[order].mean()
    stretches = _weigh_stretches(ratings, variances, spreads)
    whole = _log_sum(stretches)
    forward = np.full(len(order) + 1, -math.inf)
    forward[0] = 0.0
    for end in range(1, len(order) + 1):
        forward[end] = _log_sum(forward[:end] + whole[:end, end])
    return Likeness(
        order=order, ratings=ratings, variances=variances, spreads=spreads, stretches=stretches, forward=forward
    )


def error_variances(deviations: Floats) -> Floats:
    """Return the variances of independent errors whose differences scatter like these, by least squares."""
    count, squares = len(deviations), deviations**2
    if count < 3:
        return np.full(count, squares.max(initial=0.0) / 2 + 1e-9)
    whole = squares.sum() / (2 * (count - 1))
    return np.asarray(np.maximum((squares.sum(axis=1) - whole) / (count - 2), squares.max() * 1e-6 + 1e-9))


def _weigh_stretches(ratings: Floats, variances: Floats, spreads: Floats) -> Floats:
    """Return by first bot, bot after the last, and spread how likely the ratings between are, as logarithms."""
    count = len(ratings)
    precision = 1 / (spreads**2 + variances[:, None])
    sums = [
        np.concatenate([np.zeros((1, len(spreads))), column.cumsum(axis=0)])
        for column in (precision, precision * ratings[:, None], precision * ratings[:, None] ** 2, np.log(precision))
    ]
    p, px, pxx, logs = (column[None] - column[:, None] for column in sums)
    whole = np.maximum(p, 0.0) + 1 / MIDDLES**2
    likely = logs / 2 - (pxx - px**2 / whole) / 2 - np.log(whole * MIDDLES**2) / 2 - math.log(len(spreads))
    firsts, ends = np.indices((count + 1, count + 1))
    inside = ends - firsts - 1
    prior = inside * math.log1p(-CUT) + np.where(firsts > 0, math.log(CUT), 0.0)
    return np.where((inside >= 0)[..., None], likely + prior[..., None], -math.inf)


def _log_sum(values: Floats) -> Floats:
    """Add up logarithms of numbers, over the last axis."""
    most = values.max(axis=-1)
    safe = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(values - safe[..., None]).sum(axis=-1)))


def _choose(luck: np.random.RandomState, weights: Floats) -> int:
    """Draw a place, given the logarithms of the weights."""
    sums = np.exp(weights - weights.max()).cumsum()
    return int(min(np.searchsorted(sums, luck.random_sample() * sums[-1], side="right"), len(sums) - 1))
