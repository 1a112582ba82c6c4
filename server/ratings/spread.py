"""How far chance may have moved the strengths, and every pair's result.

docs/spec/ratings.md, sections 2 and 3. The pairs of one match are correlated, and the matches of a block share their
luck; treating them as independent makes intervals a quarter too short at 4 and 5 seats. So the unit is the cluster:
what its matches did to the gradient is summed first, and only then squared (the sandwich).

**One method for any number of clusters.** A sandwich of few clusters is mostly noise. So each cluster counts for a part
as it scattered, and for the rest as the model expects it to scatter, times one factor that all clusters share: the
dispersion, which is 1 for independent games of two, above that with more seats, below it where mirrored luck cancels.
The part is n / (n + MIXED), n being the clusters of the bot at the table that has the fewest: a newcomer on an old
ladder is judged by the ladder's dispersion, an old bot by its own clusters. Nothing jumps at any number.

**Dispersion.** What the clusters scattered over what the model expects, of the bots' part of the gradient. The fit has
taken its degrees of freedom out of the scatter. Few clusters say little about it, so it starts at (seats + 1) / 3,
which is exact for any game between equals without ties and shared luck, as if `ASSUMED` degrees of freedom had shown
that.

**Degrees of freedom** of the t quantiles (Satterthwaite): the dispersion's for the part that the model expects, the
mean number of clusters of a bot, less one, for the part that they scattered themselves.

**The virtual ties are games whose result nobody knows.** They carry that doubt as far as they decide a strength: that
of a new version without a block, which stands where its ancestor does, and that of a bot that lost or won every game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from server.ratings.bradley_terry import BradleyTerry, FittedModel
from server.ratings.matches import Floats, Ints, Matches, total

MIXED = 12.0
"""With this many clusters, half of the errors come from how they scattered."""

ASSUMED = 12.0
"""Degrees of freedom by which the dispersion between equals is known beforehand."""

_SLICE = 1_500_000
"""Numbers of the gradient held at a time: 12 MB."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ClusterSpread:
    """The variances estimated from the clusters."""

    covariance: Floats
    """Covariance of all parameters."""
    degrees: float
    """Its degrees of freedom."""
    dispersion: float
    pair_dispersion: float
    """How much more a pair's score scatters from cluster to cluster than independent games of the two would."""
    clusters_of_bot: Ints
    pair_variance: Floats
    """Variance of a pair's score less the expected one, the first being the one of the lower number; other places
    are 0."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Pulls:
    """How far every cluster pulls the parameters: a row a cluster, a column a bot of it (the rest is 0), or a seat."""

    bots: Ints
    pulls: Floats
    seat_pulls: Floats

    def squares(self, size: int, weights: Floats) -> Floats:
        """Return the weighted sum over clusters of the squared gradient."""
        n = size - self.seat_pulls.shape[1]
        squares = np.zeros((size, size))
        weighted = weights[:, None] * self.pulls
        places = self.bots[:, :, None] * n + self.bots[:, None, :]
        products = weighted[:, :, None] * self.pulls[:, None, :]
        squares[:n, :n] = total(places.ravel(), products.ravel(), n * n).reshape(n, n)
        for seat, pulls in enumerate(self.seat_pulls.T):
            squares[:n, n + seat] = total(self.bots.ravel(), (weighted * pulls[:, None]).ravel(), n)
        squares[n:, :n] = squares[:n, n:].T
        squares[n:, n:] = (weights[:, None] * self.seat_pulls).T @ self.seat_pulls
        return squares

    def moved(self, covariance: Floats, clusters: Ints, parameters: Ints) -> Floats:
        """Return by how much each of these clusters moved the parameter named beside it."""
        n = len(covariance) - self.seat_pulls.shape[1]
        moved = np.einsum("ij,ij->i", self.pulls[clusters], covariance[self.bots[clusters], parameters[:, None]])
        return np.asarray(moved + np.einsum("ij,ji->i", self.seat_pulls[clusters], covariance[n:, parameters]))


def study_clusters(matches: Matches, model: BradleyTerry, fitted: FittedModel) -> ClusterSpread:
    """Estimate all variances."""
    n, size, count = matches.bot_count, model.size, matches.cluster_count
    keys = np.unique(matches.clusters[:, None] * n + matches.bots)
    clusters_of_bot = np.bincount(keys % n if n else keys, minlength=n)
    starts = np.searchsorted(keys, np.arange(count + 1) * n)
    fewest = np.minimum.reduceat(clusters_of_bot[keys % n], starts[:-1]) if count else np.zeros(0)
    own = own_part(fewest)
    slopes = _pair_slopes(model, fitted)
    meat, own_meat = np.zeros((2, size, size))
    squares, crossed = np.zeros((2, n * n))
    for part, first, pulls, surprises in _parts(matches, model, fitted, keys, starts):
        meat += pulls.squares(size, np.ones(part.cluster_count))
        own_meat += pulls.squares(size, own[first : first + part.cluster_count])
        cluster, pair, surprise = _cluster_pairs(part, surprises)
        squares += total(pair, surprise**2, n * n)
        # What the cluster did to the fit comes back in the expected score of the pair.
        back = slopes[pair, 0] * (
            pulls.moved(fitted.covariance, cluster, pair // n) - pulls.moved(fitted.covariance, cluster, pair % n)
        )
        for seat in range(size - n):
            moved = pulls.moved(fitted.covariance, cluster, np.full(len(cluster), n + seat))
            back += slopes[pair, 1 + seat] * moved
        crossed += total(pair, surprise * back, n * n)
    theirs = _pair_covariance(slopes, fitted.covariance @ meat @ fitted.covariance, n)
    dispersion, degrees = _dispersion(matches, fitted, meat, len(keys) - count)
    modelled = dispersion * model.information(fitted.variances, matches.weighted_games(1 - own))
    modelled += model.tie_doubt(fitted.values, fitted.information)
    scattered = own_meat * count / max(count - 1, 1)
    share = float(np.trace(scattered) / max(np.trace(modelled + scattered), 1e-300))
    each = len(keys) / max(int(np.count_nonzero(clusters_of_bot)), 1)
    return ClusterSpread(
        covariance=np.asarray(fitted.covariance @ (modelled + scattered) @ fitted.covariance),
        degrees=combine_degrees(share, degrees, each),
        dispersion=dispersion,
        pair_dispersion=(ASSUMED + float(squares.sum()) / max(float(slopes[:, 0].sum()), 1e-300) * count)
        / (ASSUMED + count),
        clusters_of_bot=clusters_of_bot,
        pair_variance=np.maximum(squares - 2 * crossed + theirs, 0).reshape(n, n),
    )


def _dispersion(matches: Matches, fitted: FittedModel, meat: Floats, dimensions: int) -> tuple[float, float]:
    """Return how much more the clusters scattered than the model expects, and its degrees of freedom.

    `dimensions` is in how many directions they can scatter: of the bots of a cluster, all but one.
    """
    n = matches.bot_count
    expected = float(np.trace(fitted.information[:n, :n]))
    taken = float((fitted.covariance[:n, :n] * fitted.information[:n, :n]).sum())
    degrees = ASSUMED + max(dimensions - taken, 0.0)
    scattered = dimensions * float(np.trace(meat[:n, :n])) / expected if expected else 0.0
    return (ASSUMED * dispersion_of_equals(matches.seats) + scattered) / degrees, degrees


def dispersion_of_equals(seats: int) -> float:
    """Return the dispersion between equals without ties and shared luck."""
    return (seats + 1) / 3


def own_part(clusters: Floats | Ints) -> Floats:
    """Return for how much of an error a bot's own clusters count, by their number."""
    return np.asarray(clusters / (clusters + MIXED))


def combine_degrees(share: float, modelled: float, clusters: float) -> float:
    """Return the degrees of freedom of an error of which this share comes from a bot's own clusters."""
    return 1 / ((1 - share) ** 2 / modelled + share**2 / max(clusters - 1, 1))


def _parts(
    matches: Matches, model: BradleyTerry, fitted: FittedModel, keys: Ints, starts: Ints
) -> Iterator[tuple[Matches, int, _Pulls, list[tuple[int, int, Floats]]]]:
    """Yield the clusters in parts: their matches, the number of the first, their pulls and the matches' surprises.

    `keys` are the clusters and bots that belong together, and `starts` where each cluster's begin.
    """
    n = matches.bot_count
    widest = int(np.diff(starts).max(initial=1))
    step = max(1, _SLICE // widest**2)
    for part, first in zip(matches.slices(clusters=step), range(0, matches.cluster_count, step), strict=True):
        count = part.cluster_count
        begin, end = starts[first], starts[first + count]
        column = np.arange(begin, end) - starts[:-1][keys[begin:end] // n]
        bots = np.zeros((count, widest), dtype=np.int64)
        bots[keys[begin:end] // n - first, column] = keys[begin:end] % n
        surprises = _surprises(part, model, fitted)
        pulls = np.zeros(part.bots.shape)
        for seat, other, surprise in surprises:
            pulls[:, seat] += surprise
            pulls[:, other] -= surprise
        entries = np.searchsorted(keys[begin:end], (part.clusters[:, None] + first) * n + part.bots)
        places = part.clusters[:, None] * widest + column[entries]
        yield (
            part,
            first,
            _Pulls(
                bots=bots,
                pulls=total(places.ravel(), pulls.ravel(), count * widest).reshape(count, widest),
                seat_pulls=np.array([total(part.clusters, pulls[:, seat], count) for seat in range(model.size - n)])
                .reshape(model.size - n, count)
                .T,
            ),
            surprises,
        )


def _surprises(part: Matches, model: BradleyTerry, fitted: FittedModel) -> list[tuple[int, int, Floats]]:
    """Return by pair of seats the score of the earlier seat less the expected one, match by match."""
    n = part.bot_count
    strengths = fitted.values[:n][part.bots]
    if model.size > n:
        strengths = strengths + fitted.values[n:]
    return [
        (seat, other, score - 1 / (1 + np.exp(strengths[:, other] - strengths[:, seat])))
        for seat, other, score in part.seat_pairs()
    ]


def _cluster_pairs(part: Matches, surprises: list[tuple[int, int, Floats]]) -> tuple[Ints, Ints, Floats]:
    """Return by cluster and pair of bots (lower number first) the sum of the surprises."""
    n = part.bot_count
    keys, values = [], []
    for seat, other, surprise in surprises:
        first, second = part.bots[:, seat], part.bots[:, other]
        pair = np.minimum(first, second) * n + np.maximum(first, second)
        keys.append(part.clusters * (n * n) + pair)
        values.append(np.where(first < second, surprise, -surprise))
    key, value = np.concatenate(keys), np.concatenate(values)
    if part.cluster_count < len(part.clusters):  # otherwise a match is a cluster, and no pair meets twice in it
        order = np.argsort(key)
        key, value = key[order], value[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        key, value = key[starts], np.add.reduceat(value, starts)
    return key // (n * n), key % (n * n), value


def _pair_slopes(model: BradleyTerry, fitted: FittedModel) -> Floats:
    """Return by pair (lower number first) how its expected score moves with their lead, and with every seat."""
    n, cells = model.bot_count, model.cells
    share = model.expected(fitted.values)
    weight = cells.games * share * (1 - share)
    sign = np.where(cells.first < cells.second, 1.0, -1.0)
    pair = np.minimum(cells.first, cells.second) * n + np.maximum(cells.first, cells.second)
    slopes = np.zeros((n * n, 1 + model.size - n))
    slopes[:, 0] = total(pair, weight, n * n)
    for seat in range(model.size - n):
        lead = (cells.first_seat == seat).astype(np.float64) - (cells.second_seat == seat)
        slopes[:, 1 + seat] = total(pair, sign * weight * lead, n * n)
    return slopes


def _pair_covariance(slopes: Floats, covariance: Floats, n: int) -> Floats:
    """Return the variance of every pair's expected score, from that of the parameters."""
    bots = covariance[:n, :n]
    own = np.diag(bots)
    leads = (own[:, None] + own[None, :] - 2 * bots).ravel()
    variances = slopes[:, 0] ** 2 * leads
    if slopes.shape[1] > 1:
        with_seats = (covariance[:n, None, n:] - covariance[None, :n, n:]).reshape(n * n, len(covariance) - n)
        variances = variances + 2 * slopes[:, 0] * np.einsum("ij,ij->i", with_seats, slopes[:, 1:])
        variances = variances + np.einsum("ij,jk,ik->i", slopes[:, 1:], covariance[n:, n:], slopes[:, 1:])
    return np.asarray(variances)
