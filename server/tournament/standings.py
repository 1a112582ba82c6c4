"""The tables of an event, as values: everything that show.py, report.py and the exports print."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from server import ratings
from server.schedule import Place
from server.tournament.agreement import Agreement
from server.tournament.contest import ContestState
from server.tournament.folder import Folder, fault_log_name
from server.tournament.manifest import Contest
from server.tournament.rating_input import BotTotals, RatingInput, new_rating_input
from server.tournament.store import Store
from server.tournament.summary import FaultSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingsLine:
    """One bot of a ladder."""

    row: ratings.RatingRow
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
    table: ratings.RatingTable
    lines: tuple[StandingsLine, ...]
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


def line_json(line: StandingsLine) -> dict[str, Any]:
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
    with Store.read_only(folder.database) as store:
        return [
            read_ladder(agreement, contest, store)
            for contest in agreement.manifest.contests
            if game in (None, contest.game)
        ]


def read_ladder(agreement: Agreement, contest: Contest, store: Store) -> Standings:
    """One ladder, from the database."""
    sheet = new_rating_input(agreement, contest)
    results = sheet.note(store.results(contest.id, contest.seats))
    placing: Sequence[Place] = ()
    quarantined: Collection[str] = ()
    if agreement.is_open:  # it has no schedule
        deque(results, maxlen=0)
    else:
        state = ContestState(agreement, contest, rated=False)
        state.load(results)
        placing, quarantined = state.placing() or (), set(state.quarantined)
    sheet.bot_totals = {bot: BotTotals(*effort) for bot, effort in store.bot_totals(contest.id).items()}
    sheet.faults, sheet.decisions = store.faults(contest.id), store.decisions(contest.id)
    return make_ladder(agreement, sheet, store.live(contest.id), placing, quarantined)


def read_open_ladder(folder: Folder, contest_id: str) -> Standings | None:
    """One ladder whose matches follow no schedule, as an arena's do. None: it has none yet."""
    if not folder.database.exists():
        return None
    with Store.read_only(folder.database) as store, store.snapshot():
        # The roster after the results: who has played is on it, also who came in this very moment.
        agreement = folder.read_agreement()
        contests = {contest.id: contest for contest in agreement.manifest.contests} if agreement else {}
        if agreement is None or contest_id not in contests:
            return None
        return read_ladder(agreement, contests[contest_id], store)


def make_ladder(
    agreement: Agreement,
    sheet: RatingInput,
    live: dict[str, tuple[int, int]],
    placing: Sequence[Place] = (),
    quarantined: Collection[str] = (),
) -> Standings:
    """One ladder."""
    anchor = agreement.manifest.anchor
    table = ratings.fit(
        sheet.names, sheet.bots, sheet.ranks, sheet.clusters, anchor=anchor if anchor in sheet.names else None
    )
    lines = []
    for row in table.rows:
        who, effort = agreement.entry(row.name), sheet.bot_totals.get(row.name, BotTotals())
        elo, change = live.get(row.name, (ratings.START, 0))
        lines.append(
            StandingsLine(
                row=row,
                version=who.version or effort.version,  # a bot that dials in has no manifest that names one
                ancestor=who.ancestor,
                live_elo=elo / ratings.MICRO,
                live_change=change / ratings.MICRO,
                faults=effort.failed,
                seconds_per_decision=effort.time_micros / effort.answers / 1e6 if effort.answers else None,
                quarantined=row.name in quarantined,
            )
        )
    return Standings(
        contest=sheet.contest,
        table=table,
        lines=tuple(lines),
        placing=tuple(placing),
        faults=tuple(
            FaultLine(match_id=match_id, fault=fault, log=fault_log_name(match_id, fault.seat, fault.bot))
            for match_id, fault in sheet.faults
        ),
        duel=make_duel(sheet),
        decisions=sheet.decisions,
    )


def make_duel(sheet: RatingInput) -> ratings.Duel | None:
    """The first bot against the second, by blocks; None unless there are just two."""
    if len(sheet.names) != 2 or sheet.contest.seats != 2:
        return None
    whole = sheet.duel_scores().tolist()
    return ratings.duel(ratings.of_scores(whole, games=2 if sheet.mirrored else 1)) if whole else None
