"""Collision: how the ships come to lie alongside, where crews can cross, and the last salvo.

Spec sections 2.7 and 6.9, steps 1 to 3; rulings R25 to R27, R31, R32 and R46.
"""

from __future__ import annotations

from functools import cache

from referee.games.broadsides.data import BLOWS, BROADSIDE, STATION_AT, Section, Side, Station
from referee.games.broadsides.events import Event, FireMode, ShipsCollided
from referee.games.broadsides.rules.gunnery import open_fire
from referee.games.broadsides.state import SEATS, Boarding, Phase, Ship, State


def collide(draft: State, moved: tuple[bool, bool], told: list[Event]) -> Phase:
    """Lay the ships alongside and open the last salvo. The other cards of the round are discarded unseen."""
    reference = SEATS[moved[0] and not moved[1]]
    one, two = draft.ships
    blow = blow_direction(draft.ships[reference], draft.ships[1 - reference])
    sides = contact_sides(blow, reference)
    draft.boarding = Boarding(sides=sides, bows_opposite=BLOWS[blow].bows_opposite)
    for ship in draft.ships:
        ship.cards = ship.cards[: ship.turned]
    told.append(ShipsCollided(one.point, reference, all(moved), blow, sides, BLOWS[blow].bows_opposite))
    return open_fire(draft, FireMode.LAST_SALVO, (cannons_on(one, sides[0]), cannons_on(two, sides[1])), told)


def blow_direction(reference: Ship, mover: Ship) -> int:
    """Where the blow came from, in eighths clockwise from the bow of the reference ship, as it faces now (R46)."""
    return (mover.facing + 4 - reference.facing) % 8


def contact_sides(blow: int, reference: int) -> tuple[Side, Side]:
    """The sides in contact, by seat."""
    struck = BLOWS[blow]
    if reference == 0:
        return struck.reference_side, struck.mover_side
    return struck.mover_side, struck.reference_side


def cannons_on(ship: Ship, side: Side) -> int:
    """How many cannons stand on one side; in the last salvo all of them fire (R27)."""
    return sum(station in BROADSIDE[side] for station in ship.cannons)


def rail(section: Section, side: Side) -> Station:
    """The station of a section at the rail; A4 spans the forecastle (R31)."""
    return Station.A4 if section is Section.A else STATION_AT[section, side]


@cache
def crossings(sides: tuple[Side, Side], bows_opposite: bool) -> tuple[tuple[Station, Station], ...]:
    """The eight pairs of stations opposite each other: on ship 0, on ship 1. Height does not matter (R32)."""
    letters = list(Section)
    facing = reversed(letters) if bows_opposite else letters
    return tuple((rail(own, sides[0]), rail(their, sides[1])) for own, their in zip(letters, facing, strict=True))


@cache
def crossing_partners(sides: tuple[Side, Side], bows_opposite: bool) -> tuple[dict[Station, Station], ...]:
    """Per ship, from each of its rail stations to the one across."""
    pairs = crossings(sides, bows_opposite)
    return dict(pairs), {their: own for own, their in pairs}
