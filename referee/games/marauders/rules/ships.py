"""Ships as values: maxima, damage, repairs, modifications, what they are worth (2.1, 2.3, 6.9)."""

from __future__ import annotations

from collections.abc import Iterable

from referee.games.marauders.data.board import MODIFICATIONS, SHIPS
from referee.games.marauders.state import Ship, State
from referee.games.marauders.terms import SECTIONS, Modification, Section, ShipType
from referee.rules.engine import Seat
from referee.rules.parts import kept, put, replace

REPAIRABLE = tuple(section for section in SECTIONS if section != Section.CREW)


def set_ship(draft: State, seat: Seat, ship: Ship) -> None:
    """Set a seat's ship as it is now."""
    draft.set_player(seat, replace(draft.players[seat], ship=ship))


def new_ship(type_: ShipType, mods: tuple[Modification, ...] = (), flipped: bool = False) -> Ship:
    """Return a ship fresh from the yard, all sections at their maximum."""
    bare = Ship(type_, SHIPS[type_].sections, mods, flipped)
    return replace(bare, sections=bare.maxima)


def garrison(crew: int) -> Ship:
    """Return the men of a town, who have no ship."""
    return with_value(Ship(ShipType.GARRISON, SHIPS[ShipType.GARRISON].sections), Section.CREW, crew)


def with_value(ship: Ship, section: Section, value: int) -> Ship:
    """Return the ship with one section at that value."""
    return replace(ship, sections=put(ship.sections, section - 1, value))


def missing(ship: Ship, section: Section) -> int:
    """Damage of a section."""
    return ship.maximum(section) - ship.value(section)


@kept
def damaged_sections(ship: Ship) -> tuple[Section, ...]:
    """Damaged sections but Crew, in list order."""
    return tuple([section for section in REPAIRABLE if missing(ship, section)])


@kept
def damage_points(ship: Ship) -> int:
    """Return all damage but that of Crew."""
    return sum([missing(ship, section) for section in damaged_sections(ship)])


def standing_sections(ship: Ship) -> tuple[Section, ...]:
    """Sections above 0, in list order."""
    return tuple([section for section in SECTIONS if ship.value(section)])


def repair_all(ship: Ship) -> Ship:
    """Return the ship with all sections but Crew at their maximum, the reinforced hull restored."""
    for section in REPAIRABLE:
        ship = with_value(ship, section, ship.maximum(section))
    return replace(ship, flipped=False)


def strike(ship: Ship, hits: Iterable[Section], lost_on: Section | None = None, surgeon: bool = False) -> Ship:
    """Return the ship after hits, one by one (6.9, "Applying").

    A hit on a destroyed section passes to the hull, except on the section that chain or grape protects. With a
    surgeon at hand the first point of Crew damage is ignored.
    """
    sections = list(ship.sections)
    for section in hits:
        if section == Section.CREW and surgeon and sections[section - 1]:
            surgeon = False
            continue
        if not sections[section - 1]:
            if section == lost_on or not sections[Section.HULL - 1]:
                continue
            section = Section.HULL
        sections[section - 1] -= 1
    return replace(ship, sections=tuple(sections))


def add_modification(ship: Ship, kind: Modification) -> Ship:
    """Return the ship with a new modification, whose point comes filled where its row says so."""
    row = MODIFICATIONS[kind]
    built = replace(ship, mods=tuple(sorted((*ship.mods, kind))))
    if row.raises is not None and row.filled and built.maximum(row.raises) > ship.maximum(row.raises):
        built = with_value(built, row.raises, built.value(row.raises) + 1)
    return built


def sale_value(ship: Ship) -> int:
    """Return what a shipyard gives: base, 1 per modification, 1 less per point of damage but Crew, never below 0."""
    return max(0, SHIPS[ship.type].sale + len(ship.mods) - damage_points(ship))


def can_take_hit(ship: Ship) -> bool:
    """Check whether the reinforced hull can still cancel a hit."""
    return Modification.REINFORCED_HULL in ship.mods and not ship.flipped
