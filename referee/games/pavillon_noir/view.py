"""Who knows what: what a seat sees, which events it perceives, and what may differ without it noticing (spec 3).

A view is built for every question. What everybody may know of a seat is kept with the seat's things: if they did not
change since the last question, they are not viewed again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from referee.games.pavillon_noir.events import (
    CardsDrawn,
    CardsLookedAt,
    Event,
    HandSpied,
    ReputationsDealt,
    TrickKept,
    TricksDealt,
    cards_drawn,
)
from referee.games.pavillon_noir.rules.attacks import PayBroadside, PaySheerOff
from referee.games.pavillon_noir.rules.patch import PatchMove
from referee.games.pavillon_noir.rules.reload import PayReloadBattery
from referee.games.pavillon_noir.rules.trick_questions import Spy, TrickAim
from referee.games.pavillon_noir.state import Duelist, Settings, Ship, Shot, State, Target, set_duelist
from referee.games.pavillon_noir.terms import (
    Cannon,
    Card,
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
from referee.rules.agenda import Pending
from referee.rules.chance import Chance
from referee.rules.engine import DUEL, SPECTATOR, Seat, other_seat
from referee.rules.parts import Part, immutable, kept, replace


@immutable(frozen=True, kw_only=True, slots=True)
class DuelistView(Part):
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


@immutable(frozen=True, kw_only=True, slots=True)
class Secrets:
    """What only one seat may know."""

    hand: Cards = ()
    tricks: tuple[Trick, ...] = ()
    offered_reputations: tuple[Reputation, ...] = ()
    rejected_reputations: tuple[Reputation, ...] = ()
    offered_tricks: tuple[Trick, ...] = ()
    rejected_tricks: tuple[Trick, ...] = ()
    looked_at: Cards = ()
    """Cards of its own deck that the seat is looking at to aim with one."""
    spied_hand: Cards = ()
    """The opponent's hand while the seat chooses a card of it to be discarded."""


@immutable(frozen=True, kw_only=True, slots=True)
class View:
    """What one seat may know: all that is public, and its own secrets."""

    seat: Seat
    settings: Settings
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
    secrets: Secrets
    """Nothing for a spectator."""


NO_SECRETS = Secrets()

MOST_DEALS = 1000
"""How often cards are dealt anew until a hand fits what is known of it."""


def view(state: State, seat: Seat) -> View:
    """Return everything the seat may know, built field by field."""
    top = state.pending[-1] if state.pending else None
    first_duelist, second_duelist = state.duelists
    watching = seat == SPECTATOR
    return View(
        seat=Seat(len(DUEL)) if watching else seat,
        settings=state.settings,
        phase=state.phase,
        turn=state.turn,
        round=state.round,
        first=state.first,
        active=state.active,
        actions=state.actions,
        aimed=state.aimed,
        duelists=(_public(first_duelist), _public(second_duelist)),
        bag=state.bag,
        target_deck_size=len(state.target_deck),
        target_discard=state.target_discard,
        shot=state.shot,
        patch_moves=top.left if isinstance(top, PatchMove) else 0,
        secrets=NO_SECRETS if watching else _secrets(state, seat, top),
    )


def _secrets(state: State, seat: Seat, top: Pending | None) -> Secrets:
    own = state.duelists[seat]
    return Secrets(
        hand=own.hand,
        tricks=own.tricks,
        offered_reputations=own.offered_reputations,
        rejected_reputations=own.rejected_reputations,
        offered_tricks=own.offered_tricks,
        rejected_tricks=own.rejected_tricks,
        looked_at=top.looked_at if isinstance(top, TrickAim) and top.seat == seat else (),
        spied_hand=state.duelists[1 - seat].hand if isinstance(top, Spy) and top.seat == seat else (),
    )


@kept
def _public(duelist: Duelist) -> DuelistView:
    return DuelistView(
        ship=duelist.ship,
        disasters=_shown(duelist.tokens, duelist.flipped),
        cannons=duelist.cannons,
        loads=duelist.loads,
        drawn=duelist.drawn,
        gun=duelist.gun,
        zone=duelist.zone,
        targets=duelist.targets,
        hand_size=len(duelist.hand),
        deck_size=len(duelist.deck),
        discard=duelist.discard,
        tracks=duelist.tracks,
        reputation=duelist.reputation,
        trick_count=len(duelist.tricks),
        played_tricks=duelist.played_tricks,
    )


@lru_cache(None)
def _shown(tokens: tuple[Disaster, ...], flipped: tuple[bool, ...]) -> tuple[Disaster | None, ...]:
    return tuple(token if up else None for token, up in zip(tokens, flipped, strict=True))


SECRET_EVENTS = (CardsDrawn, CardsLookedAt, ReputationsDealt, TricksDealt, TrickKept, HandSpied)
"""The events with something in them that not everybody perceives."""


def seen(event: Event, seat: Seat) -> Event | None:
    """Return an event as the seat perceived it: drawn, dealt and kept cards are shown to their owner, a spied hand
    to both."""
    if not isinstance(event, SECRET_EVENTS):
        return event
    match event:
        case CardsDrawn():
            return event if event.seat == seat else cards_drawn(event.seat, event.count, ())
        case CardsLookedAt():
            return event if event.seat == seat else replace(event, cards=())
        case ReputationsDealt():
            return event if event.seat == seat else replace(event, reputations=())
        case TricksDealt():
            return event if event.seat == seat else replace(event, tricks=())
        case TrickKept():
            return event if event.seat == seat else replace(event, trick=None)
        case HandSpied():  # both seats know the hand, spectators do not
            return replace(event, cards=()) if seat == SPECTATOR else event
        case _:
            assert_never(event)


def hide(state: State, seat: Seat, chance: Chance) -> State:
    """Return a state the seat could not tell from the real one, with everything it cannot know drawn anew."""
    twin = state.copy()
    twin.chance = chance
    own = twin.duelists[seat]
    set_duelist(twin, seat, replace(own, deck=tuple(chance.shuffle("hide deck", seat, own.deck))))
    twin.target_deck = tuple(chance.shuffle("hide targets", seat, twin.target_deck))
    for owner in DUEL:
        _hide_tokens(twin, owner, chance)
    _hide_cards(twin, other_seat(seat), chance)
    _hide_reputations(twin, seat, chance)
    _hide_tricks(twin, seat, chance)
    return twin


def _hide_tokens(twin: State, owner: Seat, chance: Chance) -> None:
    duelist = twin.duelists[owner]
    down = [token for token, up in zip(duelist.tokens, duelist.flipped, strict=True) if not up]
    dealt = iter(chance.shuffle("hide tokens", owner, down))
    tokens = tuple(token if up else next(dealt) for token, up in zip(duelist.tokens, duelist.flipped, strict=True))
    set_duelist(twin, owner, replace(duelist, tokens=tokens))


def _hide_cards(twin: State, other: Seat, chance: Chance) -> None:
    """Hide the opponent's hand, deck and cards looked at: one heap to the seat, unless it is spying out the hand."""
    real, top = twin.duelists[other], twin.pending[-1] if twin.pending else None
    if isinstance(top, Spy) and top.seat != other:
        set_duelist(twin, other, replace(real, deck=tuple(chance.shuffle("hide deck", other, real.deck))))
        return
    looked_at = top.looked_at if isinstance(top, TrickAim) and top.seat == other else ()
    held = len(real.hand)
    heap = [*real.hand, *real.deck, *looked_at]
    before: list[Card] = []
    for _ in range(MOST_DEALS):
        mixed = chance.shuffle("hide cards", other, heap)
        hand, deck = tuple(sorted(mixed[:held])), tuple(mixed[held + len(looked_at) :])
        set_duelist(twin, other, replace(real, hand=hand, deck=deck))
        if looked_at:
            looked = TrickAim(other, tuple(sorted(mixed[held : held + len(looked_at)])))
            twin.pending = (*twin.pending[:-1], looked)
        if mixed == before or _can_pay(twin, other):  # where all deals are the same, nobody plays on from this one
            return
        before = mixed


def _can_pay(twin: State, other: Seat) -> bool:
    """Check that the opponent, who is about to pay, can: the seat knows that."""
    top = twin.pending[-1] if twin.pending else None
    if not isinstance(top, PayBroadside | PaySheerOff | PayReloadBattery) or top.seat != other:
        return True
    return bool(top.options(twin))


def _hide_reputations(twin: State, seat: Seat, chance: Chance) -> None:
    own, other = twin.duelists[seat], twin.duelists[1 - seat]
    known = {*own.offered_reputations, *own.rejected_reputations, own.reputation, other.reputation}
    heap = tuple(chance.shuffle("hide reputations", seat, [card for card in Reputation if card not in known]))
    offered, rejected = len(other.offered_reputations), len(other.rejected_reputations)
    other = replace(other, offered_reputations=heap[:offered], rejected_reputations=heap[offered : offered + rejected])
    set_duelist(twin, other_seat(seat), other)


def _hide_tricks(twin: State, seat: Seat, chance: Chance) -> None:
    own, other = twin.duelists[seat], twin.duelists[1 - seat]
    known = {*own.offered_tricks, *own.rejected_tricks, *own.tricks, *own.played_tricks, *other.played_tricks}
    heap = iter(chance.shuffle("hide tricks", seat, [card for card in Trick if card not in known]))
    other = replace(
        other,
        tricks=tuple(sorted(next(heap) for _ in other.tricks)),
        offered_tricks=tuple(next(heap) for _ in other.offered_tricks),
        rejected_tricks=tuple(next(heap) for _ in other.rejected_tricks),
    )
    set_duelist(twin, other_seat(seat), other)
    twin.trick_deck = tuple(next(heap) for _ in twin.trick_deck)
