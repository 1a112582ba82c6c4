"""The table in words, as far as one seat knows it.

A game's text tells a whole state. The state is first replaced by one with filler in the place of everything hidden from
the seat, which is the same for all states that the seat cannot tell apart. From it, tables are dealt that look the same
to the seat (the game's `hide`). Whatever differs between them is hidden, and is shown as `?`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from referee.rules.chance import SeededChance, derive_secret
from referee.rules.engine import AnyGame, Seat
from referee.rules.model import FILLER

TWINS = 12
"""Number of tables that are dealt. What comes out the same in all of them counts as known."""
SECRETS = tuple(derive_secret("known table", str(twin)) for twin in range(TWINS))
GAP = re.compile(r"( {2,})")
"""The space between two columns."""
TOKEN = re.compile(r"\s+|[,;:()\[\]]|[^\s,;:()\[\]]+")
HIDDEN = "?"


def known_table(game: AnyGame, state: Any, seat: Seat) -> str:
    """Return the table in words, as far as a seat knows it. Reads nothing of what is hidden from the seat."""
    known = game.hide(state, seat, FILLER)
    dealt = [game.text.table(game.hide(known, seat, SeededChance(secret))) for secret in SECRETS]
    return mask(dealt[0], dealt[1:])


def mask(text: str, twins: Sequence[str]) -> str:
    """Replace by `?` whatever is different in one of a text's twins."""
    lines, others = text.split("\n"), [twin.split("\n") for twin in twins]
    if any(len(other) != len(lines) for other in others):
        common = set(lines).intersection(*others)
        return "\n".join(line if line in common else HIDDEN for line in lines)
    return "\n".join(mask_line(line, [other[place] for other in others]) for place, line in enumerate(lines))


def mask_line(line: str, twins: Sequence[str]) -> str:
    """Do the same for one line, word by word."""
    if all(twin == line for twin in twins):
        return line
    if columns := _mask_columns(line, twins):
        return columns
    for mark in ("; ", ", "):  # a list: how many things it has is known, if not which
        parts, other_parts = line.split(mark), [twin.split(mark) for twin in twins]
        if len(parts) > 1 and all(len(other) == len(parts) for other in other_parts):
            return mark.join(mask_line(part, [other[at] for other in other_parts]) for at, part in enumerate(parts))
    words, others = TOKEN.findall(line), [TOKEN.findall(twin) for twin in twins]
    if any(len(other) != len(words) for other in others):
        same = next(
            place
            for place in range(len(words) + 1)
            if any(other[: place + 1] != words[: place + 1] for other in others)
        )
        return "".join([*words[:same], HIDDEN])
    known = [all(other[place] == word for other in others) for place, word in enumerate(words)]
    shown = []
    for place, word in enumerate(words):
        if known[place] or word.isspace():
            shown.append(word)
        else:  # columns stay where they are
            column = place + 1 < len(words) and words[place + 1].startswith("  ")
            shown.append(HIDDEN.ljust(len(word)) if column else HIDDEN)
    return "".join(shown)


def _mask_columns(line: str, twins: Sequence[str]) -> str:
    """Do the same for a line of a list in columns, cell by cell; empty if it is none."""
    cells, others = GAP.split(line.rstrip()), [GAP.split(twin.rstrip()) for twin in twins]
    if len(cells) < 3 or any(len(other) != len(cells) for other in others):
        return ""
    shown = [
        cell if place % 2 else mask_line(cell, [other[place] for other in others]).ljust(len(cell))
        for place, cell in enumerate(cells)
    ]
    return "".join(shown).rstrip()
