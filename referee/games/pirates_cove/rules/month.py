"""The turn of the month: phase 1, treasure, and phase 6, black ships and cargo. Spec 5.1, 6.12; R26, R33, R38."""

from __future__ import annotations

from referee.chance import TABLE
from referee.engine import Seat
from referee.games.pirates_cove.data import MONTHS
from referee.games.pirates_cove.events import BlackShipMoved, CargoLost, LegendsReshuffled, Log, MonthBegan
from referee.games.pirates_cove.ids import ISLANDS, Captain, Phase, Section, Window
from referee.games.pirates_cove.rules.legends import LEGENDS_PILE
from referee.games.pirates_cove.rules.ships import is_hold_endless, value
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import BeginMonth, BeginNavigation, BlackShip, FinalScoring, State


def begin_month(draft: State, log: Log) -> None:
    """Phase 1: turn up one Treasure card per outer island."""
    draft.month += 1
    draft.phase = Phase.TREASURE
    draft.face_up = tuple(pile[-1] for pile in draft.piles)
    draft.piles = tuple(pile[:-1] for pile in draft.piles)
    log.append(MonthBegan(draft.month, draft.start_seat, draft.face_up))
    seats = draft.seats_from(draft.start_seat)
    draft.agenda += [BeginNavigation(), open_window(Window.TREASURE_EVENT, seats)]


def end_month(draft: State, log: Log) -> None:
    """Black ships, marks of the month, cargo, treasure; then the next month or the end."""
    draft.phase = Phase.END_OF_MONTH
    draft.black_ships = tuple(move_on(draft, ship, log) for ship in draft.black_ships)
    draft.navy = draft.freebooter = draft.treasure_map = draft.lookout = None
    check_cargo(draft, log)
    draft.treasure_discard += draft.face_up
    draft.face_up = ()
    draft.agenda.append(BeginMonth() if draft.month < MONTHS else FinalScoring())


def move_on(draft: State, ship: BlackShip, log: Log) -> BlackShip:
    """One place on; a ship without captain gets the next one of the deck (R33)."""
    place = ship.place % len(ISLANDS) + 1
    captain = ship.captain or next_captain(draft, log)
    log.append(BlackShipMoved(place, captain, ship.captain is None))
    return BlackShip(place, captain)


def next_captain(draft: State, log: Log) -> Captain:
    """The top of the legend deck; the discards are shuffled when it is empty."""
    if not draft.legends:
        log.append(LegendsReshuffled(len(draft.legend_discard)))
        draft.legends = tuple(draft.chance.shuffle(LEGENDS_PILE, TABLE, draft.legend_discard))
        draft.legend_discard = ()
    *rest, captain = draft.legends
    draft.legends = tuple(rest)
    return captain


def check_cargo(draft: State, log: Log) -> None:
    """Chests above the hull's value are lost, only now and by themselves (R38)."""
    for seat, ship in enumerate(draft.ships):
        surplus = ship.chests - value(ship, Section.HULL)
        if surplus > 0 and not is_hold_endless(ship):
            ship.chests -= surplus
            draft.chests += surplus
            log.append(CargoLost(Seat(seat), surplus))
