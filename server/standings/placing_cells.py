"""Says what stands in placings, brackets and rulings, for every medium: terminal, client, pages and report.

They are read from messages of arena.proto, made from the folder of an event (messages.py) or received from an arena.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from server.schedule.placings import ELO, POINTS
from server.standings.cells import NOTHING
from server.tournament.rulings.ruling_file import ruling_text
from tortuga.v1 import arena_pb2 as pb

COUNTED = "W-D-L: matches won (first alone), drawn (first together with others) and lost"
TEXTS = ("bot", "round reached", "ruling")
"""The columns with words in them; all others have numbers."""


class PlacingCells(NamedTuple):
    """Placings as text: the heads of the columns, and a row per bot."""

    heads: list[str]
    rows: list[list[str]]


def placing_cells(listing: pb.EventTable) -> PlacingCells:
    """Return the placings as text. A column that is empty for everybody is left out."""
    lines, goes_by = listing.placing, listing.placing_goes_by
    unrated = {row.entry for row in listing.rows if not row.matches} if goes_by == ELO else set()
    columns = {
        "place": [str(line.rank) if line.rank and line.entry not in unrated else NOTHING for line in lines],
        "bot": [line.entry for line in lines],
    }
    if goes_by == ELO:
        columns["Elo"] = [NOTHING if line.entry in unrated else f"{line.rating:.0f}" for line in lines]
    elif _is_by_points(listing):
        columns["points"] = [f"{line.points:g} of {line.possible_points:g}" for line in lines]
    else:
        columns["round reached"] = [line.round_reached for line in lines]
    columns["W-D-L"] = [f"{line.wins}-{line.draws}-{line.losses}" for line in lines]
    columns["byes"] = [str(line.byes) if line.byes else "" for line in lines]
    for tie_break in listing.tie_breaks:
        if tie_break.key != "wins":  # they stand in W-D-L
            columns[tie_break.short_name] = [_value(line, tie_break.key) for line in lines]
    columns["ruling"] = [line.note for line in lines]
    filled = {head: texts for head, texts in columns.items() if any(texts) or head in ("place", "bot")}
    return PlacingCells([*filled], [list(row) for row in zip(*filled.values(), strict=True)])


def has_own_order(listing: pb.EventTable) -> bool:
    """Check whether the placings say more than the ratings: those of a ladder are the same."""
    return listing.placing_goes_by != ELO


def _is_by_points(listing: pb.EventTable) -> bool:
    return listing.placing_goes_by in ("", POINTS)  # an older arena does not say what it goes by


def _value(line: pb.EventPlace, key: str) -> str:
    value = next((value.value for value in line.tie_breaks if value.key == key), None)
    return "" if value is None else f"{round(value, 2):g}"


def explanations(listing: pb.EventTable) -> list[str]:
    """Return what the columns mean, a line each; what decides first comes first."""
    if listing.placing_goes_by == ELO:
        lines = ["a ladder is ordered by ratings: bots whose rank ranges overlap may change places"]
    elif _is_by_points(listing):
        lines = ["points: 1 for each seat beaten, a half for each tied with, out of those it could have made"]
    else:
        lines = ["a knockout is ordered by the round reached: bots that went out together share a place"]
    for tie_break in listing.tie_breaks:
        short, name = tie_break.short_name, tie_break.name
        lines.append(f"{name if short == name else f'{name} ({short})'}: {tie_break.explained}")
    if len(listing.tie_breaks) > 1:
        lines[1] = f"then {lines[1]}"
    return [*lines, COUNTED]


def bracket_lines(rounds: Iterable[pb.BracketRound]) -> list[str]:
    """Return a bracket for a terminal, a line per tie: `gunner 3, corsair 1`, those that advance first and marked."""
    lines = []
    for tie in (tie for bracket_round in rounds for tie in bracket_round.ties):
        sides = ", ".join(f"{'*' if side.through else ''}{side.bot} {side.points:g}" for side in tie.sides)
        lines.append(f"{tie.name}: {sides}" + (f" ({tie.note})" if tie.note else ""))
    return lines


def ruling_line(ruling: pb.Ruling) -> str:
    """Return a ruling with who, when and why, in one line."""
    return ruling_text(
        ruling.number, ruling.words, ruling.by, ruling.at_millis, ruling.reason, withdrawn_by=ruling.withdrawn_by
    )


def ruling_lines(rulings: Sequence[pb.Ruling]) -> list[str]:
    """Return rulings, a line each."""
    return [*map(ruling_line, rulings)]
