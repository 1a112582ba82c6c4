"""Gunnery: which cannons bear, who fires first, shot by shot, and what is lost.

Spec sections 2.5, 2.6 and 6.3 to 6.5; rulings R8 to R11, R13 to R15, R23 and R40. The last salvo of a collision
(6.9, R27) runs here too, with its own column of the die table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from referee.engine import Decision, Seat
from referee.games.broadsides.actions import Action, Cease, Fire
from referee.games.broadsides.data import (
    BEARING,
    CARDS_PER_ROUND,
    DIRECTION_OF,
    EXPOSED,
    HULL_AT,
    MARKERS_PER_SECTION,
    MAST_IN,
    STATION_AT,
    Mast,
    Section,
    Side,
    Station,
)
from referee.games.broadsides.events import (
    CannonLost,
    CaptainHit,
    CrewLost,
    Event,
    FireCeased,
    FireMode,
    GunsBear,
    HullMarked,
    MastHit,
    Reason,
    RollPurpose,
    ShotEffect,
    ShotFired,
)
from referee.games.broadsides.rules.condition import end, every_captain_stands, is_eliminated, is_sunk
from referee.games.broadsides.rules.dice import roll, roll_opposed
from referee.games.broadsides.state import SEATS, Gunfire, Phase, Ship, State, other

FIRE_OPTIONS: tuple[Action, ...] = (*(Fire(section) for section in Section), Cease())
CEASE_INDEX = len(FIRE_OPTIONS) - 1

MISSES = (1, 6)
HULL_DIE = 2
MAST_DIE = 4


def relative_bearing(ship: Ship, enemy: Ship) -> int | None:
    """Where the enemy lies, in eighths clockwise from the ship's bow; None unless the ships are adjacent."""
    step = (enemy.point[0] - ship.point[0], enemy.point[1] - ship.point[1])
    direction = DIRECTION_OF.get(step)
    return None if direction is None else (direction - ship.facing) % 8


def bearing_cannons(ship: Ship, enemy: Ship) -> tuple[Station, ...]:
    """The ship's cannons that bear on the enemy."""
    bearing = relative_bearing(ship, enemy)
    if bearing is None:
        return ()
    return tuple(station for station in BEARING[bearing] if station in ship.cannons)


def exposed_side(target: Ship, shooter: Ship) -> Side | None:
    """The hull side the target shows to the shooter; none when end-on."""
    bearing = relative_bearing(target, shooter)
    return None if bearing is None else EXPOSED[bearing]


def any_gun_bears(state: State) -> bool:
    """Whether a cannon of either ship bears on the other."""
    one, two = state.ships
    return bool(bearing_cannons(one, two) or bearing_cannons(two, one))


def open_exchange(draft: State, told: list[Event]) -> Phase:
    """After a step: fire if any gun bears. The numbers of shots are fixed now (R10)."""
    one, two = draft.ships
    return open_fire(draft, FireMode.EXCHANGE, (len(bearing_cannons(one, two)), len(bearing_cannons(two, one))), told)


def open_fire(draft: State, mode: FireMode, shots: tuple[int, int], told: list[Event]) -> Phase:
    """Give both seats their shots; dice decide who starts if both have some (6.3, steps 1 and 2)."""
    if not any(shots):
        return Phase.EXCHANGE_END
    told.append(GunsBear(mode, shots))
    first = roll_opposed(draft, RollPurpose.FIRST_FIRE, told) if all(shots) else SEATS[shots[0] == 0]
    draft.gunfire = Gunfire(mode=mode, seat=first, shots_left=shots[first], reply_shots=shots[other(first)])
    return Phase.FIRE


def ask_fire(state: State) -> Decision[Action]:
    """FIRE: a section, or cease."""
    assert state.gunfire is not None
    seat = state.gunfire.seat
    return Decision(kind="FIRE", options={seat: FIRE_OPTIONS}, defaults={seat: CEASE_INDEX})


def fire(draft: State, choices: Mapping[Seat, Action], told: list[Event]) -> Phase:
    """One shot, or the end of a seat's shots (R9); then the other seat's, even from a wreck (R10)."""
    gunfire = draft.gunfire
    assert gunfire is not None
    choice = choices[gunfire.seat]
    if isinstance(choice, Fire):
        shot = resolve_shot(draft, gunfire, choice.section, told)
        gunfire = replace(gunfire, shots_left=gunfire.shots_left - 1, shots=(*gunfire.shots, shot))
        draft.shot_fired = True
    else:
        told.append(FireCeased(gunfire.seat, gunfire.shots_left))
        gunfire = replace(gunfire, shots_left=0)
    if gunfire.shots_left == 0 and gunfire.reply_shots > 0:
        gunfire = replace(gunfire, seat=other(gunfire.seat), shots_left=gunfire.reply_shots, reply_shots=0)
    draft.gunfire = gunfire if gunfire.shots_left else None
    return Phase.FIRE if gunfire.shots_left else Phase.EXCHANGE_END


def resolve_shot(draft: State, gunfire: Gunfire, section: Section, told: list[Event]) -> ShotFired:
    """Roll for one shot and take off what it hits (6.4)."""
    shooter, target = gunfire.seat, other(gunfire.seat)
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
    shot = ShotFired(shooter, section, die, effect)
    told.append(shot)
    told.extend(losses)
    return shot


def clear_station(draft: State, seat: Seat, station: Station, losses: list[Event]) -> None:
    """Remove cannon, crew and captain from one station of a ship; whichever side it is on, it can be hit."""
    ship, crew = draft.ships[seat], draft.crews[seat]
    if station in ship.cannons:
        ship.cannons = tuple(cannon for cannon in ship.cannons if cannon != station)
        losses.append(CannonLost(seat, station))
    if crew.hands[seat][station]:
        losses.append(CrewLost(seat, station, crew.hands[seat][station]))
        crew.hands[seat][station] = 0
    if crew.has_captain_on(seat, station):
        crew.captain = None
        losses.append(CaptainHit(seat, station))


def _hit_hull(draft: State, mode: FireMode, seat: Seat, section: Section, losses: list[Event]) -> ShotEffect:
    if mode is FireMode.LAST_SALVO:
        return ShotEffect.HULL_SPARED
    ship = draft.ships[seat]
    side = exposed_side(ship, draft.ships[other(seat)])
    if side is None:
        return ShotEffect.END_ON
    hull = HULL_AT[section, side]
    if ship.hull[hull] == MARKERS_PER_SECTION:
        return ShotEffect.THIRD_HIT
    ship.hull[hull] += 1
    losses.append(HullMarked(seat, hull, ship.hull[hull]))
    return ShotEffect.HULL


def _hit_mast(draft: State, seat: Seat, mast: Mast, losses: list[Event]) -> None:
    masts = draft.ships[seat].masts
    if masts[mast]:
        masts[mast] -= 1
        losses.append(MastHit(seat, mast, masts[mast]))


def close_exchange(draft: State, told: list[Event]) -> Phase:
    """Judge both ships together (6.5); after the last salvo only elimination counts (6.9, step 4)."""
    boarding = draft.boarding is not None
    sunk = [not boarding and is_sunk(ship) for ship in draft.ships]
    lost = [sunk[seat] or is_eliminated(draft.crews[seat]) for seat in SEATS]
    if all(lost):
        return end(draft, None, Reason.MUTUAL_LOSS, told)
    if any(lost):
        loser = SEATS[lost[1]]
        return end(draft, other(loser), Reason.SUNK if sunk[loser] else Reason.ELIMINATED, told)
    if boarding:
        return Phase.BOARD_START if every_captain_stands(draft) else Phase.REPLACE_CAPTAIN
    return Phase.STEP if draft.step < CARDS_PER_ROUND else Phase.ROUND_END
