"""Phase 3, combat at a place: who fights, boarding, exchanges, the end.

Spec 6.2 to 6.4; rulings R5 to R7, R34, R43, R45. Whoever begins a combat decides what comes after it: `EndCombat` on
the board, `EndDuel` of final.py after the last month.
"""

from __future__ import annotations

from typing import ClassVar

from referee.games.pirates_cove.data import LEGENDS, MAX_EXCHANGES
from referee.games.pirates_cove.events import combat_began, combat_ended, exchange_began
from referee.games.pirates_cove.rules.leaving import end_by_nightfall
from referee.games.pirates_cove.rules.legends import NavyTurn, fighters_at, fire_legend, mend_legends, take_prize
from referee.games.pirates_cove.rules.ships import put_in_order
from referee.games.pirates_cove.rules.volley import begin_turn
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import Combat, State, combat_of, pairs
from referee.games.pirates_cove.terms import TREASURE_ISLAND, Captain, Fighter, Phase, Place, Window
from referee.rules.agenda import Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class FightAt(Task[State]):
    """Phase 3 at one place, and then at those after it."""

    TAG: ClassVar[str] = "FightAt"
    place: Place

    def run(self, draft: State) -> None:
        """Begin the combat of a place. Whatever happens there is one single combat; the places after it wait for its
        end."""
        draft.phase = Phase.COMBAT
        for place in draft.occupied(self.place, TREASURE_ISLAND):
            seats = draft.seats_at(place)
            captains = fighters_at(draft, place)
            if captains or (place != TREASURE_ISLAND and len(seats) > 1):
                if place < TREASURE_ISLAND:
                    push(draft, FightAt(place + 1))
                push(draft, EndCombat())
                begin_combat(draft, place, seats, captains)
                return
            take_prize(draft, place)


def begin_combat(draft: State, place: Place, seats: tuple[Seat, ...], captains: tuple[Captain, ...]) -> None:
    """Boarding comes first, in an order that stays (R6); the first exchange uses the new speeds."""
    order = put_in_order(draft, seats)
    hulls = pairs({captain: LEGENDS[captain].hull for captain in captains})
    draft.combat = Combat(place=place, seats=seats, hulls=hulls, order=order)
    draft.events.append(combat_began(place, order, captains))
    push(draft, open_window(Window.BOARDING, order), NextExchange())


def is_over(combat: Combat) -> bool:
    """Nobody is left, or nobody to fight: at Treasure Island player ships leave each other alone (R45)."""
    if not combat.seats:
        return True
    return not combat.hulls and (combat.place == TREASURE_ISLAND or len(combat.seats) == 1)


@immutable(frozen=True, slots=True)
class NextExchange(Task[State]):
    """One more exchange of volleys, unless the combat is over."""

    TAG: ClassVar[str] = "NextExchange"

    def run(self, draft: State) -> None:
        """Order the ships anew, unless the combat is over or night falls."""
        combat = combat_of(draft)
        if is_over(combat):
            return
        if combat.exchange == MAX_EXCHANGES:
            end_by_nightfall(draft)
            return
        number = combat.exchange + 1
        order: tuple[Fighter, ...] = put_in_order(draft, (*combat.seats, *combat.captains))
        draft.combat = replace(combat, exchange=number, order=order, hulls_before=combat.hulls)
        draft.events.append(exchange_began(number, order))
        push(draft, Exchange(order))


@immutable(frozen=True, slots=True)
class Exchange(Task[State]):
    """The rest of an exchange: the ships still to act."""

    TAG: ClassVar[str] = "Exchange"
    left: tuple[Fighter, ...]

    def run(self, draft: State) -> None:
        """Let the ships of the order act, if they are still there, up to the next one that somebody chooses for."""
        for at, fighter in enumerate(self.left, start=1):
            combat = combat_of(draft)
            if is_over(combat):
                break
            if not isinstance(fighter, Captain):
                if fighter in combat.seats:
                    push(draft, Exchange(self.left[at:]))
                    begin_turn(draft, fighter)
                    return
            elif fighter in combat.captains:
                if fighter is Captain.NAVY:
                    push(draft, NavyTurn(), Exchange(self.left[at:]))
                    return
                fire_legend(draft, fighter)
        mend_legends(draft)
        push(draft, NextExchange())


@immutable(frozen=True, slots=True)
class EndCombat(Task[State]):
    """Clear the table after a combat; then the Cacafuego can be taken."""

    TAG: ClassVar[str] = "EndCombat"

    def run(self, draft: State) -> None:
        """Clear the table and see who is left there."""
        combat = close_combat(draft)
        take_prize(draft, combat.place)


def close_combat(draft: State) -> Combat:
    """Battle cards are discarded and all marks end. Gives back the combat as it ended."""
    combat = combat_of(draft)
    draft.tavern_discard += combat.laid
    draft.combat = None
    draft.events.append(combat_ended(combat.place, combat.seats))
    return combat
