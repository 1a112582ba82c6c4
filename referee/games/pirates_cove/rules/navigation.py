"""Phase 2: `NAVIGATE`, secret and all at once, or open and in turn under a Lookout. Spec 5.1, 5.2; rulings R25, R37."""

from __future__ import annotations

from collections.abc import Mapping

from referee.engine import Decision, Seat
from referee.games.pirates_cove.actions import Action, Sail
from referee.games.pirates_cove.data import MONTHS
from referee.games.pirates_cove.events import Log, Sailed
from referee.games.pirates_cove.ids import ISLANDS, TREASURE_ISLAND, Phase, Window
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import FightAt, Navigate, SetSail, State

HEADINGS: tuple[Action, ...] = tuple(Sail(island) for island in ISLANDS)


def begin_navigation(draft: State) -> None:
    """Phase 2: Lookout, navigation, answers to it; then come the fights. The last task is the first."""
    draft.phase = Phase.NAVIGATION
    seats = draft.seats_from(draft.start_seat)
    draft.agenda += [
        FightAt(ISLANDS[0]),
        open_window(Window.NAV_EVENT, seats),
        SetSail(),
        open_window(Window.LOOKOUT, seats),
    ]


def set_sail(draft: State) -> None:
    """All seats navigate, clockwise from the one the Lookout names."""
    first = Seat(0) if draft.lookout is None else draft.lookout
    draft.agenda.append(Navigate(draft.seats_from(first)))


def ask_heading(state: State, task: Navigate) -> Decision[Action]:
    """Any of six islands, whatever the present place."""
    seats = task.left if state.lookout is None else task.left[:1]
    return Decision(
        kind="NAVIGATE",
        options=dict.fromkeys(seats, HEADINGS),
        defaults={seat: default_heading(state, seat) for seat in seats},
    )


def default_heading(state: State, seat: Seat) -> int:
    """Treasure Island with something to bury or in the last month; else the first island without a black ship."""
    if state.ships[seat].chests or state.month == MONTHS:
        return ISLANDS.index(TREASURE_ISLAND)
    black = {ship.place for ship in state.black_ships}
    return next(index for index, island in enumerate(ISLANDS) if island not in black)


def sail(draft: State, task: Navigate, choices: Mapping[Seat, Action], log: Log) -> None:
    """The ships move as soon as their headings are known."""
    for seat, heading in sorted(choices.items()):
        assert isinstance(heading, Sail)
        draft.ships[seat].place = heading.island
        log.append(Sailed(seat, heading.island))
    left = tuple(seat for seat in task.left if seat not in choices)
    if left:
        draft.agenda.append(Navigate(left))
