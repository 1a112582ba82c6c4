"""Starting ratings: what a season knows of its bots before the first match.

A season may begin with the ratings of the last one, shrunk towards their mean. How sure is such a number? We take
strengths to wander from season to season as a first-order autoregression that keeps their spread: next = shrink * last
+ noise, with the noise as wide as it takes for the spread to stay (tau). So a bot that was rated `r` with a standard
deviation `d` starts at mean + shrink * (r - mean), with the variance

    shrink^2 * d^2  +  (1 - shrink^2) * tau^2

tau^2 is the variance of the last ratings less that of their errors. With shrink 1 nothing changed between the seasons,
and a rating is as sure as it was; with 0 a bot is one of its kind, and nothing more is known of it.

**In the fit** a starting rating is a number of virtual ties (bradley_terry.py) against the strength it says, as many as
tell as much as its variance does: 4 / variance, in natural units. Two hundred Elo of doubt are 3 ties, one hundred are
12, so a few dozen matches outweigh them. Only differences between starting ratings matter: they say nothing about where
the mean of the new season is, which newcomers move.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from server.ratings.distributions import ELO
from server.ratings.fitted_ratings import FittedRatings

VERSION_DEVIATION = 2 * ELO / math.sqrt(0.75)
"""How much a new version may differ from the one before it: the doubt of three quarters of a virtual tie, as within
a season (fit.PRIOR)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """What is known of a bot before its first match."""

    rating: float
    deviation: float
    """One standard deviation, in Elo."""

    @property
    def ties(self) -> float:
        """Return how many virtual ties it counts as in the fit."""
        return 4.0 * (ELO / self.deviation) ** 2

    def of_new_version(self) -> Start:
        """Return the start of another version of the bot: same rating, more doubt."""
        return Start(rating=self.rating, deviation=math.hypot(self.deviation, VERSION_DEVIATION))


MEAN = 1000.0
"""The mean of all starting ratings of a ladder."""
LEAST_SPREAD = 50.0
"""Bots are not taken to be more alike than this, in Elo: a handful that happens to be level says little."""
LEAST_DEVIATION = 5.0
"""No starting rating is surer than this, in Elo."""


def shrink_ratings(fitted: FittedRatings, shrink: float) -> dict[str, Start]:
    """Return the starts of a table's bots for the next season. Those who never met the first group start unknown."""
    if not 0.0 <= shrink <= 1.0:
        raise ValueError(f"shrink is {shrink}, expected 0 to 1")
    first = np.flatnonzero(fitted.group_of == 1)
    if len(first) < 2:
        return {}
    ratings, errors = fitted.ratings[first], np.maximum(np.diag(fitted.covariance)[first], 0.0)
    mean = ratings.mean()
    spread = max(float(ratings.var(ddof=1) - errors.mean()), LEAST_SPREAD**2)
    variances = shrink**2 * errors + (1.0 - shrink**2) * spread
    deviations = np.maximum(np.sqrt(variances), LEAST_DEVIATION)
    return {
        fitted.names[number]: Start(rating=MEAN + shrink * float(rating - mean), deviation=float(deviation))
        for number, rating, deviation in zip(first, ratings, deviations, strict=True)
    }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Prior:
    """Starting ratings as the model takes them: by bot, in natural units. Zero ties: the bot has none."""

    strengths: np.ndarray[tuple[int], np.dtype[np.float64]]
    ties: np.ndarray[tuple[int], np.dtype[np.float64]]


def make_prior(names: list[str], starts: Mapping[str, Start]) -> Prior | None:
    """Make the prior of a fit. None where fewer than two bots have a starting rating: one alone says nothing."""
    known = [starts.get(name) for name in names]
    if sum(start is not None for start in known) < 2:
        return None
    return Prior(
        strengths=np.array([start.rating / ELO if start else 0.0 for start in known]),
        ties=np.array([start.ties if start else 0.0 for start in known]),
    )
