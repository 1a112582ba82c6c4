"""Computes rating histories, details of one entry, and comparisons of two. Everything here runs in the standings maker.

A function that returns None has not got the fit yet (fits.py), and is to be called again.

docs/spec/ratings.md says what may be claimed. The chance that one is better is for a pair that was chosen before
looking at the table; a reader of a page has looked. So a comparison also says what can be claimed of any pair: those
claims all hold together.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from referee.errors import FaultKind
from referee.wire.envelope import FAULT_KINDS
from server.arena.errors import NotFound
from server.arena.reading.fits import TURN_SECONDS, Fit, Version, find_fit
from server.ratings.claims import chance_better
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.standings.messages import ladder_rows, pair_score, scale_words
from server.tournament.anchors import find_anchors
from server.tournament.standings import ContestResults, finite
from tortuga.v1 import arena_pb2 as pb

HISTORY_POINTS = 20
MAX_OPPONENTS = 100
KEPT_FIT_ROWS = 40_000
"""Rows of earlier tables that are kept: some 8 MB."""
NOT_COMPARABLE = "They never met, not even through others, so nothing can be said."
NOT_CLEAR = "It is not clear yet which of the two is better."


class EarlierRating(NamedTuple):
    """The rating of one entry by the first matches of a contest."""

    entry: str
    matches: int
    rating: float
    plus_minus: float | None


FitKey = tuple[str, str, int, Version | None, int]
_early_fits: OrderedDict[FitKey, list[EarlierRating]] = OrderedDict()
"""Tables after the first matches of a contest under so many rulings. On a ladder they never change: new matches come
after them. Those of an event are good for one version of it: its matches come in the order of the schedule."""


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The history of all ratings of a contest."""

    matches: int = 0
    scale: str = ""
    points: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    """Per entry its packed RatingPoints."""
    complete: bool = True
    """False: there was no time for all points; the next answer has more."""


def make_history(path: str, contest: str, version: Version) -> History | None:
    """Fit the table again after each part of the matches, on today's scale.

    One turn fits what points it can in its processor time, at least one, and the next turn goes on. Tables that others
    wait for are made between two turns.
    """
    latest = find_fit(path, contest, version)
    if latest is None:
        return None
    results = latest.contest
    if results is None:
        return History()
    standings, millis = results.standings, results.started_millis
    tables: dict[int, list[EarlierRating]] = {}
    rulings = len(standings.rulings.lines)
    of_version = None if results.agreement.is_open else latest.version
    place = f"{path}/{results.agreement.event_id}", contest, rulings, of_version  # another season here has another id
    complete, until = True, time.process_time() + TURN_SECONDS
    fitted = 0
    for count in history_counts(len(millis)):
        known = _early_fits.get((*place, count))
        if count == len(millis):
            known = fit_first(results, count)  # today's table, which is there already
        elif known is None and fitted and time.process_time() >= until:
            complete = False
            continue
        elif known is None:
            known, fitted = fit_first(results, count), fitted + 1
            _keep_fit((*place, count), known)
        tables[count] = known
    versions = {line.bot: line.version for line in standings.lines}
    points: dict[str, list[bytes]] = {}
    played: Counter[str] = Counter()
    for count, rows in sorted(tables.items()):
        for row in rows:
            if (
                row.matches > played[row.entry] and row.entry in versions
            ):  # one that plays no more has no further points
                played[row.entry] = row.matches
                point = pb.RatingPoint(
                    entry=row.entry,
                    version=versions[row.entry],
                    millis=int(millis[count - 1]),
                    table_matches=count,
                    matches=row.matches,
                    rating=row.rating,
                    plus_minus=row.plus_minus,
                )
                points.setdefault(row.entry, []).append(point.SerializeToString())
    scale = scale_words(standings.fitted.anchors)
    return History(matches=len(millis), scale=scale, points=points, complete=complete)


def history_counts(matches: int) -> list[int]:
    """Say after how many matches there is a point: at most HISTORY_POINTS, at the same places while a ladder grows.

    The coarse ones come first: the last, the middle, the quarters, and so on.
    """
    step = 1
    while matches // step > HISTORY_POINTS:
        step *= 2
    counts = [matches, *(count for count in range(step, matches, step))] if matches else []
    return sorted(counts, key=lambda count: (count != matches, -((count // step) & -(count // step)), count))


def fit_first(contest: ContestResults, count: int) -> list[EarlierRating]:
    """Fit the table after the first matches."""
    fitted, results = contest.standings.fitted, contest.results
    if count < len(contest.started_millis):
        fitted = fit(
            results.names,
            *(column[:count] for column in (results.bots, results.ranks, results.clusters)),
            anchors=find_anchors(contest.agreement, results.contest),
            ancestors=contest.agreement.ancestors,
            starts=contest.agreement.starts(results.contest.id),
            claims=False,
        )
    return [
        EarlierRating(row.name, row.matches, row.rating, finite(row.plus_minus) or None)
        for row in fitted.rows
        if row.matches
    ]


def _keep_fit(key: FitKey, ratings: list[EarlierRating]) -> None:
    _early_fits[key] = ratings
    rows = sum(map(len, _early_fits.values()))
    while rows > KEPT_FIT_ROWS and len(_early_fits) > HISTORY_POINTS:
        rows -= len(_early_fits.popitem(last=False)[1])


def make_entry(path: str, contest: str, version: Version, entry: str) -> bytes | None:
    """Return a packed EntryDetails."""
    latest = find_fit(path, contest, version, entry)
    if latest is None:
        return None
    results = _require(latest, contest)
    standings, fitted = results.standings, results.standings.fitted
    line = next(line for line in standings.lines if line.bot == entry)
    opponents = [pair_score(fitted, entry, other) for other in fitted.names if other != entry]
    opponents = sorted((pair for pair in opponents if pair.matches), key=lambda pair: (-pair.matches, pair.second))
    kinds = Counter(fault.fault.kind for fault in standings.faults if fault.fault.bot == entry)
    known = [(FAULT_KINDS[FaultKind(kind)], count) for kind, count in kinds.most_common() if kind in [*FaultKind]]
    return pb.EntryDetails(
        row=_row(results, entry),
        opponents=opponents[:MAX_OPPONENTS],
        opponent_count=len(opponents),
        seats=[
            pb.SeatTally(seat=number, matches=seat.matches, wins=seat.wins)
            for number, seat in enumerate(line.row.seats)
        ],
        faults=[pb.FaultCount(kind=kind, count=count) for kind, count in known],
        versions=[
            older.name for older in results.agreement.roster if older.bot == line.family and older.name in fitted.names
        ],
    ).SerializeToString()


def make_pair(path: str, contest: str, version: Version, first: str, second: str) -> bytes | None:
    """Return a packed Pair."""
    latest = find_fit(path, contest, version, first, second)
    if latest is None:
        return None
    results = _require(latest, contest)
    fitted = results.standings.fitted
    pair = pb.Pair(
        score=pair_score(fitted, first, second),
        orders=_orders(results, first, second),
        claim=_claim(fitted, first, second),
        table_matches=fitted.matches,
        first_row=_row(results, first),
        second_row=_row(results, second),
    )
    for order in pair.orders:
        pair.wins, pair.draws, pair.losses = (
            pair.wins + order.wins,
            pair.draws + order.draws,
            pair.losses + order.losses,
        )
    difference, half = fitted.difference(first, second)
    if finite(half) is not None:
        pair.difference, pair.plus_minus, pair.confidence = difference, half, fitted.confidence(first, second)
        pair.chance_better = chance_better(fitted, first, second)
    return pair.SerializeToString()


def _orders(contest: ContestResults, first: str, second: str) -> list[pb.PairOrder]:
    """Wins, draws and losses by the seats of the two."""
    results = contest.results
    bots, ranks = results.bots, results.ranks
    first_number, second_number = results.names.index(first), results.names.index(second)
    orders = []
    for seat in range(results.contest.seats):
        for place in range(results.contest.seats):
            both = (bots[:, seat] == first_number) & (bots[:, place] == second_number)
            if seat == place or not both.any():
                continue
            lead = np.sign(ranks[both, place] - ranks[both, seat])
            wins, losses = int((lead > 0).sum()), int((lead < 0).sum())
            draws = len(lead) - wins - losses
            orders.append(pb.PairOrder(first_seat=seat, second_seat=place, wins=wins, draws=draws, losses=losses))
    return orders


def _claim(fitted: FittedRatings, first: str, second: str) -> str:
    places = fitted.names.index(first), fitted.names.index(second)
    if finite(fitted.difference(first, second)[1]) is None:
        return NOT_COMPARABLE
    sure = fitted.sure()
    if sure[places]:
        return f"{first} is surely better than {second}."
    return f"{second} is surely better than {first}." if sure[places[::-1]] else NOT_CLEAR


def _row(contest: ContestResults, entry: str) -> pb.LadderRow:
    rows = ladder_rows(contest.standings)
    return next(row for row in rows if row.entry == entry)


def _require(fit: Fit, contest: str) -> ContestResults:
    if fit.contest is None:
        raise NotFound(f"no match of {contest} was played yet")
    return fit.contest
