"""Reads the standings of an event as values. server/standings prints them; `--json` is made here."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import ConfigError
from referee.text import plural
from server.play.summary import BotTotals, FaultSummary
from server.ratings.claims import chance_better
from server.ratings.duel import Duel, duel, of_scores
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings, RatingRow
from server.ratings.leader import say_first
from server.ratings.live import MICRO, START
from server.ratings.matches import Ints
from server.ratings.overall import fit_overall
from server.schedule.placings import ELO, Placings
from server.tournament import store_queries
from server.tournament.agreement import Agreement
from server.tournament.anchors import find_anchors
from server.tournament.bracket import round_json, view_bracket
from server.tournament.contest import ContestState
from server.tournament.folder import Folder, fault_log_name
from server.tournament.manifest import Contest
from server.tournament.placings import placing_json, read_placings
from server.tournament.rating_input import RatingInput, new_rating_input
from server.tournament.rulings.ruled_matches import RuledMatches, read_ruled
from server.tournament.rulings.ruling_file import NO_RULINGS, Rulings, read_rulings
from server.tournament.store import Store

if TYPE_CHECKING:
    from tortuga.v1 import arena_pb2 as pb


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingsLine:
    """One bot of a ladder."""

    row: RatingRow
    family: str
    """The bot it is a version of: every version on a ladder is an entry with a name of its own."""
    version: str
    ancestor: str
    sha256: str
    live_elo: float
    live_change: float
    faults: int
    """Matches in which it failed."""
    played: int
    """All its matches, rated or not."""
    seconds_per_decision: float | None
    quarantined: bool
    disqualified: bool

    @property
    def bot(self) -> str:
        """Return its name."""
        return self.row.name


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
    fitted: FittedRatings
    lines: tuple[StandingsLine, ...]
    placings: Placings
    """The order by the rules of the format."""
    bracket: tuple[pb.BracketRound, ...]
    """Of a knockout."""
    ruled: RuledMatches
    """What was ruled about its matches."""
    faults: tuple[FaultLine, ...]
    duel: Duel | None
    """The first bot against the other, where there are exactly two."""
    decisions: int
    faulted_matches: int
    """Matches in which a bot was out by a fault."""
    faults_rated: bool
    """Whether those count in the ratings."""
    unplayed_matches: int
    """Matches that nobody played: every bot failed before its first decision. They are not rated."""

    @property
    def rulings(self) -> Rulings:
        """Return what was ruled in this event."""
        return self.ruled.rulings

    @property
    def has_results(self) -> bool:
        """Check whether there is anything to say of places: matches that are rated, ruled on or lost by all."""
        return bool(self.fitted.matches or self.rulings or self.unplayed_matches)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON. An unknown number is null."""
        return {
            "game": self.contest.game,
            "seats": self.contest.seats,
            **fitted_json(self.fitted),
            "faulted_matches": self.faulted_matches,
            "faults_rated": self.faults_rated,
            "unplayed_matches": self.unplayed_matches,
            "champion": self.placings.champion,
            "placing_goes_by": self.placings.goes_by,
            "tie_breaks": [
                {"key": rule.key, "name": rule.name, "explained": rule.explained} for rule in self.placings.tie_breaks
            ],
            "placing": [placing_json(line) for line in self.placings.lines],
            "placing_notes": list(self.placings.notes),
            "bracket": [*map(round_json, self.bracket)],
            "rulings": self.rulings.as_json(),
            "table": [line_json(line) for line in self.lines],
        }


def line_json(line: StandingsLine) -> dict[str, Any]:
    """Return one bot, as JSON."""
    return {
        **row_json(line.row),
        "version": line.version,
        "sha256": line.sha256 or None,
        "ancestor": line.ancestor or None,
        "live_elo": line.live_elo,
        "live_change": line.live_change,
        "faults": line.faults,
        "seconds_per_decision": line.seconds_per_decision,
        "quarantined": line.quarantined,
        "disqualified": line.disqualified,
    }


def fitted_json(ratings: FittedRatings) -> dict[str, Any]:
    """Return what holds for all of these ratings, as JSON."""
    anchors = ratings.anchors
    return {
        "matches": ratings.matches,
        "blocks": ratings.clusters,
        "method": ratings.method,
        "anchor": anchors[0].name if [anchor.rating for anchor in anchors] == [1000] else None,
        "anchors": [asdict(anchor) for anchor in anchors],
        "first": say_first(ratings),
        "warning": ratings.goodness.warning,
        "cycles": [list(trio) for trio in ratings.cycles],
        "seat_elo": [{"elo": seat.elo, "plus_minus": finite(seat.plus_minus)} for seat in ratings.seats],
    }


def row_json(row: RatingRow) -> dict[str, Any]:
    """Return the rating of one bot, as JSON."""
    low, high = interval_ends(row)
    return {
        "bot": row.name,
        "rank_best": row.rank_best,
        "rank_worst": row.rank_worst,
        "rating": row.rating,
        "plus_minus": finite(row.mean_plus_minus),
        "rating_plus_minus": finite(row.plus_minus) or None,
        "rating_low": low,
        "rating_high": high,
        "provisional": row.provisional,
        "confidence_next": None,  # no longer claimed: sorting selects the lucky one
        "surely_better_than": list(row.surely_better_than),
        "doubtful": list(row.doubtful),
        "group": row.group,
        "matches": row.matches,
        "blocks": row.clusters,
        "opponents": row.opponents,
        "score": row.score,
        "wins_by_seat": [{"matches": seat.matches, "wins": seat.wins} for seat in row.seats],
    }


def interval_ends(row: RatingRow) -> tuple[float | None, float | None]:
    """Return the ends of the interval that is printed; None: nothing bounds it, or no match of its own tells."""
    return (finite(row.low), finite(row.high)) if row.matches else (None, None)


def finite(value: float) -> float | None:
    """Return a number, or None if JSON cannot express it."""
    return value if math.isfinite(value) else None


def read_standings(folder: Folder, game: str | None = None, *, claims: bool = True) -> list[Standings]:
    """Return all ladders of an event, or those of one game. Without `claims` nobody is surely better than anybody."""
    agreement = folder.require_agreement()
    with Store.read_only(folder.database) as store:
        rulings = read_rulings(folder.rulings)
        return [
            read_ladder(agreement, contest, store, rulings, claims=claims)
            for contest in agreement.manifest.contests
            if game in (None, contest.game)
        ]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class OverallStandings:
    """One table over all contests of an event."""

    contests: tuple[str, ...]
    games: int
    fitted: FittedRatings
    lines: tuple[StandingsLine, ...]
    """The bots, best first, with what they did in all contests together."""
    missing: tuple[str, ...]
    """Bots that are not in it: they have no rating in some game, or none on the scale of the others."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "contests": list(self.contests),
            "games": self.games,
            **fitted_json(self.fitted),
            "missing": list(self.missing),
            "table": [row_json(row) for row in self.fitted.rows],
        }


def read_overall(folder: Folder) -> OverallStandings:
    """Return the standings over all contests of a folder."""
    try:
        return combine(read_standings(folder))
    except ConfigError as error:
        raise ConfigError(f"{folder.path}: {error}") from None


def combine(standings: Sequence[Standings]) -> OverallStandings:
    """Combine the standings of all contests that were played, each game counting the same. ConfigError: there is
    nothing to combine."""
    ladders = [ladder for ladder in standings if ladder.fitted.matches]
    if len(ladders) < 2:
        raise ConfigError(f"there are rated matches of {plural(len(ladders), 'contest')}; expected two or more")
    fitted = fit_overall([(ladder.contest.game, ladder.fitted) for ladder in ladders])
    contests = tuple(ladder.contest.id for ladder in ladders)
    if fitted is None:
        raise ConfigError(f"no two bots have a rating in each of {', '.join(contests)}")
    lines: dict[str, list[StandingsLine]] = {}
    for ladder in ladders:
        for line in ladder.lines:
            if line.row.matches:
                lines.setdefault(line.bot, []).append(line)
    return OverallStandings(
        contests=contests,
        games=len({ladder.contest.game for ladder in ladders}),
        fitted=fitted,
        lines=tuple(_combine_lines(row, lines[row.name]) for row in fitted.rows),
        missing=tuple(bot for bot in lines if bot not in fitted.names),
    )


def _combine_lines(row: RatingRow, lines: Sequence[StandingsLine]) -> StandingsLine:
    """Return what a bot did in several contests: what belongs to one game, such as its live Elo, is left out."""
    return replace(
        lines[0],
        row=row,
        live_elo=0.0,
        live_change=0.0,
        faults=sum(line.faults for line in lines),
        played=sum(line.played for line in lines),
        seconds_per_decision=None,
        quarantined=any(line.quarantined for line in lines),
        disqualified=any(line.disqualified for line in lines),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class PairComparison:
    """Two bots that were named, on one ladder."""

    contest: str
    first: str
    second: str
    difference: float
    plus_minus: float
    confidence: float
    """That the first is better, by the difference and its error alone."""
    chance_better: float
    """The chance that the first is better, by all that the fit says."""
    matches: int
    """In which both sat."""
    score: float
    """Of the first in those."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON. An unknown number is null."""
        return {**asdict(self), "plus_minus": finite(self.plus_minus)}


def compare_pair(folder: Folder, first: str, second: str) -> list[PairComparison]:
    """Compare two bots on every ladder that both are on."""
    known = [entry.name for entry in folder.require_agreement().roster]
    for name in (first, second):
        if name not in known:
            raise ConfigError(f"{folder.path} has no bot {name!r}; it has {', '.join(known)}")
    if first == second:
        raise ConfigError(f"{first} cannot be compared with itself: name two bots")
    comparisons = []
    for ladder in read_standings(folder, claims=False):
        fitted = ladder.fitted
        if {first, second} <= {*fitted.names}:
            difference, half = fitted.difference(first, second)
            together = fitted.pair(first, second)
            comparisons.append(
                PairComparison(
                    contest=ladder.contest.id,
                    first=first,
                    second=second,
                    difference=difference,
                    plus_minus=half,
                    confidence=fitted.confidence(first, second),
                    chance_better=chance_better(fitted, first, second),
                    matches=together.games,
                    score=together.score,
                )
            )
    return comparisons


def read_trend(folder: Folder, bot: str, points: int = 10) -> list[dict[str, Any]]:
    """Return the history of a bot's rating: fitted again after each part of the matches, on today's scale."""
    agreement = folder.require_agreement()
    known = [entry.name for entry in agreement.roster]
    if bot not in known:
        raise ConfigError(f"{folder.path} has no bot {bot!r}; it has {', '.join(known)}")
    points_of_trend = []
    with Store.read_only(folder.database) as store:
        rulings = read_rulings(folder.rulings)
        for contest in agreement.manifest.contests:
            results = new_rating_input(agreement, contest, read_ruled(rulings, agreement, contest.id, store))
            deque(results.pass_through(store.results(contest.id, contest.seats)), maxlen=0)
            columns = results.bots, results.ranks, results.clusters
            for part in range(1, points + 1):
                count = len(columns[0]) * part // points
                fitted = fit(
                    results.names,
                    *(column[:count] for column in columns),
                    anchors=find_anchors(agreement, contest),
                    ancestors=agreement.ancestors,
                    starts=agreement.starts(contest.id),
                    claims=False,
                )
                row = next((row for row in fitted.rows if row.name == bot and row.matches), None)
                if row is not None:
                    points_of_trend.append(
                        {
                            "contest": contest.id,
                            "ladder_matches": count,
                            "matches": row.matches,
                            "rating": row.rating,
                            "rating_plus_minus": finite(row.plus_minus) or None,
                        }
                    )
    return points_of_trend


def read_ladder(
    agreement: Agreement, contest: Contest, store: Store, rulings: Rulings = NO_RULINGS, *, claims: bool = True
) -> Standings:
    """Return one ladder, from the database."""
    return _read_ladder(agreement, contest, store, rulings, claims=claims)[0]


def _read_ladder(
    agreement: Agreement, contest: Contest, store: Store, rulings: Rulings, *, claims: bool = True
) -> tuple[Standings, RatingInput]:
    ruled = read_ruled(rulings, agreement, contest.id, store)
    rating_input = new_rating_input(agreement, contest, ruled)
    results = rating_input.pass_through(store.results(contest.id, contest.seats))
    state: ContestState | None = None
    if agreement.is_open:  # it has no schedule
        deque(results, maxlen=0)
    else:
        state = ContestState(agreement, contest, rated=False, ruled=ruled)
        state.read(results)
    rating_input.bot_totals = store_queries.bot_totals(store, contest.id)
    rating_input.faults, rating_input.decisions = store_queries.faults(store, contest.id), store.decisions(contest.id)
    bracket = state.bracket() if state else None
    quarantined = set(state.quarantined) if state else ()
    ladder = make_ladder(agreement, rating_input, store.live_elo(contest.id), quarantined, claims=claims)
    ladder = replace(
        ladder,
        placings=read_placings(agreement, rating_input, state, ladder.fitted, store),
        bracket=view_bracket(bracket, store.matches(contest.id), ruled) if bracket else (),
    )
    return ladder, rating_input


class ContestResults(NamedTuple):
    """A contest of a folder: its standings, what they were made from, and when each of those matches began."""

    agreement: Agreement
    standings: Standings
    results: RatingInput
    started_millis: Ints


def read_contest(folder: Folder, contest_id: str) -> ContestResults | None:
    """Return a contest of a folder in which play may be going on; None if it has no matches yet."""
    if not folder.database.exists():
        return None
    with Store.read_only(folder.database) as store, store.snapshot():
        # Read the roster after the results, so that it has everybody who played.
        agreement = folder.read_agreement()
        contests = {contest.id: contest for contest in agreement.manifest.contests} if agreement else {}
        if agreement is None or contest_id not in contests:
            return None
        standings, results = _read_ladder(agreement, contests[contest_id], store, read_rulings(folder.rulings))
        return ContestResults(
            agreement, standings, results, results.counted(store_queries.started_millis(store, contest_id))
        )


def make_ladder(
    agreement: Agreement,
    results: RatingInput,
    live: dict[str, tuple[int, int]],
    quarantined: Collection[str] = (),
    *,
    claims: bool = True,
) -> Standings:
    """Compute the ratings of one ladder, without its placings."""
    fitted = fit(
        results.names,
        results.bots,
        results.ranks,
        results.clusters,
        anchors=find_anchors(agreement, results.contest),
        ancestors=agreement.ancestors,
        starts=agreement.starts(results.contest.id),
        claims=claims,
    )
    lines, played = [], results.matches_of_bots()
    for row in fitted.rows:
        entry, totals = agreement.entry(row.name), results.bot_totals.get(row.name, BotTotals())
        elo, change = live.get(row.name, (START, 0))
        lines.append(
            StandingsLine(
                row=row,
                family=entry.bot,
                version=entry.version or totals.version,  # a remote bot has no manifest that names one
                ancestor=entry.ancestor,
                sha256=entry.sha256,
                live_elo=elo / MICRO,
                live_change=change / MICRO,
                faults=totals.failed,
                played=played[row.name],
                seconds_per_decision=totals.time_micros / totals.answers / 1e6 if totals.answers else None,
                quarantined=row.name in quarantined,
                disqualified=row.name in results.ruled.disqualified,
            )
        )
    return Standings(
        contest=results.contest,
        fitted=fitted,
        lines=tuple(lines),
        placings=Placings(goes_by=ELO),
        bracket=(),
        ruled=results.ruled,
        faults=tuple(
            FaultLine(match_id=match_id, fault=fault, log=fault_log_name(match_id, fault.seat, fault.bot))
            for match_id, fault in results.faults
        ),
        duel=make_duel(results),
        decisions=results.decisions,
        faulted_matches=results.faulted_matches,
        faults_rated=results.faults_rated,
        unplayed_matches=results.unplayed_matches,
    )


def make_duel(results: RatingInput) -> Duel | None:
    """Compare the first bot with the second, by blocks; None unless there are exactly two."""
    if len(results.names) != 2 or results.contest.seats != 2:
        return None
    whole = results.duel_scores().tolist()
    return duel(of_scores(whole, games=2 if results.mirrored else 1)) if whole else None
