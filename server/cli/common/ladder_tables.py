"""The tables of an event in a terminal. The texts of the cells are those of server/standings/cells.py."""

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
from server.standings import cells, placing_cells
from server.standings.crashes import KINDS, CrashGroup
from server.tournament.rulings.ruling_file import Rulings
from server.tournament.standings import FaultLine, Standings, StandingsLine

if TYPE_CHECKING:
    from server.standings.luck import LuckStandings

MANY = 12
"""With more bots than this the crosstable is too wide for a screen; only the report has it."""

EXTRA = ("wins by seat", "faults", "per decision")
"""The columns that a short table leaves out."""

HEADS = ("#", "bot", "Elo", "±", "surely better than", "matches", "score", *EXTRA)

SPARE = ("wins by seat", "per decision", "surely better than", "matches", "score")
"""The columns that a narrow terminal drops, in this order."""


def show_ladders(
    out: Console, ladders: Sequence[Standings], crashes: Sequence[CrashGroup] = (), logs: Path = Path("logs")
) -> None:
    """Print all tables of each ladder. `logs` is where the logs are, as whoever reads it would type it."""
    for ladder in ladders:
        out.print()
        left_out = too_wide(out, ladder)
        out.print(ladder_table(ladder, leave_out=left_out))
        if left_out:
            out.print(f"a wider terminal also shows: {', '.join(left_out)}", markup=False)
        out.print(cells.footer(ladder), markup=False)
        if placing_cells.has_own_order(ladder.placings) and (ladder.table.matches or ladder.rulings):
            show_placings(out, ladder)
        if 2 < len(ladder.lines) <= MANY and ladder.table.matches:
            out.print(cross_table(ladder))
        if ladder.table.matches:
            out.print(seat_table(ladder))
        show_faults(out, ladder, [group for group in crashes if group.contest == ladder.contest.id], logs)
    if ladders and ladders[0].rulings:
        out.print()
        show_rulings(out, ladders[0].rulings)


def too_wide(out: Console, ladder: Standings) -> Sequence[str]:
    """The columns to drop so that the table fits the terminal."""
    endless = out.options.update(width=1000)
    for count in range(len(SPARE)):
        if out.measure(ladder_table(ladder, leave_out=SPARE[:count]), options=endless).maximum <= out.width:
            return SPARE[:count]
    return SPARE


def ladder_table(ladder: Standings, *, leave_out: Sequence[str] = ()) -> Table:
    """The official table."""
    contest = ladder.contest
    table = Table(
        title=f"{find_info(contest.game).title}, {contest.seats} seats", title_justify="left", title_style="bold"
    )
    rows = [ladder_row(line) for line in ladder.lines]
    heads = [head for head in HEADS if head not in leave_out]
    for head in heads:
        table.add_column(head, justify="left" if head in ("bot", "surely better than", "wins by seat") else "right")
    for line, row in zip(ladder.lines, rows, strict=True):
        table.add_row(*(row[head] for head in heads), style="dim" if line.row.provisional else None)
    return table


def ladder_row(line: StandingsLine) -> dict[str, str]:
    """A bot's cells, by column head."""
    texts = [line.ranks, escape(cells.bot_words(line)), *cells.rating_cells(line), escape(cells.better_cell(line))]
    texts += [str(line.row.matches), cells.score_cell(line), cells.wins_cell(line), cells.faults_cell(line)]
    texts.append(cells.seconds_cell(line.seconds_per_decision))
    return dict(zip(HEADS, texts, strict=True))


def show_placings(out: Console, ladder: Standings) -> None:
    """The order by the rules of the format, what its columns mean, the bracket, and what was ruled."""
    placings = ladder.placings
    if placings.champion:
        out.print(Text(f"{placings.champion}.", style="bold"))
    heads, rows = placing_cells.placing_table(placings)
    table = Table(title=f"placing, {ladder.contest.id}", title_justify="left")
    for head in heads:
        left = head in ("bot", "round reached", "ruling")
        table.add_column(head, justify="left" if left else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(harmless(cell)) for cell in row))
    out.print(table)
    for line in placing_cells.explanations(placings):
        out.print(Text(line, style="dim"))
    for line in placings.notes:
        out.print(Text(harmless(line)))
    if ladder.bracket:
        out.print(Text("bracket (* advances):", style="italic"))
        for line in placing_cells.bracket_lines(ladder.bracket):
            out.print(Text(f"  {line}"))


def show_rulings(out: Console, rulings: Rulings) -> None:
    """What was ruled: who, when and why."""
    for line in placing_cells.ruling_lines(rulings):
        out.print(Text(harmless(line)), soft_wrap=True)


def cross_table(ladder: Standings) -> Table:
    """Everybody against everybody: the row's score in percent, with its 95 % interval."""
    table = Table(title="score of row against column, % (95 %)", title_justify="left")
    table.add_column("")
    for number in range(1, len(ladder.lines) + 1):
        table.add_column(str(number), justify="right")
    for number, line in enumerate(ladder.lines, start=1):
        table.add_row(f"{number} {escape(line.bot)}", *cells.cross_cells(ladder, line))
    return table


def seat_table(ladder: Standings) -> Table:
    """What a seat is worth."""
    table = Table("seat", "worth in Elo", "wins, % (95 %)", title="seats", title_justify="left")
    for number, (worth, wins) in enumerate(cells.seat_cells(ladder)):
        table.add_row(str(number), worth, wins)
    return table


def show_luck(out: Console, ladder: LuckStandings) -> None:
    """The scores of a ladder with and without luck."""
    out.print()
    if ladder.table is not None:
        pays = ladder.table.pays
        out.print(f"{ladder.contest.rules.info.title}, {ladder.contest.seats} seats", style="bold", markup=False)
        table = Table("bot")
        for head in ("matches", "score", *(("less luck", "luck") if pays else ())):
            table.add_column(head, justify="right")
        for row in ladder.table.rows:
            cells_of = [str(row.matches), f"{row.score:.1%} ± {100 * row.plus_minus:.1f}"]
            if pays:
                cells_of += [f"{row.adjusted:.1%} ± {100 * row.adjusted_plus_minus:.1f}", f"{100 * row.luck:+.1f}"]
            table.add_row(escape(row.name), *cells_of)
        out.print(table)
    out.print(ladder.verdict, markup=False)
    if ladder.without_record:
        out.print(f"{ladder.without_record} matches are left out: their records are gone", markup=False)


def show_faults(out: Console, ladder: Standings, crashes: Sequence[CrashGroup], logs: Path) -> None:
    """Crashes by bot and reason, with the author's part of the traceback; the other faults one by one."""
    for group in crashes:
        out.print(Text(group.line(logs), style="red"), soft_wrap=True)
        for line in group.story.split("\n") if group.story else ():
            out.print(Text(f"    {line}"), soft_wrap=True)
    faults = [line for line in ladder.faults if not crashes or line.fault.kind not in KINDS]
    if faults:
        out.print(fault_table(faults, logs))


def fault_table(faults: Sequence[FaultLine], logs: Path, limit: int = 20) -> Table:
    """The faults, and the log files that tell more."""
    more = f", the last {limit} of {len(faults)}" if len(faults) > limit else ""
    table = Table(title=f"faults{more}", title_justify="left")
    for head in ("match", "bot", "kind", "at", "what", "log"):
        table.add_column(head, overflow="fold")  # a truncated name cannot be searched for
    for line in faults[-limit:]:
        fault = line.fault
        what = Text(fault.message[:80])
        table.add_row(
            escape(line.match_id),
            escape(fault.bot),
            fault.kind,
            str(fault.decision),
            what,
            escape(str(logs / line.log)),
        )
    return table
