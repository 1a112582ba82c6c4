"""Too much cargo for the sea: `jettison` (5, 6.6, 6.8, R35)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import ClassVar

from referee.games.marauders.actions import each
from referee.games.marauders.actions.raid import Jettison
from referee.games.marauders.data.board import JETTISON_LISTED
from referee.games.marauders.rules.piles import cargo_excess, discard_cargo, held_goods, remove_goods
from referee.games.marauders.state import State
from referee.games.marauders.terms import Good
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class TrimCargo(Task[State]):
    """Down to the cargo limit."""

    TAG: ClassVar[str] = "TrimCargo"
    seat: Seat

    def run(self, draft: State) -> None:
        """Ask if there is too much."""
        if cargo_excess(draft, self.seat):
            push(draft, AskJettison(self.seat))


@immutable(frozen=True, slots=True)
class AskJettison(SeatQuestion[State, Jettison]):
    """`jettison`: every multiset of goods of the excess size, or single goods where that would be too long a list."""

    TAG: ClassVar[str] = "AskJettison"
    kind: ClassVar[str] = "jettison"

    def options(self, state: State) -> tuple[Jettison, ...]:
        """Return the options in the order of the cargo table."""
        held = held_goods(state.players[self.seat].cargo)
        heaps = multisets(held, cargo_excess(state, self.seat))
        if len(heaps) > JETTISON_LISTED:
            heaps = multisets(held, 1)
        return each(Jettison, heaps)

    def choose(self, draft: State, action: Jettison) -> None:
        """Overboard, and again if need be."""
        gone: list[str] = []
        for good in action.goods:
            gone += remove_goods(draft, self.seat, good, 1)
        discard_cargo(draft, self.seat, gone)
        push(draft, TrimCargo(self.seat))


def multisets(held: tuple[tuple[Good, int], ...], size: int) -> tuple[tuple[Good, ...], ...]:
    """Return all ways to take that many cards, goods alike being equal."""
    counts = dict(held)
    heaps = combinations_with_replacement(counts, size)
    return tuple([heap for heap in heaps if all(heap.count(good) <= counts[good] for good in set(heap))])
