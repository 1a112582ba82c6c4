"""One table over several games: the mean of a bot's ratings, each game counting the same.

Why not one fit of all matches: a game with many matches, or with little luck, would decide alone who is best over all.
So every game is fitted by itself and counts the same, and so do the contests of one game (its numbers of seats) within
it. Matches of different games share no luck, so their errors are independent and their variances add up.

Only bots that met in every game are in it: a mean over other games would be another number. Ratings are relative to the
mean of these bots, in each game: an anchor that is far away in one game would only widen every interval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from server.ratings.claims import critical_value, pair_deviations
from server.ratings.distributions import t_quantile
from server.ratings.fitted_ratings import FittedRatings, Goodness, Pairs, RatingRow
from server.ratings.matches import Floats

MEAN = 1000.0
METHOD = "mean of the games"
NOTHING = Goodness(chi_square=0.0, degrees=0, p_value=None, departure=0.0, warning=None)


def fit_overall(fits: Sequence[tuple[str, FittedRatings]]) -> FittedRatings | None:
    """Combine the ratings of several contests, each with the name of its game. None: no two bots met in all of them."""
    names = [
        name
        for name in fits[0][1].names
        if all(name in fitted.names and fitted.group_of[fitted.names.index(name)] == 1 for _, fitted in fits)
    ]
    count = len(names)
    if count < 2:
        return None
    contests = Counter(game for game, _ in fits)
    weights = [1 / (len(contests) * contests[game]) for game, _ in fits]
    ratings, covariance = np.full(count, MEAN), np.zeros((count, count))
    centred = np.eye(count) - 1 / count
    for weight, (_, fitted) in zip(weights, fits, strict=True):
        at = [fitted.names.index(name) for name in names]
        ratings += weight * (centred @ fitted.ratings[at])
        covariance += weight**2 * (centred @ fitted.covariance[np.ix_(at, at)] @ centred)
    # As if all variances were known as badly as the worst: by the formula of Welch and Satterthwaite, 6.1 ± 1.2 % of
    # tables of equals claimed that one of them is better, and so 4.8 ± 1.0 %.
    degrees = min(fitted.degrees for _, fitted in fits)
    empty = np.zeros((count, count))
    official = FittedRatings(
        rows=(),
        seats=(),
        flagged=(),
        cycles=(),
        goodness=NOTHING,
        method=METHOD,
        anchors=(),
        matches=sum(fitted.matches for _, fitted in fits),
        clusters=sum(fitted.clusters for _, fitted in fits),
        groups=1,
        names=tuple(names),
        ratings=ratings,
        covariance=covariance,
        degrees=degrees,
        dispersion=1.0,
        pair_dispersion=1.0,
        deviations=pair_deviations(covariance),
        criticals=(critical_value(covariance, degrees),),
        information=np.zeros(count),
        group_of=np.ones(count, dtype=np.int64),
        pairs=Pairs(games=empty, score=empty + 0.5, expected=empty + 0.5, residual=empty, variance=empty),
    )
    halves = t_quantile(0.975, degrees) * np.sqrt(np.maximum(np.diag(covariance), 0))
    rows = [{row.name: row for row in fitted.rows} for _, fitted in fits]
    return replace(official, rows=_overall_rows(official, halves, weights, rows))


def _overall_rows(
    fit: FittedRatings, halves: Floats, weights: Sequence[float], rows: Sequence[Mapping[str, RatingRow]]
) -> tuple[RatingRow, ...]:
    """Return the bots, best first; `rows` are theirs in each contest."""
    sure = fit.sure()
    order = sorted(range(len(fit.names)), key=lambda i: (-fit.ratings[i], fit.names[i]))
    made = []
    for i in order:
        own = [of_contest[fit.names[i]] for of_contest in rows]
        worse = tuple(fit.names[j] for j in order if sure[i, j])
        # What one game does not bound, the mean over all games does not bound either.
        low = -math.inf if any(row.low == -math.inf for row in own) else float(fit.ratings[i] - halves[i])
        high = math.inf if any(row.high == math.inf for row in own) else float(fit.ratings[i] + halves[i])
        made.append(
            RatingRow(
                name=fit.names[i],
                rating=float(fit.ratings[i]),
                plus_minus=float(halves[i]) if math.isfinite(low) or math.isfinite(high) else math.inf,
                low=low,
                high=high,
                mean_plus_minus=float(halves[i]),
                rank_best=1 + int(sure[:, i].sum()),
                rank_worst=len(fit.names) - int(sure[i].sum()),
                surely_better_than=worse,
                doubtful=tuple(name for name in worse if any(name in row.doubtful for row in own)),
                provisional=any(row.provisional for row in own),
                matches=sum(row.matches for row in own),
                clusters=sum(row.clusters for row in own),
                opponents=max(row.opponents for row in own),
                score=math.fsum(weight * row.score for weight, row in zip(weights, own, strict=True)),
                seats=(),
                group=1,
            )
        )
    return tuple(made)
