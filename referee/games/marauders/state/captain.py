"""A seat and all that belongs to it: captain, ship, purse, cards."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from referee.games.marauders.data.board import MAX_VALUE, MODIFICATIONS, SHIPS
from referee.games.marauders.terms import (
    SECTIONS,
    Modification,
    Section,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Ship(Part):
    """A ship as it is now. `sections` in the order cargo, masts, crew, cannons, hull."""

    TAG: ClassVar[str] = "Ship"

    type: ShipType
    sections: tuple[int, ...]
    mods: tuple[Modification, ...] = ()
    flipped: bool = False
    """The reinforced hull took its hit."""

    def value(self, section: Section) -> int:
        """Return what is left of a section; 0 is destroyed."""
        return self.sections[section - 1]

    @property
    def maxima(self) -> tuple[int, ...]:
        """Return the most each section can hold."""
        return _maxima(self.type, self.mods)

    def maximum(self, section: Section) -> int:
        """Return the most a section can hold."""
        return self.maxima[section - 1]

    @property
    def manoeuvrability(self) -> int:
        """Return how nimble the ship is."""
        return _manoeuvrability(self.type, self.mods)


@cache
def _maxima(type_: ShipType, mods: tuple[Modification, ...]) -> tuple[int, ...]:
    """Ship plus modifications, never above 5."""
    raised = [MODIFICATIONS[kind].raises for kind in mods]
    values = zip(SECTIONS, SHIPS[type_].sections, strict=True)
    return tuple([min(MAX_VALUE, value + raised.count(section)) for section, value in values])


@cache
def _manoeuvrability(type_: ShipType, mods: tuple[Modification, ...]) -> int:
    return min(MAX_VALUE, SHIPS[type_].manoeuvrability + sum(MODIFICATIONS[kind].manoeuvrability for kind in mods))


@immutable(frozen=True, slots=True)
class Hired(Part):
    """A specialist on a board, and the card it is."""

    TAG: ClassVar[str] = "Hired"

    specialist: Specialist
    card: str


@immutable(frozen=True, kw_only=True, slots=True)
class Player(Part):
    """One seat: its captain with ship and belongings, and what outlives captains."""

    TAG: ClassVar[str] = "Player"

    captain: str | None
    """None: dead or retired, a new one comes at the seat's next turn."""
    ship: Ship | None = None
    zone: Zone
    in_port: bool = True
    gold: int = 0
    bounties: tuple[int, ...] = (0, 0, 0, 0)
    """Per nation in the order EN, ES, FR, NL."""
    cargo: tuple[str, ...] = ()
    """The longest aboard first."""
    glory: tuple[str, ...] = ()
    rumor: str | None = None
    mission: str | None = None
    weapons: tuple[Weapon, ...] = ()
    specialists: tuple[Hired, ...] = ()
    kept: tuple[str, ...] = ()
    bought_big_ship: bool = False
    """This captain has had its glory point for a frigate or galleon."""
    bought_zone: Zone | None = None
    bought_round: int = 0
    """Where and when goods were drawn last (ruling R23)."""
    track: int = 0
    chest: int = 0
    stash_count: int = 0
    retirements: int = 0
    declared: bool = False
    last_gold: int = 0
    """The last amount of gold everybody saw this seat gain (positive) or pay (negative)."""
