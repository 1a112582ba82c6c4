"""How two ships lie alongside after a collision, and where crews can cross. Spec 2.7; R25, R26, R31, R32 and R46."""

from __future__ import annotations

from functools import cache

from referee.games.broadsides.data import BLOWS, STATION_AT
from referee.games.broadsides.state import Ship
from referee.games.broadsides.terms import Section, Side, Station


def blow_direction(reference: Ship, mover: Ship) -> int:
    """Return where the blow came from, in eighths clockwise from the bow of the reference ship, as it faces now
    (R46)."""
    return (mover.facing + 4 - reference.facing) % 8


def contact_sides(blow: int, reference: int) -> tuple[Side, Side]:
    """Return the sides in contact, by seat."""
    struck = BLOWS[blow]
    if reference == 0:
        return struck.reference_side, struck.mover_side
    return struck.mover_side, struck.reference_side


def rail(section: Section, side: Side) -> Station:
    """Return the station of a section at the rail; A4 spans the forecastle (R31)."""
    return Station.A4 if section is Section.A else STATION_AT[section, side]


@cache
def crossings(sides: tuple[Side, Side], bows_opposite: bool) -> tuple[tuple[Station, Station], ...]:
    """Return the eight pairs of stations opposite each other: on ship 0, on ship 1. Height does not matter (R32)."""
    letters = list(Section)
    facing = reversed(letters) if bows_opposite else letters
    return tuple((rail(own, sides[0]), rail(their, sides[1])) for own, their in zip(letters, facing, strict=True))


@cache
def crossing_partners(sides: tuple[Side, Side], bows_opposite: bool) -> tuple[dict[Station, Station], ...]:
    """Per ship, from each of its rail stations to the one across."""
    pairs = crossings(sides, bows_opposite)
    return dict(pairs), {their: own for own, their in pairs}
