"""Sailing, ports, ships and crews."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Modification,
    Section,
    ShipType,
    Specialist,
    Weapon,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Sailed(Part):
    """A captain is now there, in port or at sea."""

    seat: Seat
    zone: Zone
    in_port: bool


@immutable(frozen=True, slots=True)
class PortVisited(Part):
    """A Port action began."""

    seat: Seat
    zone: Zone


@immutable(frozen=True, slots=True)
class ModificationRevealed(Part):
    """A port's modification token was turned face up."""

    zone: Zone
    kind: Modification


@immutable(frozen=True, slots=True)
class ModificationBuilt(Part):
    """A modification went from the port to a ship."""

    seat: Seat
    kind: Modification


@immutable(frozen=True, slots=True)
class ModificationPlaced(Part):
    """A modification token came back to a port, face down: which one, no seat sees (R34)."""

    zone: Zone
    kind: Modification | None


@immutable(frozen=True, slots=True)
class SectionRepaired(Part):
    """Points of a section came back."""

    seat: Seat
    section: Section
    points: int


@immutable(frozen=True, slots=True)
class HullRestored(Part):
    """A flipped reinforced hull is whole again."""

    seat: Seat


@immutable(frozen=True, slots=True)
class CrewJoined(Part):
    """Sailors came aboard."""

    seat: Seat
    count: int


@immutable(frozen=True, slots=True)
class WeaponTaken(Part):
    """A special weapon came aboard."""

    seat: Seat
    weapon: Weapon


@immutable(frozen=True, slots=True)
class WeaponGone(Part):
    """A special weapon was sold, used or lost."""

    seat: Seat
    weapon: Weapon
    used: bool


@immutable(frozen=True, slots=True)
class ShipTaken(Part):
    """A captain changed to another ship, bought or captured."""

    seat: Seat
    ship: ShipType
    captured: bool


@immutable(frozen=True, slots=True)
class SpecialistJoined(Part):
    """A card became a specialist on a board."""

    seat: Seat
    specialist: Specialist


@immutable(frozen=True, slots=True)
class CardKept(Part):
    """A rumor or mission card stays on a board and gives its flag."""

    seat: Seat
    rumor: str | None
    mission: str | None


PortEvent: TypeAlias = (
    Sailed
    | PortVisited
    | ModificationRevealed
    | ModificationBuilt
    | ModificationPlaced
    | SectionRepaired
    | HullRestored
    | CrewJoined
    | WeaponTaken
    | WeaponGone
    | ShipTaken
    | SpecialistJoined
    | CardKept
)
