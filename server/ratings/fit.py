"""The official ratings: from the matches of a ladder to its table.

docs/spec/ratings.md, sections 1 to 5: Bradley-Terry on the Elo scale over the pairs of seats of every match, with seat
terms, a weak prior and errors by cluster. Pure: the same matches give the same table, in whatever order they come. The
caller leaves out matches that do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from server.ratings.bradley_terry import BradleyTerry, find_groups
from server.ratings.claims import UNREACHED, critical_value, pair_deviations
from server.ratings.distributions import ELO, t_quantile
from server.ratings.extremes import open_ends
from server.ratings.fitted_ratings import FittedRatings, RatingRow, SeatRecord, SeatTerm
from server.ratings.goodness import compare_pairs, doubtful_pairs, find_cycles, flag_pairs, judge
from server.ratings.matches import Floats, Ints, Matches, gather, total
from server.ratings.prior import Prior, Start, make_prior
from server.ratings.scale import fix_scale
from server.ratings.spread import study_clusters

PRIOR = 0.75
"""Virtual ties of every bot and seat. With one, ± misses a bot 600 Elo below too often; with half of one it is too wide
after few blocks."""

SETTLED_CLUSTERS, SETTLED_PLUS_MINUS = 30, 60.0
"""A bot's rating is provisional until it has this many clusters and an error this small, relative to the mean."""


def fit(
    names: Sequence[str],
    bots: Ints,
    ranks: Ints,
    clusters: Ints,
    *,
    anchors: Mapping[str, float] | None = None,
    ancestors: Mapping[str, str] | None = None,
    starts: Mapping[str, Start] | None = None,
    prior: float = PRIOR,
    seat_terms: bool = True,
    claims: bool = True,
) -> FittedRatings:
    """Rate the bots of matches of m seats: `bots[i, s]` is the number in `names` of the bot on seat s of match i.

    `ranks[i, s]` is its rank, 1 the best, ties sharing one; `clusters[i]` any number that the matches of a block
    share. `anchors` are bots whose ratings are known (scale.py), `ancestors` has the former version of a bot, `starts`
    what is known of bots beforehand (prior.py). `prior` is how many virtual ties each other bot and each seat
    has. Without `claims` nobody is surely better than anybody: half of the work, for whoever wants ratings only.
    """
    if len(set(names)) < len(names):
        raise ValueError("two bots of the same name")
    matches = gather(len(names), bots, ranks, clusters)
    cells = matches.cells()
    met = find_groups(cells, len(names))
    played = np.bincount(matches.bots.ravel(), minlength=len(names))
    former = _former(names, ancestors or {})
    started = make_prior([*names], starts or {})
    joined = met if started is None else _join_started(met, started)
    groups_of_all = _join_newcomers(joined, played, former)
    model = BradleyTerry(
        cells, groups_of_all, seats=matches.seats if seat_terms else 0, prior=prior, ancestors=former, starts=started
    )
    fitted = model.fit()
    spread = study_clusters(matches, model, fitted)
    pairs = compare_pairs(model, fitted, spread.pair_variance)
    flagged, cycles = flag_pairs(pairs), find_cycles(pairs, spread.dispersion) if claims else []
    n = len(names)
    strengths, covariance = fitted.values[:n], ELO**2 * spread.covariance[:n, :n]
    scale = fix_scale(names, strengths, np.diag(fitted.information)[:n], groups_of_all, played, anchors or {})
    groups = _number_groups(joined, played, scale.anchors[0].name if scale.anchors else None, names)
    half = t_quantile(0.975, spread.degrees)
    deviations = pair_deviations(covariance)
    official = FittedRatings(
        rows=(),
        seats=_seat_terms(ELO * fitted.values[n:], ELO**2 * spread.covariance[n:, n:], half, len(matches.bots)),
        flagged=(),
        goodness=judge(pairs, names, int(met.max(initial=-1)) + 1),
        cycles=tuple((names[i], names[j], names[k]) for i, j, k in cycles),
        method="cluster-robust" if len(matches.bots) else "none",
        anchors=scale.anchors,
        matches=len(matches.bots),
        clusters=matches.cluster_count,
        groups=int(groups.max(initial=0)),
        names=tuple(names),
        ratings=scale.offsets + ELO * strengths,
        covariance=covariance,
        degrees=spread.degrees,
        dispersion=spread.dispersion,
        pair_dispersion=spread.pair_dispersion,
        deviations=deviations,
        criticals=tuple(
            critical_value(covariance[np.ix_(mates, mates)], spread.degrees) if claims else UNREACHED
            for mates in (np.flatnonzero(groups == group) for group in range(1, int(groups.max(initial=0)) + 1))
        ),
        information=np.diag(fitted.information)[:n],
        group_of=groups,
        pairs=pairs,
    )
    errors = {
        "to_scale": half * np.sqrt(scale.variances(covariance)),
        "to_mean": half * np.sqrt(np.maximum(np.diag(covariance), 0)),
    }
    settled = np.zeros(n, dtype=np.bool_) if started is None else started.ties > 0
    known = (played > 0) | (former >= 0) | settled
    ends = open_ends(
        official.ratings,
        np.where(known, errors["to_scale"], np.inf),
        pairs,
        covariance=covariance,
        scale=scale.weights,
        half=half,
        dispersion=spread.dispersion,
        settled=settled,
    )
    return replace(
        official,
        rows=tuple(
            _rows(
                official,
                matches,
                spread.clusters_of_bot,
                known,
                ends,
                doubtful=doubtful_pairs(pairs, flagged, cycles),
                **errors,
            )
        ),
        flagged=tuple(official.pair(names[i], names[j]) for i, j in flagged),
    )


def _former(names: Sequence[str], ancestors: Mapping[str, str]) -> Ints:
    """Return the number of each bot's former version, or -1."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers.get(ancestors.get(name, ""), -1) for name in names], dtype=np.int64)


def _join_started(met: Ints, started: Prior) -> Ints:
    """Return the groups with all bots that have a starting rating in one group: those ratings are on one scale."""
    theirs = np.unique(met[started.ties > 0])
    return np.where(np.isin(met, theirs), theirs[0], met)


def _join_newcomers(met: Ints, played: Ints, former: Ints) -> Ints:
    """Return the groups with each new version without a match in the group of the version before it."""
    joined = met.copy()
    for bot in np.flatnonzero((played == 0) & (former >= 0)):
        seen, before = {bot}, former[bot]
        while not played[before] and former[before] >= 0 and before not in seen:
            seen.add(before)
            before = former[before]
        joined[bot] = met[before]
    return joined


def _number_groups(met: Ints, played: Ints, anchor: str | None, names: Sequence[str]) -> Ints:
    """Number the groups: that of the anchors is 1, then come the larger ones; bots without a match are in none."""
    sizes = np.bincount(met[played > 0], minlength=len(met))
    anchored = None if anchor is None else int(met[names.index(anchor)])
    order = sorted(np.flatnonzero(sizes), key=lambda group: (group != anchored, -sizes[group], group))
    numbers = np.zeros(len(met), dtype=np.int64)
    for number, group in enumerate(order, start=1):
        numbers[(met == group) & (played > 0)] = number
    return numbers


def _seat_terms(values: Floats, covariance: Floats, half: float, matches: int) -> tuple[SeatTerm, ...]:
    return tuple(
        SeatTerm(elo=float(value), plus_minus=half * float(np.sqrt(variance)) if matches else math.inf)
        for value, variance in zip(values, np.maximum(np.diag(covariance), 0), strict=True)
    )


def _rows(
    fit: FittedRatings,
    matches: Matches,
    clusters_of_bot: Ints,
    known: NDArray[np.bool_],
    ends: tuple[Floats, Floats],
    *,
    doubtful: NDArray[np.bool_],
    to_scale: Floats,
    to_mean: Floats,
) -> Iterator[RatingRow]:
    """Yield the bots by group, the best first; those without a match come at the end, by name."""
    count, seats = matches.bot_count, matches.seats
    places = (matches.bots + count * np.arange(seats)).ravel()
    on_seat = np.bincount(places, minlength=count * seats).reshape(seats, count)
    won = total(places, matches.wins().ravel(), count * seats).reshape(seats, count)
    scored = total(places, matches.scores().ravel(), count * seats).reshape(seats, count).sum(axis=0)
    played = on_seat.sum(axis=0)
    sure = fit.sure()
    mates = np.bincount(fit.group_of, minlength=1)
    order = sorted(range(count), key=lambda i: (fit.group_of[i] or count + 1, -fit.ratings[i], fit.names[i]))
    for i in order:
        group, own_clusters = int(fit.group_of[i]), int(clusters_of_bot[i])
        yield RatingRow(
            name=fit.names[i],
            rating=float(fit.ratings[i]),
            plus_minus=float(to_scale[i]) if known[i] else math.inf,
            mean_plus_minus=float(to_mean[i]) if known[i] else math.inf,
            low=float(ends[0][i]),
            high=float(ends[1][i]),
            rank_best=1 + int(sure[:, i].sum()),
            rank_worst=int(mates[group] - sure[i].sum()),
            surely_better_than=tuple(fit.names[j] for j in order if sure[i, j]),
            doubtful=tuple(fit.names[j] for j in order if sure[i, j] and doubtful[i, j]),
            provisional=own_clusters < SETTLED_CLUSTERS or bool(to_mean[i] > SETTLED_PLUS_MINUS),
            matches=int(played[i]),
            clusters=own_clusters,
            opponents=int(np.count_nonzero(fit.pairs.games[i])),
            score=float(scored[i] / played[i]) if played[i] else 0.5,
            seats=tuple(SeatRecord(matches=int(on_seat[seat, i]), wins=float(won[seat, i])) for seat in range(seats)),
            group=group,
        )
