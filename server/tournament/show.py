"""The tables of an event in a terminal. A number that carries doubt is never shown without it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from server.ratings import Duel, wilson
from server.tournament.standings import Standings, StandingsLine

MANY = 12
"""More bots than this make a crosstable wider than a screen; it is left to the report."""


EXTRA = ("live", "wins by seat", "faults", "per decision")
"""What a short table leaves out."""

HEADS = ("#", "bot", "rating", "±", "better than next", "matches", "score", *EXTRA)

SPARE = ("wins by seat", "per decision", "live", "better than next", "matches", "score")
"""The columns that a narrow terminal does without, in this order: better none than half of each."""


def show_ladders(out: Console, ladders: Sequence[Standings]) -> None:
    """Everything there is to say about each ladder."""
    for ladder in ladders:
        out.print()
        left_out = too_wide(out, ladder)
        out.print(ladder_table(ladder, leave_out=left_out))
        if left_out:
            out.print(f"a wider terminal also shows: {', '.join(left_out)}", markup=False)
        out.print(footer(ladder), markup=False)
        if ladder.placing:
            out.print(placing_table(ladder))
        if 2 < len(ladder.lines) <= MANY and ladder.table.matches:
            out.print(cross_table(ladder))
        if ladder.table.matches:
            out.print(seat_table(ladder))
        if ladder.faults:
            out.print(fault_table(ladder))


def too_wide(out: Console, ladder: Standings) -> Sequence[str]:
    """The columns for which there is no room."""
    endless = out.options.update(width=1000)
    for count in range(len(SPARE)):
        if out.measure(ladder_table(ladder, leave_out=SPARE[:count]), options=endless).maximum <= out.width:
            return SPARE[:count]
    return SPARE


def ladder_table(ladder: Standings, *, leave_out: Sequence[str] = ()) -> Table:
    """The official table."""
    contest = ladder.contest
    table = Table(title=f"{contest.rules.info.title}, {contest.seats} seats", title_justify="left", title_style="bold")
    rows = [ladder_row(line) for line in ladder.lines]
    heads = [head for head in HEADS if head not in leave_out]
    for head in heads:
        table.add_column(head, justify="left" if head in ("bot", "wins by seat") else "right")
    for line, row in zip(ladder.lines, rows, strict=True):
        table.add_row(*(row[head] for head in heads), style="dim" if line.row.provisional else None)
    return table


def ladder_row(line: StandingsLine) -> dict[str, str]:
    """A bot's cells, by their heads."""
    score = f"{line.row.score:.1%}" if line.row.matches else "-"
    cells = [line.ranks, escape(bot_words(line)), *rating_cells(line), str(line.row.matches), score]
    cells += [live_cell(line), wins_cell(line), faults_cell(line), seconds_cell(line.seconds_per_decision)]
    return dict(zip(HEADS, cells, strict=True))


def bot_words(line: StandingsLine) -> str:
    """Name and marks."""
    marks = [f"after {line.ancestor}"] if line.ancestor else []
    marks += ["quarantined"] if line.quarantined else []
    marks += ["prov."] if line.row.provisional else []
    return f"{line.bot} ({', '.join(marks)})" if marks else line.bot


def rating_cells(line: StandingsLine) -> list[str]:
    """Rating, its doubt, and the confidence of being better than the next."""
    row = line.row
    if not row.matches:
        return ["-", "-", "-"]
    half = f"{row.plus_minus:.0f}" if math.isfinite(row.plus_minus) else "∞"
    return [f"{row.rating:.0f}", half, f"{row.cfs_next:.1%}" if row.cfs_next is not None else ""]


def live_cell(line: StandingsLine) -> str:
    """The live Elo and its last step."""
    return f"{line.live_elo:.0f} ({line.live_change:+.1f})" if line.row.matches else "-"


def wins_cell(line: StandingsLine) -> str:
    """The share of wins on each seat."""
    return " ".join(f"{seat.share:.0%}" if seat.matches else "-" for seat in line.row.seats)


def faults_cell(line: StandingsLine) -> str:
    """How many matches it failed in, and the share."""
    return f"{line.faults} ({line.faults / line.row.matches:.1%})" if line.faults else "0"


def seconds_cell(seconds: float | None) -> str:
    """A time one can read."""
    if seconds is None:
        return "-"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def footer(ladder: Standings) -> str:
    """How the numbers came about, and what to beware of."""
    table = ladder.table
    anchor = f"{table.anchor} = 1000" if table.anchor else "mean = 1000"
    lines = [
        f"{table.matches} matches in {table.clusters} blocks; Bradley-Terry over seat pairs, {anchor}, "
        f"95 % intervals ({table.method}), ranks by 97.5 % confidence; live: Elo after each match"
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


def duel_line(duel: Duel, bots: Sequence[str], first: str) -> str:
    """The familiar line of chess tools."""
    other = next((bot for bot in bots if bot != first), "")
    counts = duel.tally.counts
    seen = ", ".join(f"{score:g}: {count:g}" for score, count in zip(duel.tally.scores, counts, strict=True))
    half = f"+/- {duel.plus_minus:.1f}" if duel.plus_minus is not None else f"(95 %: {duel.low:.0f} to {duel.high:.0f})"
    return (
        f"{first} vs {other}: Elo: {duel.elo:.1f} {half}, nElo: {duel.normalized:.1f} +/- "
        f"{duel.normalized_plus_minus:.1f}, LOS: {duel.superiority:.2%}, score {duel.score:.1%}, block scores [{seen}]"
    )


def placing_table(ladder: Standings) -> Table:
    """The format's own order."""
    columns = {
        "place": [str(place.rank) for place in ladder.placing],
        "bot": [escape(place.bot) for place in ladder.placing],
        "points": ["" if place.points is None else f"{place.points:g}" for place in ladder.placing],
        "tie-break": ["" if place.tie_break is None else f"{place.tie_break:g}" for place in ladder.placing],
        "last in": [escape(place.note) for place in ladder.placing],
    }
    told = {head: cells for head, cells in columns.items() if any(cells)}  # each format has its own
    table = Table(*told, title="placing", title_justify="left")
    for cells in zip(*told.values(), strict=True):
        table.add_row(*cells)
    return table


def cross_table(ladder: Standings) -> Table:
    """Everybody against everybody: the row's score in percent, with its 95 % interval."""
    table = Table(title="score of row against column, % (95 %)", title_justify="left")
    table.add_column("")
    for number in range(1, len(ladder.lines) + 1):
        table.add_column(str(number), justify="right")
    for number, line in enumerate(ladder.lines, start=1):
        table.add_row(f"{number} {escape(line.bot)}", *cross_cells(ladder, line))
    return table


def cross_cells(ladder: Standings, line: StandingsLine) -> list[str]:
    """One bot against each of the others."""
    cells = []
    for other in ladder.lines:
        pair = None if other is line else ladder.table.pair(line.bot, other.bot)
        cells.append(share_cell(pair.score, pair.games) if pair and pair.games else "")
    return cells


def share_cell(share: float, games: float) -> str:
    """A share in percent with its doubt."""
    low, high = wilson(share, games)
    return f"{share * 100:.0f} ({low * 100:.0f}-{high * 100:.0f})"


def seat_table(ladder: Standings) -> Table:
    """What a seat is worth."""
    table = Table("seat", "worth in Elo", "wins, % (95 %)", title="seats", title_justify="left")
    for number, (worth, wins) in enumerate(seat_cells(ladder)):
        table.add_row(str(number), worth, wins)
    return table


def seat_cells(ladder: Standings) -> list[tuple[str, str]]:
    """Per seat its worth and its wins."""
    cells = []
    for number, seat in enumerate(ladder.table.seats):
        matches = sum(line.row.seats[number].matches for line in ladder.lines)
        wins = sum(line.row.seats[number].wins for line in ladder.lines)
        half = f"±{seat.plus_minus:.0f}" if math.isfinite(seat.plus_minus) else "±∞"
        cells.append((f"{seat.elo:+z.0f} {half}", share_cell(wins / matches, matches) if matches else "-"))
    return cells


def fault_table(ladder: Standings, limit: int = 20) -> Table:
    """What went wrong, and where to read more."""
    more = f", the last {limit} of {len(ladder.faults)}" if len(ladder.faults) > limit else ""
    table = Table(title=f"faults{more}", title_justify="left")
    for head in ("match", "bot", "kind", "at", "what", "log"):
        table.add_column(head, overflow="fold")  # a name that is cut off finds nothing
    for line in ladder.faults[-limit:]:
        fault = line.fault
        what = Text(fault.message[:80])
        table.add_row(
            escape(line.match_id), escape(fault.bot), fault.kind, str(fault.decision), what, escape(f"logs/{line.log}")
        )
    return table
