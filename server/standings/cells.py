"""Says what stands in the cells of standings, for every medium: terminal, client, pages and report.

A row is a LadderRow, made from the folder of an event (messages.py) or received from an arena. A number is never shown
without its uncertainty. A dash says that nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.match.clock import TimeControl
from referee.text import plural
from server.standings.charts import Axis, Interval, make_axis
from tortuga.v1 import arena_pb2 as pb

if TYPE_CHECKING:
    from server.ratings.duel import Duel
    from server.ratings.fitted_ratings import FittedRatings
    from server.tournament.standings import OverallStandings, Standings

NOTHING = "–"
PROVISIONAL = "provisional"
NAMED = 3
"""Most bots that a cell names."""
HEADS = (
    *("#", "bot", "version", "Elo", "±", "surely better than", "matches", "score"),
    *("wins by seat", "faults", "per decision"),
)
"""The columns, from left to right."""
OPTIONAL = ("version", "wins by seat", "per decision")
"""Columns that are left out where no row has anything to say there."""


def row_cells(row: pb.LadderRow) -> dict[str, str]:
    """Return the cells of a row by the heads of their columns."""
    return {
        "#": rank_range(row),
        "bot": bot_with_marks(row),
        "version": row.version,
        "Elo": rating(row),
        "±": plus_minus(row),
        "surely better than": better_than(row),
        "matches": str(row.matches),
        "score": score(row),
        "wins by seat": wins_by_seat(row),
        "faults": faults(row),
        "per decision": seconds_per_decision(row),
    }


def rank_range(row: pb.LadderRow) -> str:
    """Return the ranks that cannot be ruled out, as `2–4`."""
    if not row.matches:
        return NOTHING
    return str(row.rank_best) if row.rank_best == row.rank_worst else f"{row.rank_best}–{row.rank_worst}"


def version_of(row: pb.LadderRow) -> str:
    """Return the version of an entry, or its own name."""
    return f"v{row.version}" if row.version[:1].isdecimal() else row.version or row.entry


def bot_with_marks(row: pb.LadderRow) -> str:
    """Return the name of an entry with what is remarked about it, short enough for a column: `corsair (prov.)`."""
    marks = [f"after {row.ancestor}"] if row.ancestor else []
    marks += ["prov." if mark == PROVISIONAL else mark for mark in row_marks(row)]
    return f"{row.entry} ({', '.join(marks)})" if marks else row.entry


def row_marks(row: pb.LadderRow) -> list[str]:
    """Return what is remarked beside the name of a bot."""
    marks = []
    if row.details.quarantined:
        marks.append("quarantined")
    if row.disqualified:
        marks.append("disqualified")
    if is_reference(row):
        marks.append("reference")
    elif row.provisional:
        marks.append(PROVISIONAL)
    return marks


def is_rated(row: pb.LadderRow) -> bool:
    """Check whether a bot's own matches say how good it is.

    Without a match, the message may tell what a former version or a season before says. That is not shown.
    """
    return row.matches > 0 and row.HasField("rating")


def is_reference(row: pb.LadderRow) -> bool:
    """Check whether a rating is given, not measured: the others are rated relative to it."""
    return row.HasField("rating") and row.HasField("plus_minus") and not row.HasField("rating_plus_minus")


def one_sided(row: pb.LadderRow) -> str:
    """Return `above 1640` for a bot that wins nearly everything, `below 420` for one that loses it; else nothing."""
    if not is_rated(row) or row.HasField("rating_low") == row.HasField("rating_high"):
        return ""
    return f"above {row.rating_low:.0f}" if row.HasField("rating_low") else f"below {row.rating_high:.0f}"


def rating(row: pb.LadderRow) -> str:
    """Return the Elo, for a column with plus_minus beside it."""
    return one_sided(row) or (f"{row.rating:.0f}" if is_rated(row) else NOTHING)


def plus_minus(row: pb.LadderRow) -> str:
    """Return half of the 95 % interval of the Elo, if it has two ends."""
    if one_sided(row) or not is_rated(row) or not row.HasField("rating_plus_minus"):
        return NOTHING
    return f"{row.rating_plus_minus:.0f}"


def rating_with_doubt(row: pb.LadderRow) -> str:
    """Return `1210 ±35`, or `above 1640`; of a reference the Elo alone."""
    half = plus_minus(row)
    return rating(row) if half == NOTHING else f"{row.rating:.0f} ±{half}"


def rating_in_words(row: pb.LadderRow) -> str:
    """Return `1210 ±35 Elo`, or that there is no rating."""
    return f"{rating_with_doubt(row)} Elo" if is_rated(row) else "not rated yet"


def interval_of(row: pb.LadderRow) -> Interval | None:
    """Return the rating between the ends of its interval, an open end as far off as the estimate's; None without a
    rating."""
    if not is_rated(row):
        return None
    half = row.rating_plus_minus  # 0 if it is not measured
    low = row.rating_low if row.HasField("rating_low") else row.rating - half
    high = row.rating_high if row.HasField("rating_high") else row.rating + half
    is_open = bool(one_sided(row))
    return Interval(
        low=low,
        middle=row.rating,
        high=high,
        open_low=is_open and not row.HasField("rating_low"),
        open_high=is_open and not row.HasField("rating_high"),
    )


def rating_axis(rows: Sequence[pb.LadderRow]) -> Axis | None:
    """Return the axis that shows the intervals of all rows; None if nobody has a rating."""
    return make_axis([interval for row in rows if (interval := interval_of(row)) is not None])


def better_than(row: pb.LadderRow) -> str:
    """Return the bots it is surely better than: the names of a few, the number of many. A question mark: only if
    strengths add up."""
    names = [f"{name}?" if name in row.doubtful else name for name in row.surely_better_than]
    if len(names) <= NAMED:
        return ", ".join(names)
    return f"{len(names)} bots ({len(row.doubtful)}?)" if row.doubtful else f"{len(names)} bots"


def score(row: pb.LadderRow) -> str:
    """Return the mean score."""
    return f"{row.score:.1%}" if row.matches else NOTHING


def wins_by_seat(row: pb.LadderRow) -> str:
    """Return the share of matches won on each seat; empty if the row does not tell."""
    shares = [f"{seat.wins / seat.matches:.0%}" if seat.matches else NOTHING for seat in row.details.seats]
    return " ".join(shares)


def faults(row: pb.LadderRow) -> str:
    """Return the number of matches in which it failed, and their share."""
    if not row.faults or row.faults > row.matches:  # a ruling may have taken matches out of the ratings
        return str(row.faults)
    return f"{row.faults} ({row.faults / row.matches:.1%})"


def seconds_per_decision(row: pb.LadderRow) -> str:
    """Return the mean time of a decision in the unit that suits it; empty if the row does not tell."""
    if not has_details([row]):
        return ""
    if not row.details.HasField("seconds_per_decision"):
        return NOTHING
    seconds = row.details.seconds_per_decision
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def has_details(rows: Sequence[pb.LadderRow]) -> bool:
    """Check whether any row tells wins by seat and the time of a decision."""
    return any(row.details.seats for row in rows)


def share(score: float, low: float, high: float) -> str:
    """Return a share in percent with its 95 % interval."""
    return f"{score * 100:.0f} ({low * 100:.0f}-{high * 100:.0f})"


def pair_cell(pair: pb.PairScore | None) -> str:
    """Return one bot's score against another; empty if they never met."""
    return share(pair.score, pair.score_low, pair.score_high) if pair else ""


def pair_title(pair: pb.PairScore) -> str:
    """Return what one bot's score against another is based on: `8 matches, 95 %: 20–97`."""
    return f"{plural(pair.matches, 'match', 'matches')}, 95 %: {pair.score_low * 100:.0f}–{pair.score_high * 100:.0f}"


def cross_rows(listing: pb.EventTable) -> list[tuple[str, list[pb.PairScore | None]]]:
    """Return for each entry its scores against all others, in the order of the rows; nothing for two or fewer."""
    entries = [row.entry for row in listing.rows]
    scores = {(pair.first, pair.second): pair for pair in listing.cross_table}
    if not scores or len(entries) < 3:
        return []
    return [(first, [scores.get((first, second)) for second in entries]) for first in entries]


def seat_cells(ratings: FittedRatings) -> list[tuple[str, str]]:
    """Return per seat its worth in Elo and its wins."""
    from server.ratings.scores import wilson

    texts = []
    for number, seat in enumerate(ratings.seats):
        matches = sum(row.seats[number].matches for row in ratings.rows)
        wins = sum(row.seats[number].wins for row in ratings.rows)
        half = f"±{seat.plus_minus:.0f}" if math.isfinite(seat.plus_minus) else "±∞"
        # The matches of a block share their luck: it is one piece of evidence for a seat.
        won = share(wins / matches, *wilson(wins / matches, ratings.clusters)) if matches else NOTHING
        texts.append((f"{seat.elo:+z.0f} {half}", won))
    return texts


def reading_lines(listing: pb.EventTable | pb.GetLadderResponse) -> list[str]:
    """Say what came out, and how to read it, in lines."""
    lines = [f"Result: {listing.first}."] if listing.first else []
    if listing.table_matches:
        lines += [
            f"Elo is relative to {listing.scale}; who is 100 above another scores 64 % against it. "
            "±: contains the true Elo 95 times of 100.",
            "#: the ranks a bot may have; all ranges of the table are right together 95 times of 100.",
        ]
        if any(row.doubtful for row in listing.rows):
            lines.append(
                "?: better only if strengths add up: the two share hardly any opponents, or beat each other otherwise "
                "than their ratings say."
            )
        if any(map(one_sided, listing.rows)):
            lines.append(
                "above, below: the bot won or lost nearly everything, so its matches tell this end of its Elo only."
            )
    return lines


def warning_lines(listing: pb.EventTable | pb.GetLadderResponse) -> list[str]:
    """Say what to beware of, in lines."""
    return [f"beware: {warning}" for warning in warnings(listing)]


def warnings(listing: pb.EventTable | pb.GetLadderResponse) -> list[str]:
    """Return what to beware of: the loudest first."""
    texts = [listing.warning] if listing.warning else []
    if count := listing.unplayed_matches:
        texts.insert(
            0,
            f"NOBODY PLAYED {plural(count, 'match', 'matches').upper()}: every bot failed before its first decision. "
            "They are not rated, and nobody wins a title by them",
        )
    return texts


def footer_lines(listing: pb.EventTable, ladder: Standings) -> list[str]:
    """Say what came out, how it was computed and what to beware of, as the folder of an event knows it."""
    return rated_lines(listing, ladder.fitted, ladder.duel, _fault_words(ladder))


def rated_lines(listing: pb.EventTable, ratings: FittedRatings, duel: Duel | None, remark: str = "") -> list[str]:
    """Do the same of any ratings. The remark follows the number of matches."""
    lines = reading_lines(listing)
    if ratings.matches:
        lines.append(f"{ratings.matches} matches in {ratings.clusters} blocks. {remark}".rstrip())
    if duel:
        lines.append(_duel_line(duel, [row.name for row in ratings.rows], ratings.names[0]))
    if ratings.groups > 1:
        lines.append(f"{ratings.groups} groups never met each other: their numbers do not compare")
    lines += warning_lines(listing)
    lines += [
        f"beware: {pair.first} against {pair.second} is {pair.score:.0%} instead of {pair.expected:.0%}"
        for pair in ratings.flagged
    ]
    return lines


def overall_lines(listing: pb.EventTable, overall: OverallStandings) -> list[str]:
    """Say what a table over several games is, what came out, and how to read it."""
    lines = [f"Over {', '.join(overall.contests)}: the mean of a bot's Elo in each game; every game counts the same."]
    lines += rated_lines(listing, overall.fitted, None)
    if overall.missing:
        lines.append(f"not here, because they have no rating in some game: {', '.join(overall.missing)}")
    return lines


def _fault_words(ladder: Standings) -> str:
    if not ladder.faulted_matches:
        return "No match was lost by a fault."
    lost = f"{ladder.faulted_matches} matches were lost by a fault (crash, timeout, illegal answer)"
    return f"{lost}: they count like other losses." if ladder.faults_rated else f"{lost} and do not count here."


def _duel_line(duel: Duel, bots: Sequence[str], first: str) -> str:
    """Return one line in the format of chess tools."""
    other = next((bot for bot in bots if bot != first), "")
    counts = duel.tally.counts
    scores = ", ".join(f"{score:g}: {count:g}" for score, count in zip(duel.tally.scores, counts, strict=True))
    half = f"+/- {duel.plus_minus:.1f}" if duel.plus_minus is not None else f"(95 %: {duel.low:.0f} to {duel.high:.0f})"
    return (
        f"{first} vs {other}: Elo: {duel.elo:.1f} {half}, nElo: {duel.normalized:.1f} +/- "
        f"{duel.normalized_plus_minus:.1f}, LOS: {duel.superiority:.2%}, score {duel.score:.1%}, "
        f"block scores [{scores}]"
    )


def clock_words(clock: TimeControl) -> str:
    """Return `60 s for all decisions, 0.1 s more for each, at most 1 s for one`."""
    return (
        f"{clock.bank_seconds:g} s for all decisions, {clock.increment_seconds:g} s more for each, "
        f"at most {clock.cap_seconds:g} s for one"
    )
