"""Prints standings in a terminal: of an event in a folder, and as an arena tells them.

What the cells say is decided in server/standings/cells.py and placing_cells.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from referee.rules.infos import find_info
from referee.text import harmless
from server.standings import cells
from server.standings.placing_cells import (
    TEXTS,
    bracket_lines,
    explanations,
    has_own_order,
    placing_cells,
)
from tortuga.v1 import arena_pb2 as pb

if TYPE_CHECKING:
    from server.ratings.fitted_ratings import FittedRatings
    from server.standings.crashes import CrashGroup
    from server.standings.luck import LuckStandings
    from server.tournament.standings import FaultLine, Standings

MANY = 12
"""With more bots than this a score of everybody against everybody is too wide for a screen; only the report has it."""
EXTRA = ("version", "wins by seat", "faults", "per decision")
"""The columns that a short listing leaves out."""
SPARE = ("wins by seat", "per decision", "version", "surely better than", "matches", "score")
"""The columns that a narrow terminal drops, in this order."""
LEFT = ("bot", "version", "surely better than", "wins by seat")
"""The columns that begin at the left."""


def show_ladders(
    out: Console, ladders: Sequence[Standings], crashes: Sequence[CrashGroup] = (), logs: Path = Path("logs")
) -> None:
    """Print everything about the ladders of an event. `logs` is where the logs are, as its reader would type it."""
    from server.standings.messages import make_listing

    for ladder in ladders:
        listing = make_listing(ladder, whole=True)
        out.print()
        show_ladder_rows(out, listing.rows, ladder_title(ladder), leave_out=("version",))  # every bot has one
        show_lines(out, cells.footer_lines(listing, ladder))
        if has_own_order(listing) and ladder.has_results:
            show_placings(out, listing)
        show_cross(out, listing)
        if ladder.fitted.matches:
            out.print(seat_grid(ladder.fitted))
        show_faults(out, ladder, [group for group in crashes if group.contest == ladder.contest.id], logs)
    if ladders and ladders[0].rulings:
        out.print()
        show_rulings(out, ladders[0].rulings.texts())


def show_standings(out: Console, listing: pb.EventTable) -> None:
    """Print what an arena tells of one contest of an event."""
    show_ladder_rows(out, listing.rows, listing.contest)
    show_lines(out, [*cells.reading_lines(listing), *cells.warning_lines(listing)])
    if listing.placing and has_own_order(listing):
        show_placings(out, listing)
    show_cross(out, listing)


def ladder_title(ladder: Standings) -> str:
    """Return `Broadsides, 2 seats`."""
    return f"{find_info(ladder.contest.game).title}, {ladder.contest.seats} seats"


def show_ladder_rows(out: Console, rows: Sequence[pb.LadderRow], title: str, *, leave_out: Sequence[str] = ()) -> None:
    """Print the rows of a ladder, without the columns for which the terminal is too narrow."""
    dropped = too_wide(out, rows, title, leave_out)
    out.print(row_grid(rows, title, leave_out=(*leave_out, *dropped)))
    if dropped:
        out.print(f"a wider terminal also shows: {', '.join(dropped)}", markup=False)


def too_wide(out: Console, rows: Sequence[pb.LadderRow], title: str, leave_out: Sequence[str]) -> Sequence[str]:
    """Return the columns to drop so that the rows fit the terminal; `leave_out` are not shown anyway."""
    endless = out.options.update(width=1000)
    spare = [head for head in SPARE if head in shown_heads(rows) and head not in leave_out]
    for count in range(len(spare)):
        grid = row_grid(rows, title, leave_out=(*leave_out, *spare[:count]))
        if out.measure(grid, options=endless).maximum <= out.width:
            return spare[:count]
    return spare


def shown_heads(rows: Sequence[pb.LadderRow]) -> list[str]:
    """Return the heads of the columns that say anything."""
    row_cells = [*map(cells.row_cells, rows)]
    return [head for head in cells.HEADS if head not in cells.OPTIONAL or any(row[head] for row in row_cells)]


def row_grid(rows: Sequence[pb.LadderRow], title: str, *, leave_out: Sequence[str] = ()) -> Table:
    """Return the rows of a ladder, drawn."""
    grid = Table(title=escape(harmless(title)), title_justify="left", title_style="bold")
    heads = [head for head in shown_heads(rows) if head not in leave_out]
    for head in heads:
        grid.add_column(head, justify="left" if head in LEFT else "right", overflow="fold")  # a cut name is none
    for row in rows:
        texts = cells.row_cells(row)
        grid.add_row(*(escape(harmless(texts[head])) for head in heads), style="dim" if row.provisional else None)
    return grid


def show_lines(out: Console, lines: Sequence[str]) -> None:
    """Print lines of text that may come from far."""
    for line in lines:
        out.print(Text(harmless(line)))


def show_placings(out: Console, listing: pb.EventTable) -> None:
    """Print the order by the rules of the format, what its columns mean, and the bracket."""
    if listing.champion:
        out.print(Text(f"{harmless(listing.champion)}.", style="bold"))
    heads, rows = placing_cells(listing)
    grid = Table(title=escape(harmless(f"placing, {listing.contest}")), title_justify="left")
    for head in heads:
        grid.add_column(escape(harmless(head)), justify="left" if head in TEXTS else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(escape(harmless(cell)) for cell in row))
    out.print(grid)
    for line in explanations(listing):
        out.print(Text(harmless(line), style="dim"))
    show_lines(out, listing.placing_notes)
    if listing.bracket:
        out.print(Text("bracket (* advances):", style="italic"))
        show_lines(out, [f"  {line}" for line in bracket_lines(listing.bracket)])


def show_rulings(out: Console, texts: Sequence[str]) -> None:
    """Print what was ruled, a line each that is not wrapped."""
    for line in texts:
        out.print(Text(harmless(line)), soft_wrap=True)


def show_cross(out: Console, listing: pb.EventTable) -> None:
    """Print every bot's score against every other one in percent, with its 95 % interval, unless there are too many."""
    rows = cells.cross_rows(listing)
    if not rows or len(rows) > MANY:
        return
    grid = Table(title="score of row against column, % (95 %)", title_justify="left")
    grid.add_column("")
    for number in range(1, len(rows) + 1):
        grid.add_column(str(number), justify="right")
    for number, (entry, pairs) in enumerate(rows, start=1):
        grid.add_row(f"{number} {escape(harmless(entry))}", *map(cells.pair_cell, pairs))
    out.print(grid)


def seat_grid(ratings: FittedRatings) -> Table:
    """Return what each seat is worth, drawn."""
    grid = Table("seat", "worth in Elo", "wins, % (95 %)", title="seats", title_justify="left")
    for number, (worth, wins) in enumerate(cells.seat_cells(ratings)):
        grid.add_row(str(number), worth, wins)
    return grid


def show_luck(out: Console, ladder: LuckStandings) -> None:
    """Print the scores of a ladder with and without luck."""
    out.print()
    if ladder.scores is not None:
        pays = ladder.scores.pays
        out.print(f"{ladder.contest.rules.info.title}, {ladder.contest.seats} seats", style="bold", markup=False)
        grid = Table("bot")
        for head in ("matches", "score", *(("less luck", "luck") if pays else ())):
            grid.add_column(head, justify="right")
        for row in ladder.scores.rows:
            texts = [str(row.matches), f"{row.score:.1%} ± {100 * row.plus_minus:.1f}"]
            if pays:
                texts += [f"{row.adjusted:.1%} ± {100 * row.adjusted_plus_minus:.1f}", f"{100 * row.luck:+.1f}"]
            grid.add_row(escape(row.name), *texts)
        out.print(grid)
    out.print(ladder.verdict, markup=False)
    if ladder.without_record:
        out.print(f"{ladder.without_record} matches are left out: their records are gone", markup=False)


def show_faults(out: Console, ladder: Standings, crashes: Sequence[CrashGroup], logs: Path) -> None:
    """Print crashes by bot and reason, with the author's part of the traceback; the other faults one by one."""
    from server.standings.crashes import KINDS

    for group in crashes:
        out.print(Text(group.line(logs), style="red"), soft_wrap=True)
        for line in group.story.split("\n") if group.story else ():
            out.print(Text(f"    {line}"), soft_wrap=True)
    faults = [line for line in ladder.faults if not crashes or line.fault.kind not in KINDS]
    if faults:
        out.print(fault_grid(faults, logs))


def fault_grid(faults: Sequence[FaultLine], logs: Path, limit: int = 20) -> Table:
    """Return the faults and the log files that tell more, drawn."""
    more = f", the last {limit} of {len(faults)}" if len(faults) > limit else ""
    grid = Table(title=f"faults{more}", title_justify="left")
    for head in ("match", "bot", "kind", "at", "what", "log"):
        grid.add_column(head, overflow="fold")  # a truncated name cannot be searched for
    for line in faults[-limit:]:
        fault = line.fault
        what = Text(fault.message[:80])
        grid.add_row(
            escape(line.match_id),
            escape(fault.bot),
            fault.kind,
            str(fault.decision),
            what,
            escape(str(logs / line.log)),
        )
    return grid
