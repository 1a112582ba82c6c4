"""Reloading: pay, return discs, draw, load (spec 6.6; rulings R12 to R14), and the loading at setup."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product
from typing import ClassVar

from referee.games.pavillon_noir.actions import Give, LoadGuns, ReturnDiscs, give
from referee.games.pavillon_noir.data import CANNONS
from referee.games.pavillon_noir.events import discs_returned, done, guns_loaded
from referee.games.pavillon_noir.rules.combos import pairs, subsets
from referee.games.pavillon_noir.rules.piles import discard_from_hand, draw_discs, return_discs
from referee.games.pavillon_noir.rules.reputations import perks, use_reputation
from referee.games.pavillon_noir.state import Duelist, State, set_duelist
from referee.games.pavillon_noir.terms import Cannon, Deed, Discs, Gun
from referee.rules.agenda import SeatQuestion, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace

WHOLE_BATTERY = 4
"""More discs than this never fit into two cannons."""


@immutable(frozen=True, slots=True)
class PayReloadOne(SeatQuestion[State, Give]):
    """Decision D8 for a single reload: any cards."""

    TAG: ClassVar[str] = "PayReloadOne"
    kind: ClassVar[str] = "PAY"

    def options(self, state: State) -> tuple[Give, ...]:
        """Return the ways to give as many cards as it costs."""
        own = state.duelists[self.seat]
        return tuple(map(give, subsets(own.hand, perks(own).reload_price)))

    def choose(self, draft: State, action: Give) -> None:
        """Step 1 of 6.6."""
        discard_from_hand(draft, self.seat, action.cards)
        draft.events.append(done(self.seat, Deed.RELOAD_ONE, action.cards))
        discs = perks(draft.duelists[self.seat]).reload_discs
        if discs > 1:
            use_reputation(draft, self.seat)
        push(draft, ChooseReturn(self.seat, discs))


@immutable(frozen=True, slots=True)
class PayReloadBattery(SeatQuestion[State, Give]):
    """Decision D8 for a reload of the battery: a pair."""

    TAG: ClassVar[str] = "PayReloadBattery"
    kind: ClassVar[str] = "PAY"

    def options(self, state: State) -> tuple[Give, ...]:
        """Return the pairs of the hand."""
        return tuple(map(give, pairs(state.duelists[self.seat].hand)))

    def choose(self, draft: State, action: Give) -> None:
        """Step 1 of 6.6."""
        discard_from_hand(draft, self.seat, action.cards)
        draft.events.append(done(self.seat, Deed.RELOAD_BATTERY, action.cards))
        push(draft, ChooseReturn(self.seat, WHOLE_BATTERY))


@immutable(frozen=True, slots=True)
class ChooseReturn(SeatQuestion[State, ReturnDiscs]):
    """Decision D14: the discs to return before up to `discs` new ones are drawn."""

    TAG: ClassVar[str] = "ChooseReturn"
    kind: ClassVar[str] = "RELOAD_RETURN"

    discs: int

    def options(self, state: State) -> tuple[ReturnDiscs, ...]:
        """Loaded discs to return, so that a place is empty (R14)."""
        own = state.duelists[self.seat]
        loaded = tuple(sorted(own.loads[Gun.BOW] + own.loads[Gun.STERN]))
        return _returns(loaded, sum(capacities(own.cannons)))

    def choose(self, draft: State, action: ReturnDiscs) -> None:
        """Steps 2 and 3 of 6.6."""
        own = draft.duelists[self.seat]
        bow, stern = list(own.loads[Gun.BOW]), list(own.loads[Gun.STERN])
        for disc in action.discs:
            (bow if disc in bow else stern).remove(disc)
        set_duelist(draft, self.seat, replace(own, loads=(tuple(bow), tuple(stern))))
        if action.discs:
            return_discs(draft, action.discs)
            draft.events.append(discs_returned(self.seat, action.discs))
        room = sum(capacities(own.cannons)) - len(bow) - len(stern)
        draw_discs(draft, self.seat, min(self.discs, room))
        push(draft, Load(self.seat))


@immutable(frozen=True, slots=True)
class Load(SeatQuestion[State, LoadGuns]):
    """Decision D3 after a reload: which disc goes into which cannon."""

    TAG: ClassVar[str] = "Load"
    kind: ClassVar[str] = "LOAD"

    def options(self, state: State) -> tuple[LoadGuns, ...]:
        """Return all discs of the seat, kept and drawn (R13)."""
        return load_options(state.duelists[self.seat])

    def choose(self, draft: State, action: LoadGuns) -> None:
        """Step 4 of 6.6."""
        load(draft, self.seat, action)


def load(draft: State, seat: Seat, action: LoadGuns) -> None:
    """Spread the discs over the cannons."""
    set_duelist(draft, seat, replace(draft.duelists[seat], loads=(action.bow, action.stern), drawn=()))
    draft.events.append(guns_loaded(seat, action.bow, action.stern))


def load_options(own: Duelist) -> tuple[LoadGuns, ...]:
    """Return every distinct split of a seat's discs over its cannons."""
    discs = tuple(sorted(own.loads[Gun.BOW] + own.loads[Gun.STERN] + own.drawn))
    return _loads(discs, capacities(own.cannons))


def capacities(cannons: tuple[Cannon, ...]) -> tuple[int, ...]:
    """Places in the bow and in the stern cannon."""
    return tuple(CANNONS[cannon].capacity for cannon in cannons)


@lru_cache(4096)
def _returns(loaded: Discs, places: int) -> tuple[ReturnDiscs, ...]:
    fewest = 1 if len(loaded) == places else 0
    returns = [ReturnDiscs(discs) for size in range(fewest, len(loaded) + 1) for discs in combinations(loaded, size)]
    return tuple(dict.fromkeys(returns))


@lru_cache(4096)
def _loads(discs: Discs, places: tuple[int, ...]) -> tuple[LoadGuns, ...]:
    """Disc by disc in canonical order, bow before stern: the order of vector V6."""
    loads: dict[LoadGuns, None] = {}
    for guns in product(Gun, repeat=len(discs)):
        bow = tuple(disc for disc, gun in zip(discs, guns, strict=True) if gun is Gun.BOW)
        stern = tuple(disc for disc, gun in zip(discs, guns, strict=True) if gun is Gun.STERN)
        if len(bow) <= places[Gun.BOW] and len(stern) <= places[Gun.STERN]:
            loads[LoadGuns(bow, stern)] = None
    return tuple(loads)
