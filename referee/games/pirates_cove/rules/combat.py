"""Combat at a place: who fights, boarding, exchanges, the end. Spec 6.2 to 6.4; rulings R5 to R7, R34, R43, R45."""

from __future__ import annotations

from referee.engine import Seat
from referee.games.pirates_cove.data import LEGENDS, MAX_EXCHANGES
from referee.games.pirates_cove.events import CombatBegan, CombatEnded, ExchangeBegan, Log
from referee.games.pirates_cove.ids import COVE, TREASURE_ISLAND, Captain, Phase, Place, Window
from referee.games.pirates_cove.rules.leaving import end_by_nightfall
from referee.games.pirates_cove.rules.legends import fighters_at, fire_legend, mend_legends, take_prize
from referee.games.pirates_cove.rules.ships import put_in_order
from referee.games.pirates_cove.rules.volley import begin_turn
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import (
    Combat,
    EndCombat,
    Exchange,
    FightAt,
    NavyTurn,
    NextExchange,
    PlunderAt,
    State,
)


def fight_at(draft: State, place: Place, log: Log) -> None:
    """Whatever happens at this place is one single combat; then comes the next place."""
    draft.phase = Phase.COMBAT
    draft.agenda.append(FightAt(place + 1) if place + 1 < COVE else PlunderAt(1))
    seats = draft.seats_at(place)
    if not seats:
        return
    captains = fighters_at(draft, place)
    if captains or (place != TREASURE_ISLAND and len(seats) > 1):
        begin_combat(draft, place, seats, captains, log)
    else:
        take_prize(draft, place, log)


def begin_combat(draft: State, place: Place, seats: tuple[Seat, ...], captains: tuple[Captain, ...], log: Log) -> None:
    """Boarding comes first, in an order that stays (R6); the first exchange uses the new speeds."""
    order = put_in_order(draft, seats)
    hulls = {captain: LEGENDS[captain].hull for captain in captains}
    draft.combat = Combat(place=place, seats=seats, hulls=hulls, order=order)
    log.append(CombatBegan(place, order, captains))
    draft.agenda += [EndCombat(), NextExchange(), open_window(Window.BOARDING, order)]


def is_over(combat: Combat) -> bool:
    """Nobody is left, or nobody to fight: at Treasure Island player ships leave each other alone (R45)."""
    if not combat.seats:
        return True
    return not combat.hulls and (combat.place == TREASURE_ISLAND or len(combat.seats) == 1)


def next_exchange(draft: State, log: Log) -> None:
    """Order the ships anew for one more exchange, unless the combat is over or night falls."""
    combat = draft.combat
    assert combat is not None
    if is_over(combat):
        return
    if combat.exchange == MAX_EXCHANGES:
        end_by_nightfall(draft, combat, log)
        return
    combat.exchange += 1
    combat.order = put_in_order(draft, (*combat.seats, *combat.hulls))
    combat.hulls_before = combat.hulls.copy()
    log.append(ExchangeBegan(combat.exchange, combat.order))
    draft.agenda.append(Exchange(combat.order))


def go_on_with_exchange(draft: State, task: Exchange, log: Log) -> None:
    """The next ship of the order acts, if it is still there."""
    combat = draft.combat
    assert combat is not None
    if not task.left or is_over(combat):
        mend_legends(combat, log)
        draft.agenda.append(NextExchange())
        return
    fighter, *rest = task.left
    draft.agenda.append(Exchange(tuple(rest)))
    if not isinstance(fighter, Captain):
        if fighter in combat.seats:
            begin_turn(draft, combat, fighter)
    elif fighter in combat.hulls:
        if fighter is Captain.NAVY:
            draft.agenda.append(NavyTurn())
        else:
            fire_legend(draft, combat, fighter, log)


def end_combat(draft: State, log: Log) -> None:
    """Battle cards are discarded and all marks end; then the Cacafuego can be taken."""
    combat = draft.combat
    assert combat is not None
    draft.tavern_discard += combat.laid
    draft.combat = None
    log.append(CombatEnded(combat.place, combat.seats))
    take_prize(draft, combat.place, log)
