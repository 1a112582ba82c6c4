"""Bots that win or lose nearly everything: of them the matches tell one end only, "above 1640".

A rating is an estimate, and a virtual tie keeps it finite: of a bot 1 200 Elo from all others it is hundreds too near
to them, and no width of ± on both sides mends that. So where fewer than FEW independent games went the other way, only
the near end of the interval is said: the strength at which so few games, or fewer, go the other way in 2.5 % of cases.
That is a score test with the variance of *that* strength, as in Wilson's interval, and as much wider as clusters
scatter more than independent games do.

Opponents are taken where they were rated; how sure their ratings are, relative to the scale, is added. If the bot that
alone fixes the scale is such a bot, then all others are known from one side only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from server.ratings.distributions import ELO
from server.ratings.fitted_ratings import Pairs
from server.ratings.matches import Floats

FEW = 2.5
"""With at least so many independent games won and lost, an interval has two ends."""

NEARLY = 0.1
"""Who has a larger share of games that went the other way does not win or lose nearly everything."""


def open_ends(
    ratings: Floats,
    halves: Floats,
    pairs: Pairs,
    *,
    covariance: Floats,
    scale: Floats,
    half: float,
    dispersion: float,
    settled: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Return both ends of all intervals, infinite where nothing is known.

    `halves` are half the intervals, as far as they have two ends; `scale` has by bot (row) what its rating is relative
    to; `half` is the t value; who is `settled` has a starting rating, and so two ends.
    """
    low, high = ratings - halves, ratings + halves
    spreads = max(1.0, dispersion)
    games = pairs.games
    points = (games * pairs.score).sum(axis=1)
    played = games.sum(axis=1)
    others = np.minimum(points, played - points)
    extreme = (played > 0) & (others < np.minimum(FEW * spreads, NEARLY * played)) & ~settled
    for bot in np.flatnonzero(extreme):
        upwards = bool(2 * points[bot] > played[bot])
        near = _near_end(ratings / ELO, games[bot], float(others[bot]), spreads, half, upwards=upwards) * ELO
        reach = max(0.0, float(ratings[bot] - near) * (1 if upwards else -1))
        weights = games[bot] / played[bot]
        if scale[bot, bot] == 1:  # it fixes the scale: its rating is given
            for mate in np.flatnonzero((scale[:, bot] == 1) & (np.arange(len(ratings)) != bot)):
                doubt = _deviation(covariance, weights - np.eye(len(ratings))[mate]) * half
                if upwards:
                    low[mate], high[mate] = -np.inf, ratings[mate] + np.hypot(reach, doubt)
                else:
                    low[mate], high[mate] = ratings[mate] - np.hypot(reach, doubt), np.inf
            continue
        if scale[bot].max() == 1 and extreme[np.argmax(scale[bot])]:
            continue
        width = np.hypot(reach, _deviation(covariance, weights - scale[bot]) * half)
        low[bot], high[bot] = (ratings[bot] - width, np.inf) if upwards else (-np.inf, ratings[bot] + width)
    return low, high


def _deviation(covariance: Floats, weights: Floats) -> float:
    return math.sqrt(max(0.0, float(weights @ covariance @ weights)))


def _near_end(strengths: Floats, games: Floats, others: float, spreads: float, half: float, *, upwards: bool) -> float:
    """Return the strength at which more than so few games are expected to go the other way, by `half` deviations."""
    sign = 1.0 if upwards else -1.0
    low, high = -30.0, 30.0
    ahead = sign * strengths
    low, high = low + float(ahead.min()), high + float(ahead.max())
    for _ in range(60):
        middle = (low + high) / 2
        share = 1 / (1 + np.exp(np.clip(middle - ahead, -500, 500)))
        expected, variance = float(games @ share), float(games @ (share * (1 - share)))
        if expected - others > half * np.sqrt(spreads * variance):
            low = middle
        else:
            high = middle
    return sign * (low + high) / 2
