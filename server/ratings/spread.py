"""How far chance may have moved the strengths, and every pair's result.

docs/spec/ratings.md, sections 2 and 3. The pairs of one match are correlated, and the matches of a block share their
luck; treating them as independent makes intervals a quarter too short at 4 and 5 seats. So the unit is the cluster:
what its matches did to the gradient is summed first, and only then squared (the sandwich). With few clusters the
sandwich is too optimistic, and whole clusters are drawn again instead (the block bootstrap).

Two additions to the formulas, so that no error is ever zero:

- **The virtual ties count as games whose result we do not know**, win or loss: without that an undefeated bot,
  which never surprised the fit, would be known exactly. With ordinary data it is one game among all.
- **Few clusters**: one more cluster with the errors that the model expects. With a single cluster that is all there
  is; at 30 it is a thirtieth, and the sandwich takes over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from server.ratings.bradley_terry import BradleyTerry, Fitted
from server.ratings.matches import Floats, Ints, Matches, total

FEW_CLUSTERS = 30
"""With fewer, errors come from the bootstrap."""

_SLICE = 1_500_000
"""Numbers of the gradient held at a time: 12 MB."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Spread:
    """The variances estimated from the clusters."""

    meat: Floats
    """The sum over clusters of the squared gradient."""
    clusters_of_bot: Ints
    pair_variance: Floats
    """Of a pair's score less the expected one, the first being the one of the lower number; other places are 0."""


def study_clusters(matches: Matches, model: BradleyTerry, fitted: Fitted) -> Spread:
    """Go through the clusters once."""
    n, size = matches.bot_count, model.size
    slopes = _pair_slopes(model, fitted)
    meat = np.zeros((size, size))
    present = np.zeros(n, dtype=np.int64)
    squares, crossed = np.zeros(n * n), np.zeros(n * n)
    for part in matches.slices(clusters=max(1, _SLICE // size)):
        surprises = _surprises(part, model, fitted)
        gradient = _cluster_gradients(part, surprises, size)
        meat += gradient.T @ gradient
        seen = np.bincount((part.clusters[:, None] * n + part.bots).ravel(), minlength=part.cluster_count * n)
        present += np.count_nonzero(seen.reshape(-1, n), axis=0)
        cluster, pair, surprise = _cluster_pairs(part, surprises)
        squares += total(pair, surprise**2, n * n)
        # What the cluster did to the fit comes back in the expected score of the pair.
        moved = gradient @ fitted.covariance
        back = slopes[pair, 0] * (moved[cluster, pair // n] - moved[cluster, pair % n])
        if size > n:
            back += np.einsum("ij,ij->i", slopes[pair, 1:], moved[cluster, n:])
        crossed += total(pair, surprise * back, n * n)
    theirs = _pair_covariance(slopes, fitted.covariance @ meat @ fitted.covariance, n)
    variance = np.maximum(squares - 2 * crossed + theirs, 0).reshape(n, n)
    return Spread(meat=meat, clusters_of_bot=present, pair_variance=variance)


def sandwich(model: BradleyTerry, fitted: Fitted, meat: Floats, clusters: int) -> Floats:
    """The cluster-robust covariance of the parameters."""
    filling = meat * clusters / (clusters - 1) + _unknown_ties(model, fitted)
    return np.asarray(fitted.covariance @ filling @ fitted.covariance)


def bootstrap(matches: Matches, model: BradleyTerry, fitted: Fitted, *, draws: int, seed: int) -> Floats:
    """The covariance of the parameters when whole clusters are drawn again.

    RandomState, since its draws are promised to be the same in every version of numpy.
    """
    count = matches.cluster_count
    filling = _unknown_ties(model, fitted) + fitted.information / count
    found = np.asarray(fitted.covariance @ filling @ fitted.covariance)
    if count > 1:
        games, score = _cells_of_clusters(matches, model)
        weights = np.random.RandomState(seed).multinomial(count, [1 / count] * count, size=draws)
        drawn = model.fit_many(fitted.values, weights @ games, weights @ score)
        found += np.cov(drawn, rowvar=False) * count / (count - 1)
    return found


def _unknown_ties(model: BradleyTerry, fitted: Fitted) -> Floats:
    pull = 1 / (1 + np.exp(-fitted.values))
    return np.diag(model.prior * (0.25 + (pull - 0.5) ** 2))


def _surprises(part: Matches, model: BradleyTerry, fitted: Fitted) -> list[tuple[int, int, Floats]]:
    """By pair of seats, the score of the earlier seat less the expected one, match by match."""
    n = part.bot_count
    strengths = fitted.values[:n][part.bots]
    if model.size > n:
        strengths = strengths + fitted.values[n:]
    return [
        (one, two, score - 1 / (1 + np.exp(strengths[:, two] - strengths[:, one])))
        for one, two, score in part.seat_pairs()
    ]


def _cluster_gradients(part: Matches, surprises: list[tuple[int, int, Floats]], size: int) -> Floats:
    """By cluster, what its matches pull every parameter by."""
    n, count = part.bot_count, part.cluster_count
    pulls = np.zeros(part.bots.shape)
    for one, two, surprise in surprises:
        pulls[:, one] += surprise
        pulls[:, two] -= surprise
    places = part.clusters[:, None] * size + part.bots
    found = total(places.ravel(), pulls.ravel(), count * size).reshape(count, size)
    for seat in range(size - n):
        found[:, n + seat] = total(part.clusters, pulls[:, seat], count)
    return found


def _cluster_pairs(part: Matches, surprises: list[tuple[int, int, Floats]]) -> tuple[Ints, Ints, Floats]:
    """By cluster and pair of bots (lower number first), the sum of the surprises."""
    n = part.bot_count
    keys, values = [], []
    for one, two, surprise in surprises:
        first, second = part.bots[:, one], part.bots[:, two]
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


def _pair_slopes(model: BradleyTerry, fitted: Fitted) -> Floats:
    """By pair (lower number first), how its expected score moves with their lead, and with every seat."""
    n, cells = model.bot_count, model.cells
    share = model.expected(fitted.values)
    weight = cells.games * share * (1 - share)
    sign = np.where(cells.first < cells.second, 1.0, -1.0)
    pair = np.minimum(cells.first, cells.second) * n + np.maximum(cells.first, cells.second)
    found = np.zeros((n * n, 1 + model.size - n))
    found[:, 0] = total(pair, weight, n * n)
    for seat in range(model.size - n):
        lead = (cells.first_seat == seat).astype(np.float64) - (cells.second_seat == seat)
        found[:, 1 + seat] = total(pair, sign * weight * lead, n * n)
    return found


def _pair_covariance(slopes: Floats, covariance: Floats, n: int) -> Floats:
    """The variance of every pair's expected score, from that of the parameters."""
    bots = covariance[:n, :n]
    own = np.diag(bots)
    leads = (own[:, None] + own[None, :] - 2 * bots).ravel()
    found = slopes[:, 0] ** 2 * leads
    if slopes.shape[1] > 1:
        with_seats = (covariance[:n, None, n:] - covariance[None, :n, n:]).reshape(n * n, len(covariance) - n)
        found = found + 2 * slopes[:, 0] * np.einsum("ij,ij->i", with_seats, slopes[:, 1:])
        found = found + np.einsum("ij,jk,ik->i", slopes[:, 1:], covariance[n:, n:], slopes[:, 1:])
    return np.asarray(found)


def _cells_of_clusters(matches: Matches, model: BradleyTerry) -> tuple[Floats, Floats]:
    """The model's cells, counted for every cluster apart."""

    def keys(first: Ints, second: Ints, first_seat: Ints, second_seat: Ints) -> Ints:
        seats, n = matches.seats, matches.bot_count
        return ((first_seat * seats + second_seat) * n + first) * n + second

    cells = model.cells
    known = keys(cells.first, cells.second, cells.first_seat, cells.second_seat)  # ascending, as they were counted
    games, score = np.zeros((2, matches.cluster_count, len(known)))
    for cluster, part in enumerate(matches.slices(clusters=1)):
        own = part.cells()
        places = np.searchsorted(known, keys(own.first, own.second, own.first_seat, own.second_seat))
        games[cluster, places], score[cluster, places] = own.games, own.score
    return games, score
