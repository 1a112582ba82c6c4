"""Ships as values: maxima, damage, repairs, modifications, what they are worth (2.1, 2.3, 6.9)."""

from __future__ import annotations

from collections.abc import Iterable

from referee.games.marauders.data.board import MODIFICATIONS, SHIPS
from referee.games.marauders.state import Ship
from referee.games.marauders.terms import SECTIONS, Modification, Section, ShipType
from referee.parts import replace

REPAIRABLE = tuple(section for section in SECTIONS if section != Section.CREW)


def new_ship(type_: ShipType, mods: tuple[Modification, ...] = (), flipped: bool = False) -> Ship:
    """A ship fresh from the yard, all sections at their maximum."""
    bare = Ship(type_, SHIPS[type_].sections, mods, flipped)
    return replace(bare, sections=tuple(bare.maximum(section) for section in SECTIONS))


def garrison(crew: int) -> Ship:
    """The men of a town, who have no ship."""
    return with_value(Ship(ShipType.GARRISON, SHIPS[ShipType.GARRISON].sections), Section.CREW, crew)


def with_value(ship: Ship, section: Section, value: int) -> Ship:
    """The ship with one section at that value."""
    sections = (*ship.sections[: section - 1], value, *ship.sections[section:])
    return Ship(ship.type, sections, ship.mods, ship.flipped)


def missing(ship: Ship, section: Section) -> int:
    """Damage of a section."""
    return ship.maximum(section) - ship.value(section)


def damaged_sections(ship: Ship) -> list[Section]:
    """Damaged sections but Crew, in list order."""
    return [section for section in REPAIRABLE if missing(ship, section)]


def standing_sections(ship: Ship) -> list[Section]:
    """Sections above 0, in list order."""
    return [section for section in SECTIONS if ship.value(section)]


def repair_all(ship: Ship) -> Ship:
    """All sections but Crew to their maximum, the reinforced hull restored."""
    for section in REPAIRABLE:
        ship = with_value(ship, section, ship.maximum(section))
    return replace(ship, flipped=False)


def strike(ship: Ship, hits: Iterable[Section], lost_on: Section | None = None, surgeon: bool = False) -> Ship:
    """The ship after hits, one by one (6.9, "Applying").

    A hit on a destroyed section passes to the hull, except on the section that chain or grape protects. With a
    surgeon at hand the first point of Crew damage is ignored.
    """
    for section in hits:
        if section == Section.CREW and surgeon and ship.value(section):
            surgeon = False
            continue
        if not ship.value(section):
            if section == lost_on or not ship.value(Section.HULL):
                continue
            section = Section.HULL
        ship = with_value(ship, section, ship.value(section) - 1)
    return ship


def add_modification(ship: Ship, kind: Modification) -> Ship:
    """The ship with a new modification, whose point comes filled where its row says so."""
    row = MODIFICATIONS[kind]
    built = Ship(ship.type, ship.sections, tuple(sorted((*ship.mods, kind))), ship.flipped)
    if row.raises is not None and row.filled and built.maximum(row.raises) > ship.maximum(row.raises):
        built = with_value(built, row.raises, built.value(row.raises) + 1)
    return built


def sale_value(ship: Ship) -> int:
    """What a shipyard gives: base, 1 per modification, 1 less per point of damage but Crew, never below 0."""
    damage = sum(missing(ship, section) for section in REPAIRABLE)
    return max(0, SHIPS[ship.type].sale + len(ship.mods) - damage)


def can_take_hit(ship: Ship) -> bool:
    """Whether the reinforced hull can still cancel a hit."""
    return Modification.REINFORCED_HULL in ship.mods and not ship.flipped
