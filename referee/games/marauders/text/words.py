"""Small words of the game: places, terms, sides, any value of an action or event."""

from __future__ import annotations

from collections.abc import Iterable

from referee.games.marauders.data.board import ZONES
from referee.games.marauders.terms import Side, Term, Zone


def place(zone: Zone) -> str:
    """A zone by its title."""
    return ZONES[zone].title


def names(terms: Iterable[Term]) -> str:
    """Terms in a row; `none` if there are none."""
    return ", ".join(term.id for term in terms) or "none"


def who(side: Side) -> str:
    """A side of a combat."""
    if side.seat is not None:
        return f"seat {side.seat}"
    return "the garrison" if side.npc is None else side.npc.id


def word(value: object) -> str:
    """Any value of an action or event."""
    if isinstance(value, Zone):
        return place(value)
    if isinstance(value, Term):
        return value.id
    if isinstance(value, tuple):
        return " ".join(word(part) for part in value)
    return str(value)
