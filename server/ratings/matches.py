"""The matches of a ladder as columns, and the same counted into cells.

A match of m seats is m(m-1)/2 pairs of seats. Pairs with the same two bots on the same two seats are alike to the
model, so the fit works on cells (bot, bot, seat, seat) and their counts: a million matches shrink to some thousand
cells. What depends on clusters stays with the matches, which are sorted by cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def total(places: Ints, values: Floats, size: int) -> Floats:
    """Add up the values that belong to each place."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Cells:
    """Pairs counted by who met whom on which seats; `first` sits before `second`."""

    first: Ints
    second: Ints
    first_seat: Ints
    second_seat: Ints
    games: Floats
    score: Floats
    """The total score of `first`."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Matches:
    """Matches sorted by cluster: a row each, a column a seat."""

    bots: Ints
    ranks: Ints
    clusters: Ints
    """Numbered from 0 without gaps, ascending."""
    bot_count: int

    @property
    def seats(self) -> int:
        """Return how many seats a match has."""
        return int(self.bots.shape[1])

    @property
    def cluster_count(self) -> int:
        """Return how many clusters there are."""
        return int(self.clusters[-1]) + 1 if len(self.clusters) else 0

    def seat_pairs(self) -> Iterator[tuple[int, int, Floats]]:
        """Yield every pair of seats, the earlier one first, with what it scored against the later one."""
        for seat, other in combinations(range(self.seats), 2):
            yield seat, other, 0.5 * (1.0 + np.sign(self.ranks[:, other] - self.ranks[:, seat]))

    def scores(self) -> Floats:
        """Return the score of every seat: the share of the other seats it beat, ties counting half."""
        scores = np.zeros(self.bots.shape)
        for seat, other, score in self.seat_pairs():
            scores[:, seat] += score
            scores[:, other] += 1 - score
        return scores / (self.seats - 1)

    def wins(self) -> Floats:
        """Return every seat's part of the win: 1, or its share of a tie for the first rank."""
        first = self.ranks == self.ranks.min(axis=1, keepdims=True)
        return np.asarray(first / first.sum(axis=1, keepdims=True))

    def cells(self) -> Cells:
        """Count all pairs."""
        n = self.bot_count
        columns: list[list[NDArray[np.generic]]] = []
        for seat, other, score in self.seat_pairs():
            key = self.bots[:, seat] * n + self.bots[:, other]
            games = np.bincount(key, minlength=n * n)
            met = np.flatnonzero(games)
            points = total(key, score, n * n)[met]
            columns.append([met // n, met % n, np.full_like(met, seat), np.full_like(met, other), games[met], points])
        first, second, first_seat, second_seat, games, points = (np.concatenate(c) for c in zip(*columns, strict=True))
        return Cells(
            first=first.astype(np.int64),
            second=second.astype(np.int64),
            first_seat=first_seat.astype(np.int64),
            second_seat=second_seat.astype(np.int64),
            games=games.astype(np.float64),
            score=points.astype(np.float64),
        )

    def weighted_games(self, weights: Floats) -> Floats:
        """Return the games of every cell, each match counting as its cluster's weight; in the order of `cells`."""
        n, of_match = self.bot_count, weights[self.clusters]
        games = []
        for seat, other in combinations(range(self.seats), 2):
            key = self.bots[:, seat] * n + self.bots[:, other]
            games.append(total(key, of_match, n * n)[np.bincount(key, minlength=n * n) > 0])
        return np.concatenate(games)

    def slices(self, *, clusters: int) -> Iterator[Matches]:
        """Yield the same matches in parts of at most this many whole clusters, numbered from 0 in each part."""
        starts = np.searchsorted(self.clusters, np.arange(0, self.cluster_count + clusters, clusters))
        for start, end in pairwise(starts):
            if start < end:
                yield Matches(
                    bots=self.bots[start:end],
                    ranks=self.ranks[start:end],
                    clusters=self.clusters[start:end] - self.clusters[start],
                    bot_count=self.bot_count,
                )


def gather(bot_count: int, bots: Ints, ranks: Ints, clusters: Ints) -> Matches:
    """Check the columns and sort them by cluster."""
    bots, ranks, clusters = np.asarray(bots), np.asarray(ranks), np.asarray(clusters)
    if bots.ndim != 2 or bots.shape != ranks.shape or clusters.shape != bots.shape[:1]:
        raise ValueError(f"bots {bots.shape}, ranks {ranks.shape} and clusters {clusters.shape} do not fit together")
    if bots.shape[1] < 2:
        raise ValueError(f"a match of {bots.shape[1]} seats")
    if bots.size and not 0 <= bots.min() <= bots.max() < bot_count:
        raise ValueError(f"bots are numbered {bots.min()} to {bots.max()}, but there are {bot_count}")
    for seat, other in combinations(range(bots.shape[1]), 2):
        same = np.flatnonzero(bots[:, seat] == bots[:, other])
        if same.size:
            raise ValueError(f"match {same[0]}: a bot meets itself on seats {seat} and {other}")
    _, numbers = np.unique(clusters, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    return Matches(
        bots=bots[order].astype(np.int64),
        ranks=ranks[order].astype(np.int64),
        clusters=numbers[order].astype(np.int64),
        bot_count=bot_count,
    )
