"""The tables of an event, as values: everything that show.py, report.py and the exports print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from server import ratings
from server.schedule import Place
from server.tournament.event import load
from server.tournament.folder import Agreement, Folder
from server.tournament.manifest import Contest
from server.tournament.runner import log_name
from server.tournament.store import Store
from server.tournament.summary import FaultSummary, MatchSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One bot of a ladder."""

    row: ratings.Row
    version: str
    ancestor: str
    live_elo: float
    live_change: float
    faults: int
    """Matches in which it failed."""
    seconds_per_decision: float | None
    quarantined: bool

    @property
    def bot(self) -> str:
        """Its name."""
        return self.row.name

    @property
    def ranks(self) -> str:
        """The rank range, as `2-4`, or `-` without a match."""
        if not self.row.matches:
            return "-"
        best, worst = self.row.rank_best, self.row.rank_worst
        return str(best) if best == worst else f"{best}-{worst}"


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultLine:
    """One fault and where to read more."""

    match_id: str
    fault: FaultSummary
    log: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Standings:
    """One ladder."""

    contest: Contest
    table: ratings.Table
    lines: tuple[Line, ...]
    placing: tuple[Place, ...]
    """The format's own order, where it has one."""
    faults: tuple[FaultLine, ...]
    duel: ratings.Duel | None
    """The first bot against the other, where there are just two."""
    decisions: int

    def as_json(self) -> dict[str, Any]:
        """For programs. A number that is not known is null."""
        return {
            "game": self.contest.game,
            "seats": self.contest.seats,
            "matches": self.table.matches,
            "blocks": self.table.clusters,
            "method": self.table.method,
            "anchor": self.table.anchor,
            "warning": self.table.goodness.warning,
            "seat_elo": [{"elo": one.elo, "plus_minus": finite(one.plus_minus)} for one in self.table.seats],
            "placing": [{"rank": one.rank, "bot": one.bot, "points": one.points} for one in self.placing],
            "table": [line_json(line) for line in self.lines],
        }


def line_json(line: Line) -> dict[str, Any]:
    """One bot, for programs."""
    row = line.row
    return {
        "bot": row.name,
        "version": line.version,
        "ancestor": line.ancestor or None,
        "rank_best": row.rank_best,
        "rank_worst": row.rank_worst,
        "live_elo": line.live_elo,
        "live_change": line.live_change,
        "rating": row.rating,
        "plus_minus": finite(row.plus_minus),
        "provisional": row.provisional,
        "confidence_next": row.cfs_next,
        "group": row.group,
        "matches": row.matches,
        "blocks": row.clusters,
        "opponents": row.opponents,
        "score": row.score,
        "wins_by_seat": [{"matches": seat.matches, "wins": seat.wins} for seat in row.seats],
        "faults": line.faults,
        "seconds_per_decision": line.seconds_per_decision,
        "quarantined": line.quarantined,
    }


def finite(value: float) -> float | None:
    """None for what JSON cannot say."""
    return value if math.isfinite(value) else None


def read_standings(folder: Folder, game: str | None = None) -> list[Standings]:
    """All ladders of an event, or those of one game."""
    agreement = folder.require_agreement()
    with Store.look(folder.database) as store:
        matches = list(store.matches())
        live = {contest.id: store.live(contest.id) for contest in agreement.manifest.contests}
    return make_standings(agreement, matches, live, game)


def make_standings(
    agreement: Agreement,
    matches: Sequence[MatchSummary],
    live: dict[str, dict[str, tuple[int, int]]],
    game: str | None = None,
) -> list[Standings]:
    """The ladders that follow from these matches."""
    states, _ = load(agreement, matches)
    return [
        make_ladder(
            agreement,
            contest,
            [match for match in matches if match.contest == contest.id],
            live[contest.id],
            state.placing() or (),
            set(state.quarantined),
        )
        for contest, state in zip(agreement.manifest.contests, states, strict=True)
        if game in (None, contest.game)
    ]


def make_ladder(
    agreement: Agreement,
    contest: Contest,
    matches: Sequence[MatchSummary],
    live: dict[str, tuple[int, int]],
    placing: Sequence[Place] = (),
    quarantined: set[str] | None = None,
) -> Standings:
    """One ladder."""
    names = [one.name for one in agreement.roster if not one.games or contest.game in one.games]
    table = fit_matches(agreement, contest, names, matches)
    faults = [
        FaultLine(match_id=match.match_id, fault=fault, log=log_name(match.match_id, fault.seat, fault.bot))
        for match in matches
        for fault in match.faults
    ]
    failed, answers, micros = dict.fromkeys(names, 0), dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for match in matches:
        for seat in match.seats:
            failed[seat.bot] += seat.faults > 0
            answers[seat.bot] += seat.answers
            micros[seat.bot] += seat.time_micros
    lines = []
    for row in table.rows:
        who = agreement.participant(row.name)
        elo, change = live.get(row.name, (ratings.START, 0))
        spent = micros[row.name] / answers[row.name] / 1e6 if answers[row.name] else None
        lines.append(
            Line(
                row=row,
                version=who.version,
                ancestor=who.ancestor,
                live_elo=elo / ratings.MICRO,
                live_change=change / ratings.MICRO,
                faults=failed[row.name],
                seconds_per_decision=spent,
                quarantined=row.name in (quarantined or ()),
            )
        )
    return Standings(
        contest=contest,
        table=table,
        lines=tuple(lines),
        placing=tuple(placing),
        faults=tuple(faults),
        duel=make_duel(names, contest, matches, agreement.manifest.mirrored),
        decisions=sum(match.decisions for match in matches),
    )


def fit_matches(
    agreement: Agreement, contest: Contest, names: Sequence[str], matches: Sequence[MatchSummary]
) -> ratings.Table:
    """The official table. Matches with the same luck are one cluster."""
    number = {name: place for place, name in enumerate(names)}
    shape = (len(matches), contest.seats)
    bots = np.array([[number[seat.bot] for seat in match.seats] for match in matches], dtype=np.int64).reshape(shape)
    ranks = np.array([match.ranks for match in matches], dtype=np.int64).reshape(shape)
    mirrored = agreement.manifest.mirrored
    clusters = np.array([match.block if mirrored else at for at, match in enumerate(matches)], dtype=np.int64)
    anchor = agreement.manifest.anchor
    return ratings.fit(names, bots, ranks, clusters, anchor=anchor if anchor in number else None)


def make_duel(
    names: Sequence[str], contest: Contest, matches: Sequence[MatchSummary], mirrored: bool
) -> ratings.Duel | None:
    """The first bot against the second, by blocks; None unless there are just two."""
    if len(names) != 2 or contest.seats != 2 or not matches:
        return None
    scores: dict[tuple[int, int], list[float]] = {}
    for match in matches:
        key = (match.block, 0 if mirrored else match.rotation)
        scores.setdefault(key, []).extend(seat.half_points / 2 for seat in match.seats if seat.bot == names[0])
    games = 2 if mirrored else 1
    whole = [sum(block) / games for block in scores.values() if len(block) == games]
    return ratings.duel(ratings.of_scores(whole, games=games)) if whole else None
