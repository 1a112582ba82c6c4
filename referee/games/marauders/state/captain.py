"""A seat and all that belongs to it: captain, ship, purse, cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.games.marauders.data.board import MAX_VALUE, MODIFICATIONS, SHIPS
from referee.games.marauders.terms import (
    Modification,
    Section,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class Ship:
    """A ship as it is now. `sections` in the order cargo, masts, crew, cannons, hull."""

    TAG: ClassVar[str] = "Ship"

    type: ShipType
    sections: tuple[int, ...]
    mods: tuple[Modification, ...] = ()
    flipped: bool = False
    """The reinforced hull took its hit."""

    def value(self, section: Section) -> int:
        """What is left of a section; 0 is destroyed."""
        return self.sections[section - 1]

    def maximum(self, section: Section) -> int:
        """The most a section can hold: ship plus modifications, never above 5."""
        value = SHIPS[self.type].sections[section - 1]
        for kind in self.mods:
            value += MODIFICATIONS[kind].raises == section
        return min(MAX_VALUE, value)

    @property
    def manoeuvrability(self) -> int:
        """How nimble the ship is."""
        value = SHIPS[self.type].manoeuvrability + sum(MODIFICATIONS[kind].manoeuvrability for kind in self.mods)
        return min(MAX_VALUE, value)


@immutable(frozen=True, slots=True)
class Hired:
    """A specialist on a board, and the card it is."""

    TAG: ClassVar[str] = "Hired"

    specialist: Specialist
    card: str


@dataclass(slots=True, kw_only=True)
class Player:
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

    def copy(self) -> Player:
        """A player that can be changed apart from this one."""
        return Player(
            captain=self.captain,
            ship=self.ship,
            zone=self.zone,
            in_port=self.in_port,
            gold=self.gold,
            bounties=self.bounties,
            cargo=self.cargo,
            glory=self.glory,
            rumor=self.rumor,
            mission=self.mission,
            weapons=self.weapons,
            specialists=self.specialists,
            kept=self.kept,
            bought_big_ship=self.bought_big_ship,
            bought_zone=self.bought_zone,
            bought_round=self.bought_round,
            track=self.track,
            chest=self.chest,
            stash_count=self.stash_count,
            retirements=self.retirements,
            declared=self.declared,
            last_gold=self.last_gold,
        )
