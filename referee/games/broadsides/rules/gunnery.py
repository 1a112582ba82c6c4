"""Gunnery: which cannons bear, who fires first, shot by shot, and what is lost.

Spec sections 2.5, 2.6 and 6.3 to 6.5; rulings R8 to R11, R13 to R15, R23 and R40. The last salvo of a collision
(6.9, R27) runs here too, with its own column of the die table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from referee.games.broadsides.actions import Cease, Fire, FireAction
from referee.games.broadsides.data import (
    BEARING,
    DIRECTION_OF,
    EXPOSED,
    HULL_AT,
    MARKERS_PER_SECTION,
    MAST_IN,
    STATION_AT,
)
from referee.games.broadsides.events import (
    Event,
    ShotFired,
    cannon_lost,
    captain_hit,
    crew_lost,
    fire_ceased,
    guns_bear,
    hull_marked,
    mast_hit,
    shot_fired,
)
from referee.games.broadsides.rules.condition import end, is_eliminated, is_sunk
from referee.games.broadsides.rules.dice import roll, roll_opposed
from referee.games.broadsides.state import Gunfire, Ship, State
from referee.games.broadsides.terms import (
    FireMode,
    Mast,
    Reason,
    RollPurpose,
    Section,
    ShotEffect,
    Side,
    Station,
)
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.engine import DUEL, Decision, Seat, other_seat
from referee.rules.parts import Row, immutable, put, replace

FIRE_OPTIONS: Row[FireAction] = Row([*map(Fire, Section), Cease()])
FIRE_DECISIONS = tuple(
    Decision(kind="FIRE", options={seat: FIRE_OPTIONS}, defaults={seat: FIRE_OPTIONS.index(Cease())}) for seat in DUEL
)
"""By seat: every section, then cease, which is the default."""

MISSES = (1, 6)
HULL_DIE = 2
MAST_DIE = 4


def relative_bearing(ship: Ship, enemy: Ship) -> int | None:
    """Return where the enemy lies, in eighths clockwise from the ship's bow; None unless the ships are adjacent."""
    step = (enemy.point[0] - ship.point[0], enemy.point[1] - ship.point[1])
    direction = DIRECTION_OF.get(step)
    return None if direction is None else (direction - ship.facing) % 8


def bearing_cannons(ship: Ship, enemy: Ship) -> tuple[Station, ...]:
    """Return the ship's cannons that bear on the enemy."""
    bearing = relative_bearing(ship, enemy)
    if bearing is None:
        return ()
    return tuple([station for station in BEARING[bearing] if station in ship.cannons])


def exposed_side(target: Ship, shooter: Ship) -> Side | None:
    """Return the hull side the target shows to the shooter; none when end-on."""
    bearing = relative_bearing(target, shooter)
    return None if bearing is None else EXPOSED[bearing]


def any_gun_bears(state: State) -> bool:
    """Check whether a cannon of either ship bears on the other."""
    first, second = state.ships
    return bool(bearing_cannons(first, second) or bearing_cannons(second, first))


def open_exchange(draft: State) -> None:
    """After a step: fire if any gun bears. The numbers of shots are fixed now (R10)."""
    first, second = draft.ships
    if relative_bearing(first, second) is None:
        return
    open_fire(draft, FireMode.EXCHANGE, (len(bearing_cannons(first, second)), len(bearing_cannons(second, first))))


def open_fire(draft: State, mode: FireMode, shots: tuple[int, int]) -> None:
    """Give both seats their shots; dice decide who starts if both have some (6.3, steps 1 and 2)."""
    if not any(shots):
        return
    draft.events.append(guns_bear(mode, shots))
    first = roll_opposed(draft, RollPurpose.FIRST_FIRE) if all(shots) else DUEL[shots[0] == 0]
    draft.gunfire = Gunfire(mode=mode, seat=first, shots_left=shots[first], reply_shots=shots[other_seat(first)])
    push(draft, FireShot(first), CloseExchange())


@immutable(frozen=True, slots=True)
class FireShot(AgendaQuestion[State, FireAction]):
    """`FIRE`: a section, or cease."""

    TAG: ClassVar[str] = "FireShot"
    kind = "FIRE"
    seat: Seat

    def decision(self, state: State) -> Decision[FireAction]:
        """Return every section, then cease."""
        return FIRE_DECISIONS[self.seat]

    def answer(self, draft: State, choices: Mapping[Seat, FireAction]) -> None:
        """Fire one shot, or end a seat's shots (R9); then come the other seat's, even from a wreck (R10)."""
        gunfire, action = draft.gunfire, choices[self.seat]
        assert gunfire is not None
        shots_left, shots = gunfire.shots_left, gunfire.shots
        if isinstance(action, Fire):
            shots_left, shots = shots_left - 1, (*shots, resolve_shot(draft, gunfire, action.section))
            draft.shot_fired = True
        else:
            draft.events.append(fire_ceased(self.seat, shots_left))
            shots_left = 0
        if shots_left:
            draft.gunfire = replace(gunfire, shots_left=shots_left, shots=shots)
            push(draft, self)
        elif gunfire.reply_shots:
            enemy = other_seat(self.seat)
            draft.gunfire = replace(gunfire, seat=enemy, shots_left=gunfire.reply_shots, reply_shots=0, shots=shots)
            push(draft, FireShot(enemy))
        else:
            draft.gunfire = None


def resolve_shot(draft: State, gunfire: Gunfire, section: Section) -> ShotFired:
    """Roll for one shot and take off what it hits (6.4)."""
    shooter, target = gunfire.seat, other_seat(gunfire.seat)
    die = roll(draft, "gunnery", shooter)
    losses: list[Event] = []
    if die in MISSES:
        effect = ShotEffect.MISS
    elif die == HULL_DIE:
        effect = _hit_hull(draft, gunfire.mode, target, section, losses)
    elif (section, die) not in STATION_AT:
        effect = ShotEffect.NO_STATION
    else:
        clear_station(draft, target, STATION_AT[section, die], losses)
        if die == MAST_DIE and section in MAST_IN and gunfire.mode is FireMode.EXCHANGE:
            _hit_mast(draft, target, MAST_IN[section], losses)
        effect = ShotEffect.STATION if losses else ShotEffect.EMPTY_STATION
    shot = shot_fired(shooter, section, die, effect)
    draft.events.append(shot)
    draft.events.extend(losses)
    return shot


def clear_station(draft: State, seat: Seat, station: Station, losses: list[Event]) -> None:
    """Remove cannon, crew and captain from one station of a ship; whichever side it is on, it can be hit."""
    ship, crew = draft.ships[seat], draft.crews[seat]
    if station in ship.cannons:
        draft.set_ship(seat, replace(ship, cannons=tuple([cannon for cannon in ship.cannons if cannon != station])))
        losses.append(cannon_lost(seat, station))
    hands = crew.hands[seat][station]
    if hands:
        crew = crew.with_more(seat, station, -hands)
        draft.set_crew(seat, crew)
        losses.append(crew_lost(seat, station, hands))
    if crew.has_captain_on(seat, station):
        draft.set_crew(seat, replace(crew, captain=None))
        losses.append(captain_hit(seat, station))


def _hit_hull(draft: State, mode: FireMode, seat: Seat, section: Section, losses: list[Event]) -> ShotEffect:
    if mode is FireMode.LAST_SALVO:
        return ShotEffect.HULL_SPARED
    ship = draft.ships[seat]
    side = exposed_side(ship, draft.ships[other_seat(seat)])
    if side is None:
        return ShotEffect.END_ON
    hull = HULL_AT[section, side]
    if ship.hull[hull] == MARKERS_PER_SECTION:
        return ShotEffect.THIRD_HIT
    markers = ship.hull[hull] + 1
    draft.set_ship(seat, replace(ship, hull=put(ship.hull, hull, markers)))
    losses.append(hull_marked(seat, hull, markers))
    return ShotEffect.HULL


def _hit_mast(draft: State, seat: Seat, mast: Mast, losses: list[Event]) -> None:
    ship = draft.ships[seat]
    if ship.masts[mast]:
        hits_left = ship.masts[mast] - 1
        draft.set_ship(seat, replace(ship, masts=put(ship.masts, mast, hits_left)))
        losses.append(mast_hit(seat, mast, hits_left))


@immutable(frozen=True, slots=True)
class CloseExchange(Task[State]):
    """The end of an exchange or of the last salvo."""

    TAG: ClassVar[str] = "CloseExchange"

    def run(self, draft: State) -> None:
        """Judge both ships together (6.5); after the last salvo only elimination counts (6.9, step 4)."""
        sunk = [draft.boarding is None and is_sunk(ship) for ship in draft.ships]
        lost = [sunk[seat] or is_eliminated(draft.crews[seat]) for seat in DUEL]
        if all(lost):
            end(draft, None, Reason.MUTUAL_LOSS)
        elif any(lost):
            loser = DUEL[lost[1]]
            end(draft, other_seat(loser), Reason.SUNK if sunk[loser] else Reason.ELIMINATED)
