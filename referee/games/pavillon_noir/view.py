"""Who knows what: what a seat sees, what it hears, and what could be otherwise without its noticing (spec 3).

A view is built for every question, so its classes are named tuples: a fifth of the price of frozen dataclasses.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from referee.chance import Chance
from referee.engine import DUEL, SPECTATOR, Decision, Seat, other_seat
from referee.games.pavillon_noir.events import (
    CardsDrawn,
    CardsLookedAt,
    Event,
    HandSpied,
    ReputationsDealt,
    TrickKept,
    TricksDealt,
)
from referee.games.pavillon_noir.pending import PatchMove, PayBroadside, PayReloadBattery, PaySheerOff, Spy, TrickAim
from referee.games.pavillon_noir.rules import ask
from referee.games.pavillon_noir.state import Duelist, Setting, Ship, Shot, State, Target
from referee.games.pavillon_noir.terms import (
    Cannon,
    Cards,
    Disaster,
    Discs,
    Gun,
    Phase,
    Reputation,
    TargetCard,
    Trick,
    Zone,
)


class DuelistView(NamedTuple):
    """What everybody may know of one seat's things."""

    ship: Ship
    disasters: tuple[Disaster | None, ...]
    """Under hull bow, main, stern; None while face down."""
    cannons: tuple[Cannon, ...]
    loads: tuple[Discs, Discs]
    drawn: Discs
    gun: Gun | None
    zone: Zone | None
    targets: tuple[Target, ...]
    hand_size: int
    deck_size: int
    discard: Cards
    tracks: tuple[tuple[int, ...], ...]
    reputation: Reputation | None
    trick_count: int
    played_tricks: tuple[Trick, ...]


class View(NamedTuple):
    """What one seat may know: all that is public, and its own secrets."""

    seat: Seat
    setting: Setting
    phase: Phase
    turn: int
    round: int
    first: Seat | None
    active: Seat | None
    actions: int
    aimed: bool
    duelists: tuple[DuelistView, DuelistView]
    bag: tuple[int, int, int]
    target_deck_size: int
    target_discard: tuple[TargetCard, ...]
    shot: Shot | None
    patch_moves: int
    """Moves left in the Patch action under way, the present one included."""
    hand: Cards
    tricks: tuple[Trick, ...]
    offered_reputations: tuple[Reputation, ...]
    rejected_reputations: tuple[Reputation, ...]
    offered_tricks: tuple[Trick, ...]
    rejected_tricks: tuple[Trick, ...]
    looked_at: Cards
    spied_hand: Cards


def view(state: State, seat: Seat) -> View:
    """Everything the seat may know, built field by field."""
    top = state.pending[-1] if state.pending else None
    one, two = state.duelists
    watching = seat == SPECTATOR
    return View(
        Seat(len(DUEL)) if watching else seat,
        state.setting,
        state.phase,
        state.turn,
        state.round,
        state.first,
        state.active,
        state.actions,
        state.aimed,
        (_public(one), _public(two)),
        state.bag,
        len(state.target_deck),
        tuple(state.target_discard),
        state.shot,
        top.left if isinstance(top, PatchMove) else 0,
        *(_NO_SECRETS if watching else _secrets(state, seat)),
    )


def _secrets(state: State, seat: Seat) -> Secrets:
    own, top = state.duelists[seat], state.pending[-1] if state.pending else None
    return (
        tuple(own.hand),
        own.tricks,
        own.offered_reputations,
        own.rejected_reputations,
        own.offered_tricks,
        own.rejected_tricks,
        top.looked_at if isinstance(top, TrickAim) and top.seat == seat else (),
        tuple(state.duelists[1 - seat].hand) if isinstance(top, Spy) and top.seat == seat else (),
    )


Secrets: TypeAlias = tuple[
    Cards,
    tuple[Trick, ...],
    tuple[Reputation, ...],
    tuple[Reputation, ...],
    tuple[Trick, ...],
    tuple[Trick, ...],
    Cards,
    Cards,
]
"""The last fields of a View, from `hand` on."""

_NO_SECRETS: Secrets = ((), (), (), (), (), (), (), ())


def _public(duelist: Duelist) -> DuelistView:
    return DuelistView(
        duelist.ship,
        _shown(duelist.tokens, duelist.flipped),
        duelist.cannons,
        duelist.loads,
        duelist.drawn,
        duelist.gun,
        duelist.zone,
        duelist.targets,
        len(duelist.hand),
        len(duelist.deck),
        tuple(duelist.discard),
        duelist.tracks,
        duelist.reputation,
        len(duelist.tricks),
        duelist.played_tricks,
    )


@lru_cache(None)
def _shown(tokens: tuple[Disaster, ...], flipped: tuple[bool, ...]) -> tuple[Disaster | None, ...]:
    return tuple(token if up else None for token, up in zip(tokens, flipped, strict=True))


def seen(event: Event, seat: Seat) -> Event | None:
    """An event as the seat perceived it: drawn, dealt and kept cards are shown to their owner, a spied hand to both."""
    match event:
        case CardsDrawn(owner) | CardsLookedAt(owner) if owner != seat:
            return replace(event, cards=())
        case ReputationsDealt(owner) if owner != seat:
            return ReputationsDealt(owner, ())
        case TricksDealt(owner) if owner != seat:
            return TricksDealt(owner, ())
        case TrickKept(owner) if owner != seat:
            return TrickKept(owner, None)
        case HandSpied(spy) if seat == SPECTATOR:  # both seats know the hand; who stands behind them does not
            return HandSpied(spy, ())
        case _:
            return event


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """A state the seat could not tell from the real one, with everything it cannot know drawn anew."""
    twin = state.copy()
    twin.chance = chance
    twin.duelists[seat].deck = chance.shuffle("hide deck", seat, twin.duelists[seat].deck)
    twin.target_deck = chance.shuffle("hide targets", seat, twin.target_deck)
    for owner in DUEL:
        _hide_tokens(twin.duelists[owner], owner, chance)
    _hide_cards(twin, other_seat(seat), chance)
    _hide_reputations(twin, seat, chance)
    _hide_tricks(twin, seat, chance)
    return twin


def _hide_tokens(duelist: Duelist, owner: Seat, chance: Chance) -> None:
    down = [token for token, up in zip(duelist.tokens, duelist.flipped, strict=True) if not up]
    dealt = iter(chance.shuffle("hide tokens", owner, down))
    duelist.tokens = tuple(
        token if up else next(dealt) for token, up in zip(duelist.tokens, duelist.flipped, strict=True)
    )


def _hide_cards(twin: State, other: Seat, chance: Chance) -> None:
    """The opponent's hand, deck and cards looked at are one heap to the seat, unless it is spying out the hand."""
    duelist, top = twin.duelists[other], twin.pending[-1] if twin.pending else None
    if isinstance(top, Spy) and top.seat != other:
        duelist.deck = chance.shuffle("hide deck", other, duelist.deck)
        return
    looked_at = top.looked_at if isinstance(top, TrickAim) and top.seat == other else ()
    held = len(duelist.hand)
    heap = [*duelist.hand, *duelist.deck, *looked_at]
    real = duelist.hand, duelist.deck
    for _ in range(20):
        mixed = chance.shuffle("hide cards", other, heap)
        duelist.hand, duelist.deck = sorted(mixed[:held]), mixed[held + len(looked_at) :]
        if looked_at:
            twin.pending[-1] = TrickAim(other, tuple(sorted(mixed[held : held + len(looked_at)])))
        if _can_pay(twin, other):
            return
    duelist.hand, duelist.deck = real


def _can_pay(twin: State, other: Seat) -> bool:
    """The seat knows that the opponent, who is about to pay, can."""
    top = twin.pending[-1] if twin.pending else None
    if not isinstance(top, PayBroadside | PaySheerOff | PayReloadBattery) or top.seat != other:
        return True
    decision = ask(twin)
    return isinstance(decision, Decision) and bool(decision.options[other])


def _hide_reputations(twin: State, seat: Seat, chance: Chance) -> None:
    own, other = twin.duelists[seat], twin.duelists[1 - seat]
    known = {*own.offered_reputations, *own.rejected_reputations, own.reputation, other.reputation}
    heap = chance.shuffle("hide reputations", seat, [card for card in Reputation if card not in known])
    offered, rejected = len(other.offered_reputations), len(other.rejected_reputations)
    other.offered_reputations = tuple(heap[:offered])
    other.rejected_reputations = tuple(heap[offered : offered + rejected])


def _hide_tricks(twin: State, seat: Seat, chance: Chance) -> None:
    own, other = twin.duelists[seat], twin.duelists[1 - seat]
    known = {*own.offered_tricks, *own.rejected_tricks, *own.tricks, *own.played_tricks, *other.played_tricks}
    heap = iter(chance.shuffle("hide tricks", seat, [card for card in Trick if card not in known]))
    other.tricks = tuple(sorted(next(heap) for _ in other.tricks))
    other.offered_tricks = tuple(next(heap) for _ in other.offered_tricks)
    other.rejected_tricks = tuple(next(heap) for _ in other.rejected_tricks)
    twin.trick_deck = tuple(next(heap) for _ in twin.trick_deck)
