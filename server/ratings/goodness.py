"""Does one number per bot explain who beats whom?

docs/spec/ratings.md, sections 4 and 5. Every pair's score is compared with what the fit expects of it, in standard
deviations. A few large departures are pairs to look at: kingmaking, or a bot that exploits another. Departures
everywhere mean cycles, like scissors, paper, stone: the order of the table then means less than it seems.

The deviation of a pair is the one that is left *after* the fit, from the clusters themselves (spread.py): the ranks of
one match contain no cycles, so in 3 to 5 seats pairs scatter around the fit far less than independent games would, and
a plain chi-square would be blind. Half a game is added, so that rare results against the odds raise no false alarm.

**Cycles** are looked for by triads: around three bots, what the scores of the three pairs say of the differences has to
add up to nothing. That is one number for each triad, and it notices scissors, paper, stone long before the sum over all
pairs does. **Doubtful** is a claim about two bots of such a triad, or of a flagged pair, or that share hardly any
opponents: it holds only if strengths add up from one opponent to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from server.ratings.bradley_terry import BradleyTerry, FittedModel
from server.ratings.distributions import chi_square_above
from server.ratings.fitted_ratings import Goodness, Pairs
from server.ratings.matches import Floats, total

FLAGGED = 4.0
"""A pair that departs by more standard deviations is flagged."""

UNLIKELY, NOTABLE = 0.001, 0.02
"""A warning needs both: departures this unlikely, and this large. Among enough matches the first alone means little."""

_SLACK = 0.25

ALARM = 0.01
"""The chance that any triad at all is called a cycle where there is none."""

TELLING = 1.0
"""A pair counts in a triad if it has so many times the variance of a game."""

MOST_TRIADS = 60
"""Triads are looked for among so many bots, those with the most games."""

SHARED = 0.1
"""Two bots share hardly any opponents if less than this part of the games of either was against the same ones."""


def compare_pairs(model: BradleyTerry, fitted: FittedModel, variance: Floats) -> Pairs:
    """Set every pair's score beside the expected one; `variance` is that of spread.py, for the lower number first."""
    n, cells = model.bot_count, model.cells
    shape = (n, n)

    def both_ways(first: Floats, second: Floats) -> Floats:
        there = total(cells.first * n + cells.second, first, n * n).reshape(shape)
        back = total(cells.second * n + cells.first, second, n * n).reshape(shape)
        return there + back

    hopes = cells.games * model.expected(fitted.values)
    games = both_ways(cells.games, cells.games)
    points = both_ways(cells.score, cells.games - cells.score)
    hoped = both_ways(hopes, cells.games - hopes)
    met = games > 0
    least = np.where(met, games, 1)
    whole = np.where(met, variance + variance.T + _SLACK, 1)
    return Pairs(
        games=games,
        score=np.where(met, points / least, 0.5),
        expected=np.where(met, hoped / least, 0.5),
        residual=(points - hoped) / np.sqrt(whole),
        variance=np.where(met, whole, 0),
    )


def flag_pairs(pairs: Pairs) -> list[tuple[int, int]]:
    """Return the pairs to look at, the bot that did better than expected first; the worst departure comes first."""
    places = np.argwhere(pairs.residual > FLAGGED)
    return sorted(((int(i), int(j)) for i, j in places), key=lambda pair: (-pairs.residual[pair], pair))


def judge(pairs: Pairs, names: Sequence[str], groups: int) -> Goodness:
    """Return the chi-square of all pairs, with a warning if there is one.

    Every residual has a variance of 1 of its own, but they lie in fewer dimensions than there are pairs, the fit
    having taken the rest: their sum of squares is brought to the degrees of freedom that are left.
    """
    upper = np.triu(pairs.games > 0, 1)
    count = int(upper.sum())
    degrees = count - (len(names) - groups)
    if degrees < 1:
        return Goodness(chi_square=0.0, degrees=0, p_value=None, departure=0.0, warning=None)
    chi_square = float((pairs.residual[upper] ** 2).sum()) * degrees / count
    p_value = chi_square_above(chi_square, degrees)
    games = pairs.games[upper]
    beyond = (games * (pairs.score - pairs.expected)[upper]) ** 2 - pairs.variance[upper]
    departure = math.sqrt(max(0.0, float(beyond.sum())) / float((games**2).sum()))
    warning = None
    if p_value < UNLIKELY and departure > NOTABLE:
        i, j = divmod(int(np.argmax(pairs.residual)), len(names))
        chance = f"p = {p_value:.1g}" if p_value >= 1e-9 else "p < 1e-9"
        warning = (
            f"One number a bot does not explain these results ({chance}): pairs depart from the fit by "
            f"{100 * departure:.0f} % of their games, most of all {names[i]} against {names[j]}, who scored "
            f"{100 * pairs.score[i, j]:.0f} % where {100 * pairs.expected[i, j]:.0f} % were expected. "
            f"Look at the pairs before believing the order."
        )
    return Goodness(chi_square=chi_square, degrees=degrees, p_value=p_value, departure=departure, warning=warning)


def find_cycles(pairs: Pairs, dispersion: float) -> list[tuple[int, int, int]]:
    """Return the triads that are cycles, each so that the first does better against the second than strengths allow,
    the second against the third and the third against the first; the clearest comes first."""
    bots = np.sort(np.argsort(-pairs.games.sum(axis=1), kind="stable")[:MOST_TRIADS])
    games, expected = (matrix[np.ix_(bots, bots)] for matrix in (pairs.games, pairs.expected))
    score = pairs.score[np.ix_(bots, bots)]
    tells = expected * (1 - expected)
    counted = games * tells >= TELLING
    lead = np.where(counted, (score - expected) / np.where(counted, tells, 1), np.nan)
    variance = np.where(counted, dispersion / np.where(counted, games * tells, 1), np.nan)
    around = [matrix[:, :, None] + matrix[None] + matrix.T[:, None, :] for matrix in (lead, variance)]
    departure = around[0] / np.sqrt(around[1])
    first, second, third = np.indices(departure.shape)
    # Each triad stands there in three places and two directions: the lowest number comes first.
    triads = (first < second) & (first < third) & (second != third) & np.isfinite(departure)
    count = int(triads.sum()) // 2
    if not count:
        return []
    needed = NormalDist().inv_cdf(1 - ALARM / count / 2)
    places = np.argwhere(triads & (np.where(triads, departure, 0.0) > needed))
    order = sorted(places.tolist(), key=lambda place: (-departure[tuple(place)], place))
    return [(int(bots[i]), int(bots[j]), int(bots[k])) for i, j, k in order]


def doubtful_pairs(
    pairs: Pairs, flagged: Sequence[tuple[int, int]], cycles: Sequence[tuple[int, int, int]]
) -> NDArray[np.bool_]:
    """Return by pair whether who is better rests on strengths that add up, or where they do not."""
    games, played = pairs.games, pairs.games.sum(axis=1)
    shared = games.copy()
    for number, row in enumerate(games):
        shared[number] += np.minimum(row, games).sum(axis=1)
    doubtful = shared < SHARED * np.minimum(played[:, None], played[None])
    for first, second in (*flagged, *((trio[i], trio[i - 1]) for trio in cycles for i in range(3))):
        doubtful[first, second] = doubtful[second, first] = True
    return np.asarray(doubtful)
