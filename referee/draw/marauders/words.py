"""Numbers of the wire as names, and the short words of the board."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from referee.draw import pieces
from referee.draw.scene import ViewedTable, one_line
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.cargo import CARGO
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.terms import Nation, NpcKind, Section, Zone
from referee.games.marauders.text import words as text
from tortuga.v1.marauders_pb2 import Marauders

_EVENTS = {
    "war_1": ("War", "two nations fight"),
    "war_2": ("War", "two nations fight"),
    "peace": ("Peace", "pardons for 5 gold"),
    "plague": ("Plague", "three ports are closed"),
    "storm_1": ("Storm", "it tests every ship at sea"),
    "storm_2": ("Storm", "it tests every ship at sea"),
    "high_seas": ("High seas", "a move at sea costs 2 actions"),
    "royal_pardon": ("Royal pardon", "pardons for 4 gold"),
    "merchant_convoy": ("Merchant convoy", "merchants come back"),
    "treasure_fleet": ("Treasure fleet", "Spanish merchants carry 4 gold more"),
    "shifting_markets": ("Shifting markets", "four ports want other goods"),
    "navy_patrol": ("Navy patrol", "navies scout with one more die"),
    "becalmed": ("Becalmed", "one action less"),
    "trade_winds": ("Trade winds", "a free move each turn"),
    "tavern_tales": ("Tavern tales", "rumors are cheap"),
    "letter_of_marque": ("Letter of marque", "one nation may hunt another"),
}
SECTION_ICONS = {
    Section.CARGO: pieces.CRATE,
    Section.MASTS: pieces.MAST,
    Section.CREW: pieces.CREW,
    Section.CANNONS: pieces.CANNON,
    Section.HULL: pieces.HULL,
}
STORMS = ("storm_1", "storm_2")


@cache
def id_of(enum: str, wire: int) -> str:
    """Return the specification's id of a value of an enum of the protocol, e.g. `lucky_star`."""
    name = getattr(Marauders, enum).Name(wire)
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enum).upper() + "_"
    return str(name).removeprefix(prefix).lower()


@cache
def words_of(enum: str, wire: int) -> str:
    """Say a value of an enum of the protocol in words, e.g. `lucky star` or `medicine for Trinidad`."""
    return text.in_words(id_of(enum, wire))


def glory_words(wire: int) -> str:
    """Name a glory card; cards that differ in the deck only have a letter at the end, which is left out."""
    return re.sub(r" [a-z]$", "", words_of("GloryCard", wire))


def of_nation(nation: int, noun: str) -> str:
    """Name a thing of a nation, with its article: `an English port`."""
    return text.of_nation(Nation(nation), noun)


def sentence(text: str) -> str:
    """Words that begin with a capital letter."""
    return text[:1].upper() + text[1:]


def event_words(wire: int) -> tuple[str, str]:
    """Describe an event card: its title and what it does."""
    id = id_of("EventCard", wire)
    npc = EVENTS[id].npc
    if npc is None:
        return _EVENTS[id]
    return npc.name, f"enters {ZONES[npc.zone].title} when the round ends"


def npc_name(wire: int) -> str:
    """Name an NPC in a sentence."""
    return f"the {text.npc_name(NpcKind(wire))}"


def npc_flag(wire: int) -> str:
    """Return the flag an NPC flies; empty for pirates."""
    nation = NpcKind(wire).nation
    return "" if nation is None else nation.id


def zone_name(wire: int) -> str:
    """Return the title of a zone."""
    return ZONES[Zone(wire)].title


def whereabouts(info: Any) -> str:
    """Return where a captain is: in a port, off it, or on the open sea."""
    if ZONES[Zone(info.zone)].nation is None:
        return f"in the {zone_name(info.zone)}"
    return f"{'in' if info.in_port else 'off'} {zone_name(info.zone)}"


def side_name(side: Any, names: list[str]) -> str:
    """Name a side of a combat."""
    match side.WhichOneof("who"):
        case "seat":
            seat: int = side.seat
            return names[seat]
        case "npc":
            return sentence(npc_name(side.npc).removeprefix("the "))
    return "Garrison"


_RAID_ENDS = {
    "escaped": "the merchant escapes",
    "crippled": "the raider is crippled",
    "sunk": "the raider sinks",
}
_COMBAT_ENDS = {"sunk": "sinks the enemy", "crew": "wins the fight", "fled": "gets away", "nobody": "wins nothing"}


def news(position: Any, names: list[str]) -> list[str]:
    """Return how a fight or a raid ended in the last step, who died, and who gained glory."""
    lines = []
    for event in position.events:
        match event.WhichOneof("event"):
            case "raid_ended":
                raid = event.raid_ended
                end = words_of("RaidEnd", raid.end)
                lines.append(_RAID_ENDS.get(end, f"the raid brings {raid.gold} gold"))
            case "combat_ended":
                won = event.combat_ended
                how = _COMBAT_ENDS[words_of("CombatEnd", won.end)]
                lines.append(
                    f"{side_name(won.winner, names)} {how}" if won.HasField("winner") else "nobody wins the fight"
                )
            case "captain_died":
                lines.append(f"{CAPTAINS[id_of('Captain', event.captain_died.captain)].name} dies")
            case "glory_point":
                point = event.glory_point
                lines.append(f"{names[point.seat]} gains glory: {words_of('Feat', point.feat)}")
    return lines


def goods_of(cards: Iterable[int]) -> str:
    """Cargo cards as goods with their numbers, e.g. `2 rum, cocoa`."""
    counts = Counter(CARGO[id_of("CargoCard", card)].good.id for card in cards)
    return ", ".join(good if count == 1 else f"{count} {good}" for good, count in counts.items())


def bot_names(table: ViewedTable) -> list[str]:
    """Return the bots' names as one line each."""
    return [one_line(name) for name in table.names]
