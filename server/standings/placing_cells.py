"""Placings, brackets and rulings as text: the same words in the terminal, the report, the CSV and the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from server.schedule.placings import ELO, POINTS, Placing, Placings
from server.tournament.bracket_view import RoundView, TieView
from server.tournament.rulings.ruling_file import Rulings

COUNTED = "W-D-L: matches won (first alone), drawn (first together with others) and lost"


class PlacingTable(NamedTuple):
    """A table of placings as text."""

    heads: list[str]
    rows: list[list[str]]


def placing_table(placings: Placings) -> PlacingTable:
    """The table. A column that is empty for everybody is left out."""
    columns = {"place": [_place(line) for line in placings.lines], "bot": [line.bot for line in placings.lines]}
    if placings.goes_by == POINTS:
        columns["points"] = [points_cell(line) for line in placings.lines]
    elif placings.goes_by == ELO:
        columns["Elo"] = [rating_cell(line) for line in placings.lines]
    else:
        columns["round reached"] = [line.round_reached for line in placings.lines]
    columns["W-D-L"] = [f"{line.wins}-{line.draws}-{line.losses}" for line in placings.lines]
    columns["byes"] = [str(line.byes) if line.byes else "" for line in placings.lines]
    for one in placings.tie_breaks:
        if one.key == "wins":
            continue  # they stand in W-D-L
        columns[one.short] = [value_cell(line.tie_breaks[one.key]) for line in placings.lines]
    columns["ruling"] = [line.note for line in placings.lines]
    filled = {head: texts for head, texts in columns.items() if any(texts) or head in ("place", "bot")}
    return PlacingTable([*filled], [list(row) for row in zip(*filled.values(), strict=True)])


def has_own_order(placings: Placings) -> bool:
    """Whether the order says more than the table of the ratings: that of a ladder is the same."""
    return placings.goes_by != ELO


def _place(line: Placing) -> str:
    return str(line.place) if line.place is not None and line.rated else "–"


def rating_cell(line: Placing) -> str:
    """The rating on a ladder; a dash without a match."""
    if not line.rated:
        return "–"
    return f"{line.rating:.0f}" if line.rating is not None else ""


def points_cell(line: Placing) -> str:
    """`7 of 8`."""
    return f"{line.points:g} of {line.possible:g}" if line.points is not None else ""


def value_cell(value: float | None) -> str:
    """The value of a tie-break."""
    return "" if value is None else f"{round(value, 2):g}"


def explanations(placings: Placings) -> list[str]:
    """What the columns mean, a line each; what decides first comes first."""
    goes_by = {
        POINTS: "points: 1 for each seat beaten, a half for each tied with, out of those it could have made",
        ELO: "a ladder is ordered by ratings: bots whose rank ranges overlap may change places",
    }
    lines = [
        goes_by.get(
            placings.goes_by, "a knockout is ordered by the round reached: bots that went out together share a place"
        )
    ]
    for one in placings.tie_breaks:
        name = one.name if one.short == one.name else f"{one.name} ({one.short})"
        lines.append(f"{name}: {one.explained}")
    if len(placings.tie_breaks) > 1:
        lines[1] = f"then {lines[1]}"
    return [*lines, COUNTED]


def tie_words(tie: TieView) -> str:
    """`gunner 3, corsair 1`, with the bot that advances first and marked."""
    return ", ".join(f"{'*' if side.through else ''}{side.bot} {side.points:g}" for side in tie.sides)


def bracket_lines(rounds: Sequence[RoundView]) -> list[str]:
    """A bracket for a terminal: a line per tie."""
    lines = []
    for one in rounds:
        for tie in one.ties:
            lines.append(f"{tie.name}: {tie_words(tie)}" + (f" ({tie.note})" if tie.note else ""))
    return lines


def ruling_lines(rulings: Rulings) -> list[str]:
    """All rulings, a line each, with who, when and why."""
    gone = rulings.withdrawn
    return [
        one.line() + (f" [withdrawn by ruling {gone[one.number].number}]" if one.number in gone else "")
        for one in rulings.lines
    ]
