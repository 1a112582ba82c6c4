"""Every closed set and id: places, sections, cards, captains, windows, phases. Spec sections 2, 3 and 5.2."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import TypeAlias

from referee.rules.engine import Seat

Place: TypeAlias = int
"""Where a ship lies, spec 2.1: one of the constants below. Wherever order matters it is this one (R1)."""

AT_SEA: Place = 0
TAVERN_ISLAND: Place = 1
HULL_ISLAND: Place = 2
SAIL_ISLAND: Place = 3
CANNON_ISLAND: Place = 4
CREW_ISLAND: Place = 5
TREASURE_ISLAND: Place = 6
COVE: Place = 7

OUTER_ISLANDS = (TAVERN_ISLAND, HULL_ISLAND, SAIL_ISLAND, CANNON_ISLAND, CREW_ISLAND)
ISLANDS = (*OUTER_ISLANDS, TREASURE_ISLAND)

Treasure: TypeAlias = int
"""A design of Treasure card, 1 to 30 for the specification's t01 to t30."""


class Section(IntEnum):
    """A part of a ship, in the fixed order of the mat, spec 2.2."""

    HULL = 0
    SAILS = 1
    CANNONS = 2
    CREW = 3


ALL_SECTIONS = tuple(Section)


class Card(StrEnum):
    """The Tavern cards, spec 2.5."""

    FLINT = "flint"
    SILVER = "silver"
    BONES = "bones"
    TRELAWNEY = "trelawney"
    ARTISAN = "artisan"
    BECALMED = "becalmed"
    WIND = "wind"
    GRAPPLE = "grapple"
    SMOKE = "smoke"
    OVERBOARD = "overboard"
    GRAPESHOT = "grapeshot"
    MAGAZINE = "magazine"
    CANNONADE = "cannonade"
    SLIP = "slip"
    FREEBOOTER = "freebooter"
    LOOKOUT = "lookout"
    SHIPWRIGHT = "shipwright"
    LETTER = "letter"
    NAVY = "navy"
    MAP = "map"
    FAME1 = "fame1"
    FAME2 = "fame2"
    FAME3 = "fame3"


class Captain(StrEnum):
    """Who commands a ship that is nobody's: the five legendary pirates and the Royal Navy, spec 2.6."""

    BLACKBEARD = "blackbeard"
    DUTCHMAN = "dutchman"
    HOOK = "hook"
    BONNYREAD = "bonnyread"
    CACAFUEGO = "cacafuego"
    NAVY = "navy"


Fighter: TypeAlias = Seat | Captain
"""Who takes a turn in a combat: a player ship or one that is nobody's."""


class Window(StrEnum):
    """When a Tavern card may be played, spec 2.5. The first four are decisions made by every seat in turn."""

    TREASURE_EVENT = "TREASURE_EVENT"
    LOOKOUT = "LOOKOUT"
    NAV_EVENT = "NAV_EVENT"
    BOARDING = "BOARDING"
    VOLLEY = "VOLLEY"
    PORT = "PORT"
    NEVER = "NEVER"
    """Parrots perch when drawn, Fame cards wait for the end: they are not played."""


class Offer(StrEnum):
    """What a place offers once per visit, spec 6.11."""

    BUY = "buy"
    UPGRADE = "upgrade"
    BURY_CHESTS = "bury_chests"
    BURY_GOLD = "bury_gold"
    COVE = "cove"


class Phase(StrEnum):
    """The six phases of a month, spec 5.1, with what comes before and after."""

    SETUP = "setup"
    TREASURE = "treasure"
    NAVIGATION = "navigation"
    COMBAT = "combat"
    PLUNDER = "plunder"
    PORT = "port"
    END_OF_MONTH = "end of month"
    FINAL = "final"


class FameReason(StrEnum):
    """Why fame came or went. (The fame of a plundered island is told by `Plundered`.)"""

    BURYING = "burying"
    FREEBOOTER = "freebooter"
    RETREAT = "retreat"
    SINKING = "sinking"
    CAPTURE = "capture"
    MUTINY = "mutiny"
    PARROT_DEATH = "parrot death"
    PARROT_SWAP = "parrot swap"


class Departure(StrEnum):
    """How a ship left a combat, spec 6.7."""

    FORCED = "forced"
    FLIGHT = "flight"
    NIGHTFALL = "nightfall"


class Damage(StrEnum):
    """What a hit did, spec 6.5."""

    ARTISAN_DAMAGED = "artisan damaged"
    ARTISAN_LOST = "artisan lost"
    PARROT_WOUNDED = "parrot wounded"
    PARROT_DEAD = "parrot dead"
    LEVEL_LOST = "level lost"
    DESTROYED = "destroyed"
    NONE = "none"
