"""Small words of the game: places, nations, cards, terms, sides, any value of an action or event."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.events.wealth import GloryPlayed
from referee.games.marauders.terms import Nation, NpcKind, Side, Term, Zone
from referee.text import plural, spaced

COUNTRIES = {Nation.EN: "England", Nation.ES: "Spain", Nation.FR: "France", Nation.NL: "the Netherlands"}
ADJECTIVES = {Nation.EN: "English", Nation.ES: "Spanish", Nation.FR: "French", Nation.NL: "Dutch"}
"""Whose a ship or a port is."""
PRINTED = {
    "governors": "governor's",
    "shipwrights": "shipwright's",
    "smugglers": "smugglers'",
    "wreckers": "wreckers'",
    "spain": "Spain",
    "england": "England",
    "france": "France",
    "holland": "Holland",
    "dutch": "Dutch",
}
"""Words of cards that are not printed as their ids have them."""
SKULL = 5
"""The least face of a die that is a skull."""


@cache
def in_words(id: str) -> str:
    """Say an id of the specification in words: `lucky star`, `medicine for Trinidad`."""
    text = spaced(id).replace("man o war", "man-o'-war")
    for zone in ZONES.values():
        text = text.replace(spaced(zone.zone.id), zone.title)
    return text


@cache
def card_title(card: str) -> str:
    """Name a card as it is printed: `Gun captain`. Cards of which there are several have a letter or a number at the
    end of their id, which is left out."""
    words = re.sub(r" (\d|[ab])$", "", in_words(card)).split()
    text = " ".join(PRINTED.get(word, word) for word in words)
    return text[:1].upper() + text[1:]


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
    """Describe an event card: what it brings."""
    npc = EVENTS[card].npc
    if npc is None:
        return card_title(card)
    return f"the {npc_name(npc.kind)} under {npc.name}"


def goods(cards: Iterable[str]) -> str:
    """Cargo cards by their goods."""
    return ", ".join(CARGO[card].good.id for card in cards)


def cargo_card(card: str) -> str:
    """Describe a cargo card with all that is on it: `rum, loot 3, a hit on the masts`."""
    row = CARGO[card]
    return f"{row.good.id}, loot {row.loot}, {'an escape' if row.hit is None else f'a hit on the {row.hit.id}'}"


def faces(dice: Iterable[int]) -> str:
    """Dice as they lie on the table: `2, 4, skull`."""
    return ", ".join("skull" if die >= SKULL else str(die) for die in dice)


def glory_details(card: GloryPlayed | PlayGlory) -> str:
    """Return what a glory card is played on, in brackets; nothing if it needs nothing."""
    parts = [word(part) for part in (card.mode, card.section, card.nation, card.npc, card.zone) if part]
    if card.count:
        parts.append(plural(card.count, "bounty", "bounties"))
    return f" ({', '.join(parts)})" if parts else ""


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
