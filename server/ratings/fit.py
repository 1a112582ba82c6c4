"""The official ratings: from the matches of a ladder to its table.

docs/spec/ratings.md, sections 1 to 5: Bradley-Terry on the Elo scale over the pairs of seats of every match, with seat
terms, a weak prior and errors by cluster. Pure: the same matches give the same table, in whatever order they come. The
caller leaves out matches that do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from server.ratings.bradley_terry import BradleyTerry, Fitted, find_groups
from server.ratings.goodness import compare_pairs, flag_pairs, judge
from server.ratings.matches import Floats, Ints, Matches, gather, total
from server.ratings.spread import FEW_CLUSTERS, Spread, bootstrap, sandwich, study_clusters
from server.ratings.table import RatingRow, RatingTable, SeatRecord, SeatTerm
from server.ratings.tails import ELO, Z95

ANCHOR_RATING = 1000.0
"""The rating of the anchor, or of the mean where there is none."""

SURE = 0.975
"""The confidence from which one bot counts as better than another."""

SETTLED_CLUSTERS, SETTLED_PLUS_MINUS = 30, 60.0
"""A bot's rating is provisional until it has this many clusters and an error this small."""


def fit(
    names: Sequence[str],
    bots: Ints,
    ranks: Ints,
    clusters: Ints,
    *,
    anchor: str | None = "random",
    prior: float = 1.0,
    seat_terms: bool = True,
    draws: int = 1000,
    seed: int = 0,
) -> RatingTable:
    """Rate the bots of matches of m seats: `bots[i, s]` is the number in `names` of the bot on seat s of match i.

    `ranks[i, s]` is its rank, 1 the best, ties sharing one; `clusters[i]` any number that the matches of a block
    share. `anchor` is the bot to be 1000; unless it has played, the mean is. `prior` is how many virtual ties each
    bot and each seat has, `draws` and `seed` are the bootstrap's.
    """
    if len(set(names)) < len(names):
        raise ValueError("two bots of the same name")
    matches = gather(len(names), bots, ranks, clusters)
    cells = matches.cells()
    found = find_groups(cells, len(names))
    model = BradleyTerry(cells, found, seats=matches.seats if seat_terms else 0, prior=prior)
    fitted = model.fit()
    spread = study_clusters(matches, model, fitted)
    method, errors = _errors(matches, model, fitted, spread, draws=draws, seed=seed)
    pairs = compare_pairs(model, fitted, spread.pair_variance)
    played = np.bincount(matches.bots.ravel(), minlength=len(names))
    pinned = names.index(anchor) if anchor in names and played[names.index(anchor)] else None
    groups = _number_groups(found, played, pinned)
    ratings = ANCHOR_RATING + ELO * fitted.values[: len(names)]
    if pinned is not None:
        ratings[groups == groups[pinned]] -= ELO * fitted.values[pinned]
    covariance = ELO**2 * errors
    table = RatingTable(
        rows=(),
        seats=_seat_terms(ELO * fitted.values[len(names) :], covariance[len(names) :, len(names) :]),
        flagged=(),
        goodness=judge(pairs, names, int(found.max(initial=-1)) + 1),
        method=method,
        anchor=None if pinned is None else anchor,
        matches=len(matches.bots),
        clusters=matches.cluster_count,
        groups=int(groups.max(initial=0)),
        names=tuple(names),
        ratings=ratings,
        covariance=covariance[: len(names), : len(names)],
        group_of=groups,
        pairs=pairs,
    )
    return replace(
        table,
        rows=tuple(_rows(table, matches, spread)),
        flagged=tuple(table.pair(names[i], names[j]) for i, j in flag_pairs(pairs)),
    )


def _errors(
    matches: Matches, model: BradleyTerry, fitted: Fitted, spread: Spread, *, draws: int, seed: int
) -> tuple[str, Floats]:
    """The covariance of all parameters, and how it was found."""
    if not matches.cluster_count:
        return "none", np.zeros((model.size, model.size))
    if matches.cluster_count < FEW_CLUSTERS:
        return "block bootstrap", bootstrap(matches, model, fitted, draws=draws, seed=seed)
    return "cluster-robust", sandwich(model, fitted, spread.meat, matches.cluster_count)


def _number_groups(found: Ints, played: Ints, pinned: int | None) -> Ints:
    """The anchor's group is 1, then the larger ones; bots without a match are in none."""
    sizes = np.bincount(found[played > 0], minlength=len(found))
    anchored = None if pinned is None else int(found[pinned])
    order = sorted(np.flatnonzero(sizes), key=lambda group: (group != anchored, -sizes[group], group))
    numbers = np.zeros(len(found), dtype=np.int64)
    for number, group in enumerate(order, start=1):
        numbers[found == group] = number
    return numbers


def _seat_terms(values: Floats, covariance: Floats) -> tuple[SeatTerm, ...]:
    return tuple(
        SeatTerm(elo=float(value), plus_minus=Z95 * float(np.sqrt(variance)) if variance > 0 else math.inf)
        for value, variance in zip(values, np.diag(covariance), strict=True)
    )


def _rows(table: RatingTable, matches: Matches, spread: Spread) -> Iterator[RatingRow]:
    """The bots by group, the best first; those without a match at the end, by name."""
    count, seats = matches.bot_count, matches.seats
    places = (matches.bots + count * np.arange(seats)).ravel()
    on_seat = np.bincount(places, minlength=count * seats).reshape(seats, count)
    won = total(places, matches.wins().ravel(), count * seats).reshape(seats, count)
    scored = total(places, matches.scores().ravel(), count * seats).reshape(seats, count).sum(axis=0)
    played = on_seat.sum(axis=0)
    confidences = table.confidences()
    sure = confidences >= SURE
    mates = np.bincount(table.group_of, minlength=1)
    order = sorted(range(count), key=lambda i: (table.group_of[i] or count + 1, -table.ratings[i], table.names[i]))
    for i, after in zip_longest(order, order[1:]):
        group, clusters = int(table.group_of[i]), int(spread.clusters_of_bot[i])
        plus_minus = Z95 * float(np.sqrt(table.covariance[i, i])) if group else math.inf
        yield RatingRow(
            name=table.names[i],
            rating=float(table.ratings[i]),
            plus_minus=plus_minus,
            rank_best=1 + int(sure[:, i].sum()),
            rank_worst=int(mates[group] - sure[i].sum()),
            cfs_next=(
                float(confidences[i, after]) if group and after is not None and table.group_of[after] == group else None
            ),
            provisional=clusters < SETTLED_CLUSTERS or plus_minus > SETTLED_PLUS_MINUS,
            matches=int(played[i]),
            clusters=clusters,
            opponents=int(np.count_nonzero(table.pairs.games[i])),
            score=float(scored[i] / played[i]) if played[i] else 0.5,
            seats=tuple(SeatRecord(matches=int(on_seat[seat, i]), wins=float(won[seat, i])) for seat in range(seats)),
            group=group,
        )
