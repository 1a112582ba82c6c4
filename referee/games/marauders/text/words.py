"""Small words of the game: places, nations, cards, terms, sides, any value of an action or event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.terms import Nation, NpcKind, Side, Term, Zone
from referee.text import spaced

COUNTRIES = {Nation.EN: "England", Nation.ES: "Spain", Nation.FR: "France", Nation.NL: "the Netherlands"}
ADJECTIVES = {Nation.EN: "English", Nation.ES: "Spanish", Nation.FR: "French", Nation.NL: "Dutch"}
"""Whose a ship or a port is."""


@cache
def in_words(id: str) -> str:
    """Say an id of the specification in words: `lucky star`, `medicine for Trinidad`."""
    text = spaced(id).replace("man o war", "man-o'-war")
    for zone in ZONES.values():
        text = text.replace(spaced(zone.zone.id), zone.title)
    return text


def place(zone: Zone) -> str:
    """Return the title of a zone."""
    return ZONES[zone].title


def of_nation(nation: Nation, noun: str) -> str:
    """Name a thing of a nation, with its article: `an English port`."""
    word = ADJECTIVES[nation]
    return f"{'an' if word.startswith('E') else 'a'} {word} {noun}"


def npc_name(npc: NpcKind) -> str:
    """Name an NPC without its article: `French navy`, `pirate sloop`."""
    return spaced(npc.id) if npc.nation is None else f"{ADJECTIVES[npc.nation]} navy"


def event_title(card: str) -> str:
    """Describe an event card: what it brings. Cards that differ in the deck only have a number at the end, which is
    left out."""
    npc = EVENTS[card].npc
    if npc is None:
        return re.sub(r" \d$", "", in_words(card))
    return f"the {npc_name(npc.kind)} under {npc.name}"


def goods(cards: Iterable[str]) -> str:
    """Cargo cards by their goods."""
    return ", ".join(CARGO[card].good.id for card in cards)


def cargo_card(card: str) -> str:
    """Describe a cargo card with all that is on it: `rum, loot 3, a hit on the masts`."""
    row = CARGO[card]
    return f"{row.good.id}, loot {row.loot}, {'an escape' if row.hit is None else f'a hit on the {row.hit.id}'}"


def names(terms: Iterable[Term]) -> str:
    """Terms in a row; `none` if there are none."""
    return ", ".join(map(word, terms)) or "none"


def who(side: Side) -> str:
    """Name a side of a combat."""
    if side.seat is not None:
        return f"seat {side.seat}"
    return "the garrison" if side.npc is None else f"the {npc_name(side.npc)}"


def word(value: object) -> str:
    """Any value of an action or event; texts are ids of cards."""
    if isinstance(value, Zone):
        return place(value)
    if isinstance(value, Nation):
        return COUNTRIES[value]
    if isinstance(value, NpcKind):
        return npc_name(value)
    if isinstance(value, Term):
        return in_words(value.id)
    if isinstance(value, tuple):
        return ", ".join(map(word, value))
    return in_words(value) if isinstance(value, str) else str(value)
