"""Does one number per bot explain who beats whom?

docs/spec/ratings.md, sections 4 and 5. Every pair's score is compared with what the fit expects of it, in standard
deviations. A few large departures are pairs to look at: kingmaking, or a bot that exploits another. Departures
everywhere mean cycles, like scissors, paper, stone: the order of the table then means less than it seems.

The deviation of a pair is the one that is left *after* the fit, from the clusters themselves (spread.py): the ranks of
one match contain no cycles, so in 3 to 5 seats pairs scatter around the fit far less than independent games would, and
a plain chi-square would be blind. Half a game is added, so that rare results against the odds raise no false alarm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from server.ratings.bradley_terry import BradleyTerry, FittedModel
from server.ratings.distributions import chi_square_above
from server.ratings.fitted_ratings import Goodness, Pairs
from server.ratings.matches import Floats, total

FLAGGED = 4.0
"""A pair that departs by more standard deviations is flagged."""

UNLIKELY, NOTABLE = 0.001, 0.02
"""A warning needs both: departures this unlikely, and this large. Among enough matches the first alone means little."""

_SLACK = 0.25


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
