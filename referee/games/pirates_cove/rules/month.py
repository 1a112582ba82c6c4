"""The turn of the month: phase 1, treasure, and phase 6, black ships and cargo. Spec 5.1, 6.12; R26, R33, R38."""

from __future__ import annotations

from typing import ClassVar

from referee.games.pirates_cove.data import MONTHS
from referee.games.pirates_cove.events import LegendsReshuffled, MonthBegan, black_ship_moved, cargo_lost
from referee.games.pirates_cove.rules.combat import FightAt
from referee.games.pirates_cove.rules.final import FinalScoring
from referee.games.pirates_cove.rules.legends import LEGENDS_PILE
from referee.games.pirates_cove.rules.navigation import BeginNavigation
from referee.games.pirates_cove.rules.plunder import PlunderAt
from referee.games.pirates_cove.rules.port import CallAt
from referee.games.pirates_cove.rules.ships import is_hold_endless, value
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import BlackShip, State
from referee.games.pirates_cove.terms import ISLANDS, OUTER_ISLANDS, Captain, Phase, Section, Window
from referee.rules.agenda import Task, push
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class BeginMonth(Task[State]):
    """Phase 1, and the phases that follow."""

    TAG: ClassVar[str] = "BeginMonth"

    def run(self, draft: State) -> None:
        """Turn up one Treasure card per outer island."""
        draft.month += 1
        draft.phase = Phase.TREASURE
        draft.face_up = tuple([pile[-1] for pile in draft.piles])
        draft.piles = tuple([pile[:-1] for pile in draft.piles])
        draft.events.append(MonthBegan(draft.month, draft.start_seat, draft.face_up))
        seats = draft.seats_from(draft.start_seat)
        push(draft, open_window(Window.TREASURE_EVENT, seats), *LATER_PHASES)


@immutable(frozen=True, slots=True)
class EndMonth(Task[State]):
    """Phase 6."""

    TAG: ClassVar[str] = "EndMonth"

    def run(self, draft: State) -> None:
        """Black ships, marks of the month, cargo, treasure; then the next month or the end."""
        draft.phase = Phase.END_OF_MONTH
        draft.black_ships = tuple([move_on(draft, ship) for ship in draft.black_ships])
        draft.navy = draft.freebooter = draft.treasure_map = draft.lookout = None
        check_cargo(draft)
        draft.treasure_discard += draft.face_up
        draft.face_up = ()
        push(draft, BeginMonth() if draft.month < MONTHS else FinalScoring())


LATER_PHASES = (BeginNavigation(), FightAt(ISLANDS[0]), PlunderAt(OUTER_ISLANDS[0]), CallAt(ISLANDS[0]), EndMonth())
"""Phases 2 to 6 of a month."""


def move_on(draft: State, ship: BlackShip) -> BlackShip:
    """Move a ship one place on; a ship without captain gets the next one of the deck (R33)."""
    place = ship.place % len(ISLANDS) + 1
    captain = ship.captain or next_captain(draft)
    draft.events.append(black_ship_moved(place, captain, ship.captain is None))
    return BlackShip(place, captain)


def next_captain(draft: State) -> Captain:
    """Draw the top of the legend deck; the discards are shuffled when it is empty."""
    if not draft.legends:
        draft.events.append(LegendsReshuffled(len(draft.legend_discard)))
        draft.legends = tuple(draft.chance.shuffle(LEGENDS_PILE, TABLE, draft.legend_discard))
        draft.legend_discard = ()
    *rest, captain = draft.legends
    draft.legends = tuple(rest)
    return captain


def check_cargo(draft: State) -> None:
    """Chests above the hull's value are lost, only now and by themselves (R38)."""
    for seat, ship in enumerate(draft.ships):
        surplus = ship.chests - value(ship, Section.HULL)
        if surplus > 0 and not is_hold_endless(ship):
            draft.set_ship(Seat(seat), replace(ship, chests=ship.chests - surplus))
            draft.chests += surplus
            draft.events.append(cargo_lost(Seat(seat), surplus))
