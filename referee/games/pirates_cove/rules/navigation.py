"""Phase 2: `NAVIGATE`, secret and all at once, or open and in turn under a Lookout. Spec 5.1, 5.2; rulings R25, R37."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from referee.games.pirates_cove.actions import Sail
from referee.games.pirates_cove.data import MONTHS
from referee.games.pirates_cove.events import sailed
from referee.games.pirates_cove.rules.windows import open_window
from referee.games.pirates_cove.state import State
from referee.games.pirates_cove.terms import ISLANDS, TREASURE_ISLAND, Phase, Window
from referee.rules.agenda import AgendaQuestion, Task, push
from referee.rules.engine import Decision, Seat
from referee.rules.parts import immutable, replace

HEADINGS = tuple(Sail(island) for island in ISLANDS)


@immutable(frozen=True, slots=True)
class BeginNavigation(Task[State]):
    """Phase 2: Lookout, navigation, answers to it."""

    TAG: ClassVar[str] = "BeginNavigation"

    def run(self, draft: State) -> None:
        """Open both windows, with the navigation between them."""
        draft.phase = Phase.NAVIGATION
        seats = draft.seats_from(draft.start_seat)
        push(draft, open_window(Window.LOOKOUT, seats), SetSail(), open_window(Window.NAV_EVENT, seats))


@immutable(frozen=True, slots=True)
class SetSail(Task[State]):
    """The start of `NAVIGATE`, once it is known whether there is a Lookout."""

    TAG: ClassVar[str] = "SetSail"

    def run(self, draft: State) -> None:
        """Let all seats navigate, clockwise from the one the Lookout names."""
        first = Seat(0) if draft.lookout is None else draft.lookout
        push(draft, Navigate(draft.seats_from(first)))


@immutable(frozen=True, slots=True)
class Navigate(AgendaQuestion[State, Sail]):
    """`NAVIGATE`: all of `left` at once, or under a Lookout the first of it."""

    TAG: ClassVar[str] = "Navigate"
    kind = "NAVIGATE"
    left: tuple[Seat, ...]

    def decision(self, state: State) -> Decision[Sail]:
        """Any of six islands, whatever the present place."""
        seats = self.left if state.lookout is None else self.left[:1]
        return Decision(
            kind=self.kind,
            options=dict.fromkeys(seats, HEADINGS),
            defaults={seat: default_heading(state, seat) for seat in seats},
        )

    def answer(self, draft: State, choices: Mapping[Seat, Sail]) -> None:
        """Move the ships as soon as their headings are known."""
        for seat, heading in sorted(choices.items()):
            draft.set_ship(seat, replace(draft.ships[seat], place=heading.island))
            draft.events.append(sailed(seat, heading.island))
        left = tuple(seat for seat in self.left if seat not in choices)
        if left:
            push(draft, Navigate(left))


def default_heading(state: State, seat: Seat) -> int:
    """Treasure Island with something to bury or in the last month; else the first island without a black ship."""
    if state.ships[seat].chests or state.month == MONTHS:
        return ISLANDS.index(TREASURE_ISLAND)
    black = {ship.place for ship in state.black_ships}
    return next(index for index, island in enumerate(ISLANDS) if island not in black)
