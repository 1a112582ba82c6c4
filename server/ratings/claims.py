"""What a rating table can claim: who is surely better than whom, how likely one is better than the
other, and who leads.

docs/spec/ratings.md, section 3.

**All pairs at once** (`critical_value`), so that all such claims of a table hold together 95 times of 100. Each pair
has its own 95 % interval, but among six equal bots there are fifteen of them, and in two events of five some pair would
look settled. So the largest error of any pair is what counts (max-t): its distribution is simulated from the covariance
of the ratings, with the degrees of freedom that the covariance itself is known by. A lead has to exceed it.

**Two bots that were named beforehand** (`chance_better`). The error of a difference alone does not say: where all bots
are nearly alike, a lead of one standard error is mostly luck; where they lie far apart, it is mostly strength. So the
strengths are taken to scatter normally around their mean, by a spread that is itself estimated from the table:

- every spread counts by how well it explains all ratings, given their errors, and by a half-Cauchy prior around
  TYPICAL_SPREAD. That prior matters in tables of a few bots, which say little about their spread, and hardly elsewhere;
- given a spread, the ratings shrink towards their mean by as much as they are uncertain, and the chance that the one is
  above the other follows.

`FittedRatings.confidence` is the limit of an infinite spread, which is what Ordo prints.

**The result in words** (`say_first`): who is first, or who may be, and how many more blocks would tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from server.ratings.distributions import t_below, t_quantile
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.matches import Floats

LEVEL = 0.95

UNREACHED = 1e100
"""A critical value that no lead exceeds."""

MOST_DRAWS, FEWEST_DRAWS = 5000, 1000

_WORK = 100_000_000
"""Number of differences looked at in all: with hundreds of bots there are fewer draws."""

_AT_ONCE = 50_000
"""Number of differences held at a time: they stay in the processor's cache."""


def critical_value(covariance: Floats, degrees: float) -> float:
    """Return how many standard deviations the largest error of any difference stays below, with the confidence
    LEVEL."""
    count = len(covariance)
    if count < 3:
        return t_quantile((1 + LEVEL) / 2, degrees)
    values, vectors = np.linalg.eigh(covariance)
    factor = vectors * np.sqrt(np.maximum(values, 0))
    deviations = pair_deviations(covariance)
    scale = np.where(deviations > 0, 1 / np.where(deviations > 0, deviations, 1), 0)
    draws = int(np.clip(_WORK // count**2, FEWEST_DRAWS, MOST_DRAWS))
    luck = np.random.RandomState(0)  # its draws are promised to be the same in every version of numpy
    errors = luck.standard_normal((draws, count)) @ factor.T
    errors /= np.sqrt(luck.chisquare(degrees, size=draws) / degrees)[:, None]
    step = max(1, _AT_ONCE // count)
    largest = [_largest_error(errors[start : start + step].T.copy(), scale) for start in range(0, draws, step)]
    return float(np.quantile(np.concatenate(largest), LEVEL))


def _largest_error(errors: Floats, scale: Floats) -> Floats:
    """Return by draw the largest difference of any two bots: a row of `errors` is a bot, a column a draw."""
    largest = np.zeros(errors.shape[1])
    for bot in range(len(errors) - 1):
        lead = errors[bot + 1 :] - errors[bot]
        np.abs(lead, out=lead)
        lead *= scale[bot + 1 :, bot, None]
        np.maximum(largest, lead.max(axis=0), out=largest)
    return largest


def pair_deviations(covariance: Floats) -> Floats:
    """Return the standard deviation of the difference of every pair."""
    own = np.diag(covariance)
    return np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0))


TYPICAL_SPREAD = 200.0
"""Median of all spreads before any match is played, in Elo."""

SPREADS = 100
"""Number of spreads that are tried, each as likely beforehand as any other."""


def chance_better(fitted: FittedRatings, better: str, worse: str) -> float:
    """Return the chance that one bot is better than the other; 1/2, that is nothing known, if they share no scale."""
    this, other = fitted.names.index(better), fitted.names.index(worse)
    if this == other or fitted.group_of[this] != fitted.group_of[other] or fitted.group_of[this] == 0:
        return 0.5
    group = np.flatnonzero(fitted.group_of == fitted.group_of[this])
    errors = fitted.covariance[np.ix_(group, group)]
    # Along its axes every error is independent. The mean says nothing: made the longest axis, it is left out.
    variances, axes = np.linalg.eigh(errors + 1.0 + 2.0 * np.trace(errors))
    variances, axes = np.maximum(variances[:-1], 1e-9), axes[:, :-1]
    seen = axes.T @ (fitted.ratings[group] - fitted.ratings[group].mean())
    pair = axes[group == this][0] - axes[group == other][0]
    spreads = TYPICAL_SPREAD * np.tan(np.pi / 2 * (np.arange(SPREADS) + 0.5) / SPREADS)
    both = spreads[:, None] ** 2 + variances
    fits = -0.5 * (np.log(both) + seen**2 / both).sum(axis=1)
    shrunk = spreads[:, None] ** 2 / both
    leads, doubts = shrunk @ (pair * seen), np.sqrt(shrunk @ (pair**2 * variances))
    chances = [t_below(float(lead), fitted.degrees) for lead in leads / doubts]
    return float(np.average(chances, weights=np.exp(fits - fits.max())))


NAMED = 4
"""If more bots may be first, only their number is named."""

FARTHEST = 20
"""A forecast of more times the blocks played so far is not given."""


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
    return f"first is {candidates}; {_forecast(fitted, may_be)}"


def _forecast(fitted: FittedRatings, may_be: Sequence[str]) -> str:
    """Say how many more blocks would tell the leader from the others, if it leads by what it seems to."""
    more = blocks_to_tell(fitted, may_be)
    if more is None:
        return "they are so close that no forecast can be made"
    if more > FARTHEST * fitted.clusters:
        return f"they are so close that even {FARTHEST} times the blocks may not tell"
    digits = max(0, int(math.log10(more)) - 1)
    return f"about {round(more, -digits):,} more blocks would tell".replace(",", " ")


def blocks_to_tell(fitted: FittedRatings, may_be: Sequence[str]) -> int | None:
    """Return how many blocks it takes until the first of these surely leads all the others; None if one of them has
    the same rating."""
    first, *others = (fitted.names.index(name) for name in may_be)
    leads = fitted.ratings[first] - fitted.ratings[others]
    if leads.min() <= 0:
        return None
    needed = (fitted.criticals[0] * fitted.deviations[first, others] / leads) ** 2
    return max(1, math.ceil(fitted.clusters * float(np.max(needed - 1))))
