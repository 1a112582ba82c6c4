"""The words of the game: every closed set the rules and the cards speak of.

Numbers are those of the wire, and their order is the order of the specification's lists (section 5): nations EN, ES,
FR, NL; sections cargo, masts, crew, cannons, hull; zones by number; goods as in the cargo table. The rulebook's French
terms stand in brackets.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from referee.rules.engine import Seat
from referee.rules.parts import immutable


class Term(IntEnum):
    """A word with a number. Hashes as its number, which is much faster than by its name."""

    __hash__ = int.__hash__

    @property
    def id(self) -> str:
        """Return the specification's spelling."""
        return self.name.lower()


class Nation(Term):
    """Who rules a port, builds a navy and puts a price on heads."""

    EN = 1
    ES = 2
    FR = 3
    NL = 4

    @property
    def id(self) -> str:
        """Nations keep their capitals."""
        return self.name


class Zone(Term):
    """A sea zone (*zone maritime*), with its port if it has one."""

    HAVANA = 1
    PORT_ROYAL = 2
    OLD_PROVIDENCE = 3
    NASSAU = 4
    TORTUGA = 5
    PETIT_GOAVE = 6
    CARTAGENA = 7
    SANTO_DOMINGO = 8
    CARIBBEAN_SEA = 9
    CURACAO = 10
    SAN_JUAN = 11
    CARACAS = 12
    ST_MAARTEN = 13
    BASSE_TERRE = 14
    ST_JOHN = 15
    BRIDGETOWN = 16
    TRINIDAD = 17


class Wind(Term):
    """The eight directions of the map, clockwise (ruling R2)."""

    N = 1
    NE = 2
    E = 3
    SE = 4
    S = 5
    SW = 6
    W = 7
    NW = 8


class Good(Term):
    """What a cargo card (*carte Cargaison*) holds."""

    SPICE = 1
    COCOA = 2
    RUM = 3
    TOBACCO = 4
    SUGAR = 5
    COFFEE = 6
    COTTON = 7
    INDIGO = 8


class Section(Term):
    """A part of a ship that takes damage: *Cargaison, Mâts, Équipage, Canons, Coque*."""

    CARGO = 1
    MASTS = 2
    CREW = 3
    CANNONS = 4
    HULL = 5


class ShipType(Term):
    """A ship card; `garrison` is the crew of a town under assault, which fights without a ship."""

    SLOOP = 1
    FLUTE = 2
    FRIGATE = 3
    GALLEON = 4
    MAN_O_WAR = 5
    GARRISON = 6


class Weapon(Term):
    """A special weapon (*Arme spéciale*): *Harpeau, Boulets enchaînés, Mitraille*."""

    GRAPPLE = 1
    CHAIN = 2
    GRAPE = 3


class Modification(Term):
    """A ship modification token (*jeton Modification*)."""

    HAMMOCKS = 1
    RIGGING = 2
    REINFORCED_HULL = 3
    EXTENDED_HOLD = 4
    CHASERS = 5
    GUNPORT = 6
    SWIVEL_GUNS = 7
    LONG_GUNS = 8


class Specialist(Term):
    """A man on the captain's board."""

    CARPENTER = 1
    GUN_CAPTAIN = 2
    MASTER_GUNNER = 3
    SURGEON = 4
    LOOKOUT = 5
    MASTER_AT_ARMS = 6
    PURSER = 7
    SAILING_MASTER = 8


class Skill(Term):
    """A captain's skill: *Manœuvre, Reconnaissance, Leadership, Influence*."""

    SEAMANSHIP = 1
    SCOUTING = 2
    LEADERSHIP = 3
    INFLUENCE = 4


class NpcKind(Term):
    """A ship that belongs to no seat: one naval ship per nation, one pirate sloop, one pirate frigate."""

    NAVY_EN = 1
    NAVY_ES = 2
    NAVY_FR = 3
    NAVY_NL = 4
    PIRATE_SLOOP = 5
    PIRATE_FRIGATE = 6

    @property
    def id(self) -> str:
        """Nations keep their capitals."""
        return f"navy_{self.name[-2:]}" if self < NpcKind.PIRATE_SLOOP else self.name.lower()

    @property
    def nation(self) -> Nation | None:
        """Return whose navy it is; None for pirates."""
        return _NAVIES[self]

    def ship_type(self, *, in_war: bool) -> ShipType:
        """Pirates as named; naval ships are frigates, or men-o'-war while their nation is at war."""
        if self is NpcKind.PIRATE_SLOOP:
            return ShipType.SLOOP
        return ShipType.MAN_O_WAR if in_war else ShipType.FRIGATE


_NAVIES: tuple[Nation | None, ...] = (None, *Nation, None, None)
"""The nation of each kind of NPC, by its number."""


class Mode(Term):
    """Which dice a re-roll takes (ruling R5)."""

    OWN = 1
    ENEMY = 2
    BOTH = 3


class Stance(Term):
    """What a side declares in a naval round: *Tirer, Aborder, Fuir*."""

    SHOOT = 1
    BOARD = 2
    FLEE = 3


class Entry(Term):
    """A way into a port (6.6)."""

    FREE = 1
    PAY = 2
    ROLL = 3


class Timing(Term):
    """When a glory card may be played (cards file A.3)."""

    ACT = 1
    PORT = 2
    ROLL = 3
    CONTEST = 4
    CREW = 5
    CREW_START = 6
    VOLLEY = 7
    HITS = 8
    DECLARE = 9
    COPY = 10
    SCOUTED = 11
    TURN_START = 12


class Activity(Term):
    """What a Port action offers once each (5.2)."""

    SELL = 1
    BUY = 2
    SHIPYARD = 3
    RECRUIT = 4
    RUMOR = 5
    MISSION = 6
    STASH = 7


class Roll(Term):
    """What a roll of the dice was for."""

    SCOUTING = 1
    INFLUENCE = 2
    LEADERSHIP = 3
    SEAMANSHIP = 4
    RAID = 5
    CONTEST = 6
    CREW = 7
    LOCATION = 8
    LONG_GUNS = 9
    SWIVEL_GUNS = 10


class Feat(Term):
    """What earned a glory point (6.10)."""

    SALE = 1
    RAID = 2
    SHIP = 3
    RUMOR = 4
    MISSION = 5
    NAVY = 6
    PIRATE = 7
    PLAYER = 8


class RaidEnd(Term):
    """How a merchant raid ended (6.8)."""

    SUCCESS = 1
    ESCAPED = 2
    CRIPPLED = 3
    SUNK = 4


class CombatEnd(Term):
    """How a combat ended (6.9)."""

    SUNK = 1
    CREW = 2
    FLED = 3
    NOBODY = 4


@immutable(frozen=True, slots=True)
class Side:
    """One side of a combat: a seat, an NPC, or neither: the garrison of a town."""

    TAG: ClassVar[str] = "Side"
    seat: Seat | None = None
    npc: NpcKind | None = None


NATIONS = tuple(Nation)
SECTIONS = tuple(Section)
GOODS = tuple(Good)
ZONES_IN_ORDER = tuple(Zone)
WEAPONS = tuple(Weapon)
NPC_KINDS = tuple(NpcKind)
MODES = tuple(Mode)
