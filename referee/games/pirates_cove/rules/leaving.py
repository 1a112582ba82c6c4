"""Leaving a combat: forced, by flight with its mutiny die, or at nightfall. Spec 6.7; R8 to R11, R34, R43, R44."""

from __future__ import annotations

from referee.games.pirates_cove.data import MUTINY_DIE, MUTINY_FAME, RETREAT_FAME
from referee.games.pirates_cove.events import mutiny_rolled, ship_left
from referee.games.pirates_cove.rules.dice import roll
from referee.games.pirates_cove.rules.ships import change_fame, is_destroyed, put_in_order
from referee.games.pirates_cove.state import State, combat_of
from referee.games.pirates_cove.terms import AT_SEA, COVE, Departure, FameReason
from referee.rules.engine import Seat
from referee.rules.parts import replace


def leave(draft: State, leaving: tuple[Seat, ...], how: Departure) -> None:
    """Ships leave together. Who stays gains fame for each touched one, except at nightfall (R9, R34)."""
    combat = combat_of(draft)
    staying = tuple(seat for seat in combat.seats if seat not in leaving)
    draft.combat = replace(combat, seats=staying, gone=(*combat.gone, leaving))
    for seat in leaving:
        touched = seat in combat.touched
        draft.events.append(ship_left(seat, how, touched))
        if combat.place != AT_SEA:
            draft.set_ship(seat, replace(draft.ships[seat], place=COVE))
        if touched and how is not Departure.NIGHTFALL:
            for other in staying:
                change_fame(draft, other, RETREAT_FAME, FameReason.RETREAT)


def retreat(draft: State) -> None:
    """Force out all ships with a destroyed section together (R11). No mutiny die."""
    routed = tuple([seat for seat in combat_of(draft).seats if is_destroyed(draft.ships[seat])])
    if routed:
        leave(draft, routed, Departure.FORCED)


def flee(draft: State, seat: Seat) -> None:
    """Flee by choice, and roll the die that every flight costs (R10). The fame of others comes first."""
    leave(draft, (seat,), Departure.FLIGHT)
    die = roll(draft, "mutiny", seat)
    if die != MUTINY_DIE:
        draft.events.append(mutiny_rolled(seat, die, 0, 0))
        return
    ship = draft.ships[seat]
    draft.events.append(mutiny_rolled(seat, die, ship.gold, ship.chests))
    draft.gold += ship.gold
    draft.chests += ship.chests
    draft.set_ship(seat, replace(ship, gold=0, chests=0))
    change_fame(draft, seat, -MUTINY_FAME, FameReason.MUTINY)


def end_by_nightfall(draft: State) -> None:
    """After too many exchanges the non-player ships hold the place, else the fastest player ship does (R34).

    In the final duel nobody leaves: the ships still there share the first rank (spec 8).
    """
    combat = combat_of(draft)
    if combat.place == AT_SEA:
        return
    leaving = combat.seats if combat.hulls else put_in_order(draft, combat.seats)[1:]
    leave(draft, tuple(sorted(leaving)), Departure.NIGHTFALL)
