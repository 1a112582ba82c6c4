"""What a rating table can claim: who is surely better than whom, how likely one is better than the
other, and who leads.

docs/spec/ratings.md, section 3.

**All pairs at once** (`critical_value`), so that all such claims of a table hold together 95 times of 100. Each pair
has its own 95 % interval, but among six equal bots there are fifteen of them, and in two events of five some pair would
look settled. So the largest error of any pair is what counts (max-t): its distribution is simulated from the covariance
of the ratings, with the degrees of freedom that the covariance itself is known by. A lead has to exceed it.

**Two bots that were named beforehand** (`chance_better`): by their ratings, the errors of these, and what the bots near
them are like (likeness.py). `FittedRatings.confidence`, which knows only the difference and its error, is what Ordo
prints.

Who is first, in words, is said in leader.py.
"""

from __future__ import annotations

import numpy as np

from server.ratings.distributions import t_quantile
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.likeness import find_likeness
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


def chance_better(fitted: FittedRatings, better: str, worse: str) -> float:
    """Return the chance that one bot is better than the other; 1/2, that is nothing known, if they share no scale."""
    this, other = fitted.names.index(better), fitted.names.index(worse)
    if this == other or fitted.group_of[this] != fitted.group_of[other] or fitted.group_of[this] == 0:
        return 0.5
    return find_likeness(fitted, (this, other)).chance_above(fitted, this, other)
