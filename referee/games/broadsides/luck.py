"""What the dice of the guns gave each seat: what a shot did, less what it does on average over the six faces.

**Zero on average, whatever anybody chooses.** Each face comes equally often, and all the rest is settled before the die
is thrown: who fires at which section, and what each face is worth, which is read from the state before the step. Even a
wrong worth would leave the average at zero; a good one makes the luck explain more.

**The worth of each loss** was fitted once, to games of the sample bots, and stays as it is: weights fitted to the same
matches that they correct would bias them. A hull marker is worth most where it destroys one of the last sections that
keep a ship afloat and both ships are about equally far from sinking. docs/tournaments.md, "Luck", has what this saves.
"""

from __future__ import annotations

from referee.games.broadsides.data import HULL_AT, MARKERS_PER_SECTION, MAST_IN, SECTIONS_TO_SINK, STATION_AT
from referee.games.broadsides.events import Event, ShotFired
from referee.games.broadsides.rules.gunnery import HULL_DIE, MAST_DIE, MISSES, exposed_side
from referee.games.broadsides.state import State
from referee.games.broadsides.terms import FireMode, Section
from referee.rules.engine import Seat, Step, other_seat

FIRST_MARKER = 0.09
SECOND_MARKER = (0.12, 0.21, 0.27)
"""What a hull marker is worth, in shares of the score: the first one of a section, and the one that destroys it, by how
many sections were destroyed before; times `closeness`."""

HAND, CAPTAIN, MAST = 0.025, 0.065, 0.026
"""What a crew member, the captain and a hit on a mast are worth."""

WIDTH = 2.5
"""A difference in damage, in markers, at which a marker is worth half."""

FACES = range(1, 7)


def luck(before: State, step: Step[State, Event]) -> tuple[float, float]:
    """Return by seat the score that the guns' dice of a step gave it; they add up to zero."""
    given = [0.0, 0.0]
    for event in step.events:
        if isinstance(event, ShotFired) and before.gunfire is not None:
            worth = [shot_worth(before, before.gunfire.mode, event.seat, event.section, face) for face in FACES]
            beyond = worth[event.die - 1] - sum(worth) / len(worth)
            given[event.seat] += beyond
            given[other_seat(event.seat)] -= beyond
    return given[0], given[1]


def shot_worth(state: State, mode: FireMode, shooter: Seat, section: Section, face: int) -> float:
    """Return what a shot at that section is worth if the die shows that face."""
    target = other_seat(shooter)
    ship, crew = state.ships[target], state.crews[target]
    if face in MISSES:
        return 0.0
    if face == HULL_DIE:
        return _hull_worth(state, shooter, section) if mode is FireMode.EXCHANGE else 0.0
    station = STATION_AT.get((section, face))
    if station is None:
        return 0.0
    worth = HAND * crew.hands[target][station] + CAPTAIN * crew.has_captain_on(target, station)
    if face == MAST_DIE and mode is FireMode.EXCHANGE and section in MAST_IN and ship.masts[MAST_IN[section]]:
        worth += MAST
    return worth


def _hull_worth(state: State, shooter: Seat, section: Section) -> float:
    target = other_seat(shooter)
    ship = state.ships[target]
    side = exposed_side(ship, state.ships[shooter])
    if side is None or (markers := ship.hull[HULL_AT[section, side]]) == MARKERS_PER_SECTION:
        return 0.0
    destroyed = min(ship.hull.count(MARKERS_PER_SECTION), SECTIONS_TO_SINK - 1)
    worth = SECOND_MARKER[destroyed] if markers else FIRST_MARKER
    return worth * closeness(damage(ship.hull) - damage(state.ships[shooter].hull))


def damage(hull: tuple[int, ...]) -> int:
    """Return how far a ship is on its way to sinking: the markers of the sections that have most."""
    return sum(sorted(hull)[-SECTIONS_TO_SINK:])


def closeness(difference: int) -> float:
    """Return how much a marker may still change, by the difference in damage."""
    return 1 / (1 + (difference / WIDTH) ** 2)
