"""Small words of the game: places, terms, cards, sides, any value of an action or event. No ids: people read this."""

from __future__ import annotations

import re
from collections.abc import Iterable

from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.terms import Nation, NpcKind, Side, Term, Zone
from referee.words import listed, spaced

COUNTRIES = {Nation.EN: "England", Nation.ES: "Spain", Nation.FR: "France", Nation.NL: "Holland"}
OF_COUNTRY = {Nation.EN: "English", Nation.ES: "Spanish", Nation.FR: "French", Nation.NL: "Dutch"}


def place(zone: Zone) -> str:
    """A zone by its title."""
    return ZONES[zone].title


def term(value: Term) -> str:
    """A term in words."""
    match value:
        case Nation():
            return COUNTRIES[value]
        case NpcKind():
            nation = value.nation
            return f"the {spaced(value.id) if nation is None else f'{OF_COUNTRY[nation]} navy'}"
        case Zone():
            return place(value)
    return spaced(value.id).replace("man o war", "man-o'-war")


def names(terms: Iterable[Term]) -> str:
    """Terms in a row; `none` if there are none."""
    return ", ".join(map(term, terms)) or "none"


def card(id: str) -> str:
    """A card by its name. Cards that differ in the deck only have a number or a letter at the end: it is left out."""
    event = EVENTS.get(id)
    if event is not None and event.npc is not None:
        return event.npc.name
    return _titled(re.sub(r"_(\d+|[a-z])$", "", id))


def cards(ids: Iterable[str]) -> str:
    """Cards in a row."""
    return listed(map(card, ids))


def _titled(id: str) -> str:
    """An id as words, with the places and countries in it by their names."""
    words = spaced(id)
    for name in (*(zone.title for zone in ZONES.values()), *COUNTRIES.values()):
        words = re.sub(rf"\b{re.escape(name.lower())}\b", name, words)
    return words


def article(noun: str) -> str:
    """The same with its article: `an English merchant`."""
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"


def who(side: Side) -> str:
    """A side of a combat."""
    if side.seat is not None:
        return f"seat {side.seat}"
    return "the garrison" if side.npc is None else term(side.npc)


def word(value: object) -> str:
    """Any value of an action or event. Cards keep their number: two options never read the same."""
    if isinstance(value, Term):
        return term(value)
    if isinstance(value, tuple):
        return " ".join(word(part) for part in value)
    return _titled(value) if isinstance(value, str) else str(value)
