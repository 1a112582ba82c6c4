"""Reloading: pay, return discs, draw, load (spec 6.6; rulings R12 to R14), and the loading at setup."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, product

from referee.engine import Seat
from referee.games.pavillon_noir.actions import Action, Give, LoadGuns, ReturnDiscs
from referee.games.pavillon_noir.data import CANNONS
from referee.games.pavillon_noir.events import DiscsReturned, Done, GunsLoaded
from referee.games.pavillon_noir.pending import ChooseReturn, Load, PayReloadBattery, PayReloadOne
from referee.games.pavillon_noir.rules import effects
from referee.games.pavillon_noir.rules.asked import Asked, misplayed
from referee.games.pavillon_noir.rules.combos import pairs, subsets
from referee.games.pavillon_noir.rules.piles import discard_from_hand, draw_discs, return_discs
from referee.games.pavillon_noir.state import Duelist, State
from referee.games.pavillon_noir.terms import Cannon, Deed, Discs, Gun


def ask_payment(state: State, question: PayReloadOne | PayReloadBattery) -> Asked:
    """D8: any cards for one disc, a pair for the battery."""
    own = state.duelists[question.seat]
    if isinstance(question, PayReloadOne):
        return Asked("PAY", tuple(map(Give, subsets(own.hand, effects.perks(own).reload_price))))
    return Asked("PAY", tuple(map(Give, pairs(own.hand))))


def play_payment(draft: State, question: PayReloadOne | PayReloadBattery, action: Action) -> None:
    """Step 1 of 6.6."""
    if not isinstance(action, Give):
        raise misplayed(question, action)
    draft.pending.pop()
    seat = question.seat
    discard_from_hand(draft, seat, action.cards)
    if isinstance(question, PayReloadOne):
        draft.tell(Done(seat, Deed.RELOAD_ONE, action.cards))
        perks = effects.perks(draft.duelists[seat])
        if perks.reload_discs > 1:
            effects.use_reputation(draft, seat)
        draft.push(ChooseReturn(seat, perks.reload_discs))
    else:
        draft.tell(Done(seat, Deed.RELOAD_BATTERY, action.cards))
        draft.push(ChooseReturn(seat, effects.WHOLE_BATTERY))


def ask_return(state: State, question: ChooseReturn) -> Asked:
    """D14: loaded discs to return, so that a place is empty (R14)."""
    own = state.duelists[question.seat]
    loaded = tuple(sorted(own.loads[Gun.BOW] + own.loads[Gun.STERN]))
    return Asked("RELOAD_RETURN", _returns(loaded, sum(capacities(own.cannons))))


def play_return(draft: State, question: ChooseReturn, action: Action) -> None:
    """Steps 2 and 3 of 6.6."""
    if not isinstance(action, ReturnDiscs):
        raise misplayed(question, action)
    draft.pending.pop()
    own = draft.duelists[question.seat]
    bow, stern = list(own.loads[Gun.BOW]), list(own.loads[Gun.STERN])
    for disc in action.discs:
        (bow if disc in bow else stern).remove(disc)
    own.loads = (tuple(bow), tuple(stern))
    if action.discs:
        return_discs(draft, action.discs)
        draft.tell(DiscsReturned(question.seat, action.discs))
    room = sum(capacities(own.cannons)) - len(bow) - len(stern)
    draw_discs(draft, question.seat, min(question.discs, room))
    draft.push(Load(question.seat))


def ask_load(state: State, seat: Seat) -> Asked:
    """D3 after a reload: all discs of the seat, kept and drawn (R13)."""
    return Asked("LOAD", load_options(state.duelists[seat]))


def play_load(draft: State, question: Load, action: Action) -> None:
    """Step 4 of 6.6."""
    if not isinstance(action, LoadGuns):
        raise misplayed(question, action)
    draft.pending.pop()
    load(draft, question.seat, action)


def load(draft: State, seat: Seat, action: LoadGuns) -> None:
    """Spread the discs over the cannons."""
    own = draft.duelists[seat]
    own.loads, own.drawn = (action.bow, action.stern), ()
    draft.tell(GunsLoaded(seat, action.bow, action.stern))


def load_options(own: Duelist) -> tuple[LoadGuns, ...]:
    """Every distinct split of a seat's discs over its cannons."""
    discs = tuple(sorted(own.loads[Gun.BOW] + own.loads[Gun.STERN] + own.drawn))
    return _loads(discs, capacities(own.cannons))


def capacities(cannons: tuple[Cannon, ...]) -> tuple[int, ...]:
    """Places in the bow and in the stern cannon."""
    return tuple(CANNONS[cannon].capacity for cannon in cannons)


@lru_cache(4096)
def _returns(loaded: Discs, places: int) -> tuple[ReturnDiscs, ...]:
    fewest = 1 if len(loaded) == places else 0
    found = [ReturnDiscs(discs) for size in range(fewest, len(loaded) + 1) for discs in combinations(loaded, size)]
    return tuple(dict.fromkeys(found))


@lru_cache(4096)
def _loads(discs: Discs, places: tuple[int, ...]) -> tuple[LoadGuns, ...]:
    """Disc by disc in canonical order, bow before stern: the order of vector V6."""
    found: dict[LoadGuns, None] = {}
    for guns in product(Gun, repeat=len(discs)):
        bow = tuple(disc for disc, gun in zip(discs, guns, strict=True) if gun is Gun.BOW)
        stern = tuple(disc for disc, gun in zip(discs, guns, strict=True) if gun is Gun.STERN)
        if len(bow) <= places[Gun.BOW] and len(stern) <= places[Gun.STERN]:
            found[LoadGuns(bow, stern)] = None
    return tuple(found)
