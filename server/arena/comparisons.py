"""How ratings came about, one entry in detail, and two entries compared. Everything here runs in the table maker.

docs/spec/ratings.md says what may be claimed. The confidence in a difference is for a pair that was chosen before
looking at the table; a reader of a page has looked. So a comparison also says what can be claimed of any pair: those
claims all hold together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from referee.errors import FaultKind
from referee.wire.envelope import FAULT_KINDS
from server.arena.errors import NotFound
from server.arena.table_rows import bots_by_entry, ladder_rows, pair_score
from server.ratings.fit import fit
from server.ratings.table import RatingTable
from server.tournament.anchors import find_anchors
from server.tournament.cells import scale_words
from server.tournament.folder import Folder
from server.tournament.standings import ContestResults, finite, read_contest
from tortuga.v1 import arena_pb2 as pb

HISTORY_POINTS = 20
MAX_OPPONENTS = 100
KEPT_CONTESTS = 4
"""Contests whose results are kept in memory for the next question about them."""
NOT_COMPARABLE = "They never met, not even through others, so nothing can be said."
NOT_CLEAR = "It is not clear yet which of the two is better."


@lru_cache(maxsize=KEPT_CONTESTS)
def _contest(path: str, contest: str, version: str) -> ContestResults | None:
    """A contest as of `version`, which is only a key: other matches, or another roster, have another one."""
    return read_contest(Folder(Path(path)), contest)


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """How all ratings of a contest came about."""

    matches: int = 0
    scale: str = ""
    points: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    """Per entry its packed RatingPoints."""


def make_history(path: str, contest: str, version: str) -> History:
    """The table fitted anew after each part of the matches, on today's scale."""
    found = _contest(path, contest, version)
    if found is None:
        return History()
    agreement, standings, results, millis = found
    versions = {line.bot: line.version for line in standings.lines}
    columns = results.bots, results.ranks, results.clusters
    points: dict[str, list[bytes]] = {}
    played: Counter[str] = Counter()
    counts = {len(millis) * part // HISTORY_POINTS for part in range(1, HISTORY_POINTS + 1)} - {0}
    for count in sorted(counts):
        table = standings.table
        if count < len(millis):
            table = fit(
                results.names,
                *(column[:count] for column in columns),
                anchors=find_anchors(agreement, results.contest),
                ancestors=agreement.ancestors,
            )
        for row in table.rows:
            if row.matches > played[row.name]:  # a version that plays no more has no further points
                played[row.name] = row.matches
                point = pb.RatingPoint(
                    entry=row.name,
                    version=versions[row.name],
                    millis=int(millis[count - 1]),
                    table_matches=count,
                    matches=row.matches,
                    rating=row.rating,
                    plus_minus=finite(row.plus_minus) or None,
                )
                points.setdefault(row.name, []).append(point.SerializeToString())
    return History(matches=len(millis), scale=scale_words(standings.table.anchors), points=points)


def make_entry(path: str, contest: str, version: str, entry: str) -> bytes:
    """A packed EntryDetails."""
    found = _require(path, contest, version)
    standings, table = found.standings, found.standings.table
    line = next(line for line in standings.lines if line.bot == entry)
    opponents = [pair_score(table, entry, other) for other in table.names if other != entry]
    opponents = sorted((one for one in opponents if one.matches), key=lambda one: (-one.matches, one.second))
    kinds = Counter(one.fault.kind for one in standings.faults if one.fault.bot == entry)
    known = [(FAULT_KINDS[FaultKind(kind)], count) for kind, count in kinds.most_common() if kind in [*FaultKind]]
    bots = bots_by_entry(found.agreement)
    return pb.EntryDetails(
        row=_row(found, entry),
        opponents=opponents[:MAX_OPPONENTS],
        opponent_count=len(opponents),
        seats=[
            pb.SeatTally(seat=number, matches=seat.matches, wins=seat.wins)
            for number, seat in enumerate(line.row.seats)
        ],
        faults=[pb.FaultCount(kind=kind, count=count) for kind, count in known],
        versions=[one.name for one in found.agreement.roster if one.bot == bots[entry] and one.name in table.names],
    ).SerializeToString()


def make_pair(path: str, contest: str, version: str, first: str, second: str) -> bytes:
    """A packed Pair."""
    found = _require(path, contest, version)
    table = found.standings.table
    pair = pb.Pair(
        score=pair_score(table, first, second),
        orders=_orders(found, first, second),
        claim=_claim(table, first, second),
        table_matches=table.matches,
        first_row=_row(found, first),
        second_row=_row(found, second),
    )
    for order in pair.orders:
        pair.wins, pair.draws, pair.losses = (
            pair.wins + order.wins,
            pair.draws + order.draws,
            pair.losses + order.losses,
        )
    difference, half = table.difference(first, second)
    if finite(half) is not None:
        pair.difference, pair.plus_minus, pair.confidence = difference, half, table.confidence(first, second)
    return pair.SerializeToString()


def _orders(found: ContestResults, first: str, second: str) -> list[pb.PairOrder]:
    """Wins, draws and losses by the seats of the two."""
    results = found.results
    bots, ranks = results.bots, results.ranks
    one, other = results.names.index(first), results.names.index(second)
    orders = []
    for seat in range(results.contest.seats):
        for place in range(results.contest.seats):
            both = (bots[:, seat] == one) & (bots[:, place] == other)
            if seat == place or not both.any():
                continue
            lead = np.sign(ranks[both, place] - ranks[both, seat])
            wins, losses = int((lead > 0).sum()), int((lead < 0).sum())
            draws = len(lead) - wins - losses
            orders.append(pb.PairOrder(first_seat=seat, second_seat=place, wins=wins, draws=draws, losses=losses))
    return orders


def _claim(table: RatingTable, first: str, second: str) -> str:
    places = table.names.index(first), table.names.index(second)
    if finite(table.difference(first, second)[1]) is None:
        return NOT_COMPARABLE
    sure = table.sure()
    if sure[places]:
        return f"{first} is surely better than {second}."
    return f"{second} is surely better than {first}." if sure[places[::-1]] else NOT_CLEAR


def _row(found: ContestResults, entry: str) -> pb.LadderRow:
    rows = ladder_rows(found.standings, bots_by_entry(found.agreement))
    return next(row for row in rows if row.entry == entry)


def _require(path: str, contest: str, version: str) -> ContestResults:
    found = _contest(path, contest, version)
    if found is None:
        raise NotFound(f"no match of {contest} was played yet")
    return found
