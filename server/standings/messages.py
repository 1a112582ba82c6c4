"""Turns the standings of a contest into messages of arena.proto: what terminal, client, pages and report are made from.

cells.py and placing_cells.py say what stands in each place of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from server.ratings.fitted_ratings import FittedRatings, RatingRow
from server.ratings.leader import say_first
from server.ratings.scale import ScaleAnchor
from server.ratings.scores import wilson
from server.schedule.placings import Placing
from server.tournament.rulings.ruling_file import RulingKind, Rulings
from server.tournament.standings import OverallStandings, Standings, StandingsLine, finite, interval_ends
from tortuga.v1 import arena_pb2 as pb

MAX_CROSS = 64
"""Pair scores of more entries are not sent: there is one for every two of them."""
LEAST_DISPERSION = 0.25
"""Blocks are not taken to be surer than this, however alike their games are."""
KINDS = {
    RulingKind.DISQUALIFY: pb.RULING_KIND_DISQUALIFY,
    RulingKind.ANNUL: pb.RULING_KIND_ANNUL,
    RulingKind.WITHDRAW: pb.RULING_KIND_WITHDRAW,
}


def make_listing(ladder: Standings, *, whole: bool = False, pairs: bool = True) -> pb.EventTable:
    """Return everything that is printed of a contest. `whole`: also what an arena does not send, such as wins by seat
    and the pair scores of many entries. Without `pairs`, no pair scores: the page of a ladder does not show them."""
    placings = ladder.placings
    listing = make_rated_listing(
        ladder.contest.id,
        ladder.fitted,
        ladder_rows(ladder, whole=whole),
        pairs=whole or (pairs and len(ladder.lines) <= MAX_CROSS),
    )
    placed = pb.EventTable(
        unplayed_matches=ladder.unplayed_matches,
        champion=placings.champion,
        placing_goes_by=placings.goes_by,
        placing_notes=placings.notes,
        placing=map(_make_place, placings.lines),
        tie_breaks=[
            pb.TieBreak(key=rule.key, name=rule.name, short_name=rule.short, explained=rule.explained)
            for rule in placings.tie_breaks
        ],
        bracket=ladder.bracket,
    )
    listing.MergeFrom(placed)
    return listing


def make_overall_listing(overall: OverallStandings) -> pb.EventTable:
    """Return what is printed of a table over several contests."""
    return make_rated_listing("overall", overall.fitted, ladder_rows(overall), pairs=False)


def make_rated_listing(
    name: str, ratings: FittedRatings, rows: Sequence[pb.LadderRow] | None = None, *, pairs: bool = True
) -> pb.EventTable:
    """Return what is printed of any ratings, wherever the results come from. `rows`: those with more to say than the
    ratings know."""
    return pb.EventTable(
        contest=name,
        rows=map(_make_rated_row, ratings.rows) if rows is None else rows,
        first=say_first(ratings),
        method=ratings.method,
        warning=warn(ratings),
        scale=scale_words(ratings.anchors),
        table_matches=ratings.matches,
        cross_table=pair_scores(ratings) if pairs else (),
    )


def warn(ratings: FittedRatings) -> str:
    """Say what the ratings do not explain; empty if there is nothing."""
    warnings = [ratings.goodness.warning] if ratings.goodness.warning else []
    if ratings.cycles:
        first, second, third = ratings.cycles[0]
        more = f" (and {len(ratings.cycles) - 1} more such threes)" if len(ratings.cycles) > 1 else ""
        warnings.append(
            f"{first} does better against {second}, {second} against {third} and {third} against {first} than any "
            f"order of the three allows{more}: do not believe their order."
        )
    return " ".join(warnings)


def ladder_rows(ladder: Standings | OverallStandings, *, whole: bool = False) -> list[pb.LadderRow]:
    """Return the rows of a contest or of several, best first. `whole`: with what an arena does not send."""
    return [_make_row(line, whole=whole) for line in ladder.lines]


def _make_row(line: StandingsLine, *, whole: bool) -> pb.LadderRow:
    made = pb.LadderRow(
        bot=line.family,
        version=line.version,
        ancestor=line.ancestor,
        live_elo=line.live_elo,
        live_change=line.live_change,
        faults=line.faults,
        disqualified=line.disqualified,
        details=_make_details(line, whole=whole),
    )
    made.MergeFrom(_make_rated_row(line.row))
    return made


def _make_rated_row(row: RatingRow) -> pb.LadderRow:
    """Return what the ratings say of a bot."""
    low, high = interval_ends(row)
    return pb.LadderRow(
        entry=row.name,
        rank_best=row.rank_best,
        rank_worst=row.rank_worst,
        rating=row.rating if math.isfinite(row.plus_minus) else None,
        plus_minus=finite(row.mean_plus_minus),
        rating_plus_minus=finite(row.plus_minus) or None,
        rating_low=low,
        rating_high=high,
        surely_better_than=row.surely_better_than,
        doubtful=row.doubtful,
        provisional=row.provisional,
        matches=row.matches,
        score=row.score,
    )


def _make_details(line: StandingsLine, *, whole: bool) -> pb.RowDetails | None:
    if not whole:
        return pb.RowDetails(quarantined=True) if line.quarantined else None
    return pb.RowDetails(
        seats=[
            pb.SeatTally(seat=number, matches=seat.matches, wins=seat.wins)
            for number, seat in enumerate(line.row.seats)
        ],
        seconds_per_decision=line.seconds_per_decision,
        quarantined=line.quarantined,
    )


def scale_words(anchors: Sequence[ScaleAnchor]) -> str:
    """Say what the ratings are relative to."""
    if not anchors:
        return "the mean of all bots here, which is 1000"
    if len(anchors) == 1:
        return f"{anchors[0].name}, which is {anchors[0].rating:g} by definition"
    weighted = ", ".join(f"{anchor.name} = {anchor.rating:g} ({anchor.weight:.0%})" for anchor in anchors)
    return f"the weighted mean of {weighted}"


def pair_scores(ratings: FittedRatings) -> list[pb.PairScore]:
    """Return every entry's score against every other one that it met, as the rows are sorted."""
    names = [row.name for row in ratings.rows]
    scores = (pair_score(ratings, first, second) for first in names for second in names if first != second)
    return [score for score in scores if score.matches]


def pair_score(ratings: FittedRatings, first: str, second: str) -> pb.PairScore:
    """Return what the first did against the second, with the interval of its share."""
    pair = ratings.pair(first, second)
    # Blocks are the evidence, not games: as many independent games would scatter as the blocks do.
    low, high = wilson(pair.score, pair.games / max(ratings.pair_dispersion, LEAST_DISPERSION))
    return pb.PairScore(
        first=first, second=second, matches=pair.games, score=pair.score, score_low=low, score_high=high
    )


def _make_place(line: Placing) -> pb.EventPlace:
    return pb.EventPlace(
        rank=line.place or 0,
        entry=line.bot,
        points=line.points or 0,
        possible_points=line.possible or 0,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        byes=line.byes,
        tie_breaks=[
            pb.TieBreakValue(key=key, value=value) for key, value in line.tie_breaks.items() if value is not None
        ],
        ahead_by=line.decided_by,
        round_reached=line.round_reached,
        rating=line.rating,
        note=line.note,
    )


def ruling_infos(rulings: Rulings, event: str = "") -> list[pb.Ruling]:
    """Return all rulings of a folder."""
    withdrawn = rulings.withdrawn
    return [
        pb.Ruling(
            number=ruling.number,
            kind=KINDS[ruling.kind],
            at_millis=ruling.at_millis,
            by=ruling.by,
            reason=ruling.reason,
            bot=ruling.bot,
            match_id=ruling.match,
            from_millis=ruling.from_millis,
            withdraws=ruling.withdraws,
            withdrawn_by=withdrawn[ruling.number].number if ruling.number in withdrawn else 0,
            words=ruling.statement(),
            event=event,
        )
        for ruling in rulings.lines
    ]
