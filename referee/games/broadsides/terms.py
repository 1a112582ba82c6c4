"""Every closed set and id of the game: directions, cards, parts of a ship, figures, reasons. Spec section 2.

Enums that count from 0 index lists; the order of their members is the specification's canonical order. None is a plain
Enum: that hashes its members in Python code, and they are in the keys of hot caches.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import ClassVar, TypeAlias

from referee.rules.parts import Part, immutable

Point: TypeAlias = tuple[int, int]
"""(x, y): x grows to the east, y to the south."""


class Phase(StrEnum):
    """The large parts of a game."""

    SETUP = "setup"
    BROADSIDES = "broadsides"
    BOARDING = "boarding"


class Direction(IntEnum):
    """Where a bow points (2.1): clockwise from north, 45 degrees apart."""

    N = 0
    NE = 1
    E = 2
    SE = 3
    S = 4
    SW = 5
    W = 6
    NW = 7


DIRECTIONS = tuple(Direction)


class Card(IntEnum):
    """An action card (*carte action*). Three copies of each never limit a program of three (R17)."""

    AH = 0  # S ch4: ahead, one point along the facing
    ST = 1  # S ch4: one turn to starboard
    PO = 2  # S ch4: one turn to port
    RE = 3  # S ch4: remain
    DA = 4  # S ch4: damaged mast or hull; does nothing, forced by damage


class Section(IntEnum):
    """A letter of the ship, A the bow, H the stern."""

    A = 0
    B = 1
    C = 2
    D = 3
    E = 4
    F = 5
    G = 6
    H = 7


class Side(IntEnum):
    """A side of the ship; the value is the digit of its stations and hull sections (R13)."""

    STARBOARD = 3
    PORT = 5


class Station(IntEnum):
    """A place on deck: section, then 3 starboard, 4 amidships, 5 port. B4, D4, E4 and F4 are H (R12), the others S."""

    A4 = 0
    B3 = 1
    B4 = 2
    B5 = 3
    C3 = 4
    C4 = 5
    C5 = 6
    D3 = 7
    D4 = 8
    D5 = 9
    E3 = 10
    E4 = 11
    E5 = 12
    F3 = 13
    F4 = 14
    F5 = 15
    G3 = 16
    G4 = 17
    G5 = 18
    H3 = 19
    H4 = 20
    H5 = 21


class HullSection(IntEnum):
    """A section of the hull: letter and side. A3 and A5 are hull without a station of that name (R14)."""

    A3 = 0
    A5 = 1
    B3 = 2
    B5 = 3
    C3 = 4
    C5 = 5
    D3 = 6
    D5 = 7
    E3 = 8
    E5 = 9
    F3 = 10
    F5 = 11
    G3 = 12
    G5 = 13
    H3 = 14
    H5 = 15


class Mast(IntEnum):
    """A mast, named after the section it stands in; each stands on the station amidships."""

    A = 0
    C = 1
    G = 2
    H = 3


class Figure(StrEnum):
    """What stands on a station and can move in Boarding."""

    CREW = "crew"
    CAPTAIN = "captain"


@immutable(frozen=True, slots=True)
class Place(Part):
    """A station on one of the two ships."""

    TAG: ClassVar[str] = "Place"
    ship: int
    """The seat whose ship it is."""
    station: Station


class FireMode(StrEnum):
    """The two kinds of gunfire: spec 6.3 and 6.9."""

    EXCHANGE = "exchange"
    LAST_SALVO = "last salvo"


class ShotEffect(StrEnum):
    """What a die did with a shot: spec 2.6."""

    MISS = "miss"
    HULL = "hull"
    END_ON = "hull end-on"
    THIRD_HIT = "hull third hit"
    HULL_SPARED = "hull spared"
    NO_STATION = "no station"
    EMPTY_STATION = "empty station"
    STATION = "station"


class Ground(StrEnum):
    """What a ship ran on: spec 6.2, R4."""

    ISLAND = "island"
    EDGE = "edge"


class RollPurpose(StrEnum):
    """What two dice are rolled against each other for. The value is the purpose under which chance is drawn."""

    FIRST_FIRE = "first_fire"
    CURRENT = "current"
    FIRST_TURN = "first_turn"


class Reason(StrEnum):
    """Why a game ended: spec 8.1. The value is the reason of the outcome."""

    SUNK = "SUNK"
    ELIMINATED = "ELIMINATED"
    SURRENDER = "SURRENDER"
    CAPTAIN_SLAIN = "CAPTAIN_SLAIN"
    MUTUAL_LOSS = "MUTUAL_LOSS"
    MUTUAL_SURRENDER = "MUTUAL_SURRENDER"
    DEADLOCK = "DEADLOCK"
    ROUND_CAP = "ROUND_CAP"
    QUIET_CAP = "QUIET_CAP"
    BOARD_CAP = "BOARD_CAP"
    BOARD_QUIET = "BOARD_QUIET"
