"""Numbers of the wire as the game's own terms and names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.draw.scene import ViewedTable, one_line
from referee.games.pirates_cove.data import CARDS, LEGENDS
from referee.games.pirates_cove.terms import ALL_SECTIONS, Captain, Card, Fighter, Section
from referee.rules.engine import Seat
from referee.text import listed

_CARDS, _CAPTAINS = tuple(Card), tuple(Captain)
SHORT_CARDS = {
    Card.WIND: "Wind",
    Card.LETTER: "Letter",
    Card.NAVY: "Navy",
    Card.MAP: "Map",
    Card.SLIP: "Slip",
}
"""Cards whose names are too long for a small card."""
SHORT_LEGENDS = {
    Captain.DUTCHMAN: "Dutchman",
    Captain.BONNYREAD: "Bonny & Read",
    Captain.CACAFUEGO: "Cacafuego",
    Captain.NAVY: "Royal Navy",
}


def card_of(wire: int) -> Card:
    """Return a Tavern card; the wire counts from 1."""
    return _CARDS[wire - 1]


def captain_of(wire: int) -> Captain:
    """Return a captain of a ship that is nobody's; the wire counts from 1."""
    return _CAPTAINS[wire - 1]


def section_of(wire: int) -> Section:
    """Return a section; the wire counts from 1."""
    return ALL_SECTIONS[wire - 1]


def short_card(card: Card) -> str:
    """Return a card's name, short enough for a small card."""
    return SHORT_CARDS.get(card, CARDS[card].name)


def short_legend(captain: Captain) -> str:
    """Return a captain's name, short enough for the sea."""
    return SHORT_LEGENDS.get(captain, LEGENDS[captain].name)


def bot_names(table: ViewedTable) -> list[str]:
    """Return the bots' names as one line each."""
    return [one_line(name) for name in table.names]


def fighter_of(wire: Any) -> Fighter:
    """Return a ship in a fight."""
    return Seat(wire.seat) if wire.WhichOneof("ship") == "seat" else captain_of(wire.captain)


def present(combat: Any) -> list[Fighter]:
    """Return the ships still in a fight, in the order of their turns."""
    here: list[Fighter] = [Seat(combatant.seat) for combatant in combat.combatants]
    here += [captain_of(enemy.captain) for enemy in combat.enemies if enemy.hull]
    order = [fighter_of(wire) for wire in combat.order]
    return sorted(here, key=lambda fighter: order.index(fighter) if fighter in order else len(order))


def fighter_name(fighter: Fighter, names: list[str]) -> str:
    """Name a ship in a fight, by its bot or its captain."""
    return short_legend(fighter) if isinstance(fighter, Captain) else names[fighter]


def leaders(scores: Iterable[float], names: list[str]) -> str:
    """Return who leads, in words."""
    points = [round(score) for score in scores]
    best = max(points)
    first = [name for name, score in zip(names, points, strict=True) if score == best]
    if len(first) == len(points):
        return f"all have {best} fame"
    return f"{listed(first)} {'leads' if len(first) == 1 else 'lead'} with {best} fame"
