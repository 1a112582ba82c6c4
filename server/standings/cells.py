"""The cells of a ladder's table as text, shared by the terminal and the HTML report.

A number is never shown without its uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from referee.match.clock import TimeControl
from server.ratings.claims import say_first
from server.ratings.duel import Duel
from server.ratings.scale import Anchor
from server.ratings.scores import wilson
from server.tournament.standings import Standings, StandingsLine

NAMED = 3
"""A cell names at most this many bots."""


def bot_words(line: StandingsLine) -> str:
    """The bot's name and its remarks."""
    marks = [f"after {line.ancestor}"] if line.ancestor else []
    marks += ["quarantined"] if line.quarantined else []
    marks += ["disqualified"] if line.disqualified else []
    marks += ["prov."] if line.row.provisional else []
    return f"{line.bot} ({', '.join(marks)})" if marks else line.bot


def is_rated(line: StandingsLine) -> bool:
    """Whether its own matches tell how good it is. What a former version or a season before tells is not shown."""
    return line.row.matches > 0 and math.isfinite(line.row.plus_minus)


def rating_cells(line: StandingsLine) -> list[str]:
    """Elo, and half of its 95 % interval: a long dash for the bot that the scale is fixed by."""
    row = line.row
    if not is_rated(line):
        return ["-", "-"]
    return [f"{row.rating:.0f}", f"{row.plus_minus:.0f}" if row.plus_minus else "–"]


def better_cell(line: StandingsLine) -> str:
    """Whom it is surely better than: the names of a few, the number of many."""
    names = line.row.surely_better_than
    return ", ".join(names) if len(names) <= NAMED else f"{len(names)} bots"


def score_cell(line: StandingsLine) -> str:
    """The mean score."""
    return f"{line.row.score:.1%}" if line.row.matches else "-"


def wins_cell(line: StandingsLine) -> str:
    """The share of wins on each seat."""
    return " ".join(f"{seat.share:.0%}" if seat.matches else "-" for seat in line.row.seats)


def faults_cell(line: StandingsLine) -> str:
    """The matches in which it failed, and their share."""
    if not line.faults or line.faults > line.row.matches:  # a ruling may have taken matches out of the ratings
        return str(line.faults)
    return f"{line.faults} ({line.faults / line.row.matches:.1%})"


def seconds_cell(seconds: float | None) -> str:
    """A time in the unit that suits it."""
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def footer(ladder: Standings) -> str:
    """How the numbers were computed, and what to beware of."""
    table = ladder.table
    lines = [f"Result: {say_first(table)}."]
    if table.matches:
        lines += [
            f"Elo is relative to {scale_words(table.anchors)}; who is 100 above another scores 64 % against it. "
            "±: contains the true Elo 95 times of 100.",
            "#: the ranks a bot may have; all ranges of the table are right together 95 times of 100.",
            f"{table.matches} matches in {table.clusters} blocks. {fault_words(ladder)}",
        ]
    if ladder.duel:
        lines.append(duel_line(ladder.duel, [line.bot for line in ladder.lines], ladder.table.names[0]))
    if table.groups > 1:
        lines.append(f"{table.groups} groups never met each other: their numbers do not compare")
    if table.goodness.warning:
        lines.append(f"beware: {table.goodness.warning}")
    lines += [
        f"beware: {pair.first} against {pair.second} is {pair.score:.0%} instead of {pair.expected:.0%}"
        for pair in table.flagged
    ]
    return "\n".join(lines)


def scale_words(anchors: Sequence[Anchor]) -> str:
    """What the ratings are relative to."""
    if not anchors:
        return "the mean of all bots here, which is 1000"
    if len(anchors) == 1:
        return f"{anchors[0].name}, which is {anchors[0].rating:g} by definition"
    told = ", ".join(f"{one.name} = {one.rating:g} ({one.weight:.0%})" for one in anchors)
    return f"the weighted mean of {told}"


def fault_words(ladder: Standings) -> str:
    """Whether losses by a crash are counted as strength."""
    if not ladder.faulted_matches:
        return "No match was lost by a fault."
    lost = f"{ladder.faulted_matches} matches were lost by a fault (crash, timeout, illegal answer)"
    return f"{lost}: they count like other losses." if ladder.faults_rated else f"{lost} and do not count here."


def clock_words(clock: TimeControl) -> str:
    """`60 s for all decisions, 0.1 s more for each, at most 1 s for one`."""
    return (
        f"{clock.bank_seconds:g} s for all decisions, {clock.increment_seconds:g} s more for each, "
        f"at most {clock.cap_seconds:g} s for one"
    )


def duel_line(duel: Duel, bots: Sequence[str], first: str) -> str:
    """One line in the format of chess tools."""
    other = next((bot for bot in bots if bot != first), "")
    counts = duel.tally.counts
    seen = ", ".join(f"{score:g}: {count:g}" for score, count in zip(duel.tally.scores, counts, strict=True))
    half = f"+/- {duel.plus_minus:.1f}" if duel.plus_minus is not None else f"(95 %: {duel.low:.0f} to {duel.high:.0f})"
    return (
        f"{first} vs {other}: Elo: {duel.elo:.1f} {half}, nElo: {duel.normalized:.1f} +/- "
        f"{duel.normalized_plus_minus:.1f}, LOS: {duel.superiority:.2%}, score {duel.score:.1%}, block scores [{seen}]"
    )


def cross_cells(ladder: Standings, line: StandingsLine) -> list[str]:
    """One bot's score against each of the others."""
    cells = []
    for other in ladder.lines:
        pair = None if other is line else ladder.table.pair(line.bot, other.bot)
        cells.append(share_cell(pair.score, pair.games) if pair and pair.games else "")
    return cells


def share_cell(share: float, games: float) -> str:
    """A share in percent with its 95 % interval."""
    low, high = wilson(share, games)
    return f"{share * 100:.0f} ({low * 100:.0f}-{high * 100:.0f})"


def seat_cells(ladder: Standings) -> list[tuple[str, str]]:
    """Per seat: its worth in Elo, and its wins."""
    cells = []
    for number, seat in enumerate(ladder.table.seats):
        matches = sum(line.row.seats[number].matches for line in ladder.lines)
        wins = sum(line.row.seats[number].wins for line in ladder.lines)
        half = f"±{seat.plus_minus:.0f}" if math.isfinite(seat.plus_minus) else "±∞"
        cells.append((f"{seat.elo:+z.0f} {half}", share_cell(wins / matches, matches) if matches else "-"))
    return cells
