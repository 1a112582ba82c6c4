"""Aim cards, target cards and discs on their way between piles, hands and bag (spec 6, rulings R33 to R35).

Luck: each seat's aim deck and discs are its own, so what the opponent does never shifts them. The target deck is
shared; nobody knows its order, so seat 0 may as well draw from its end and seat 1 from its beginning: then a seat that
lays its gun more often leaves the other's coming cards as they were, and mirrored games stay comparable.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from referee.games.pavillon_noir.events import (
    TargetsReshuffled,
    cards_discarded,
    cards_drawn,
    deck_reshuffled,
    discs_drawn,
)
from referee.games.pavillon_noir.state import State, set_duelist
from referee.games.pavillon_noir.terms import Cards, Cause, Discs, Gun, Projectile, TargetCard, Track
from referee.rules.chance import TABLE
from referee.rules.engine import Seat
from referee.rules.parts import put, replace

T = TypeVar("T")


def without(pile: tuple[T, ...], gone: Iterable[T]) -> tuple[T, ...]:
    """Return a pile some cards or discs of which are gone; the others stay in their order."""
    for item in gone:
        place = pile.index(item)
        pile = pile[:place] + pile[place + 1 :]
    return pile


def take_top(draft: State, seat: Seat, count: int) -> Cards:
    """Aim cards from a seat's deck, reshuffling as needed; fewer if there are no more."""
    taken, deck, discard = _top(draft, seat, count)
    set_duelist(draft, seat, replace(draft.duelists[seat], deck=deck, discard=discard))
    return taken


def draw_cards(draft: State, seat: Seat, count: int) -> None:
    """Draw aim cards into the hand."""
    taken, deck, discard = _top(draft, seat, count)
    own = draft.duelists[seat]
    set_duelist(draft, seat, replace(own, deck=deck, discard=discard, hand=tuple(sorted(own.hand + taken))))
    draft.events.append(cards_drawn(seat, len(taken), taken))


def _top(draft: State, seat: Seat, count: int) -> tuple[Cards, Cards, Cards]:
    """Return the cards that come off a seat's deck, in canonical order, and the deck and discard pile that are left."""
    own = draft.duelists[seat]
    deck, discard = own.deck, own.discard
    cut = max(0, len(deck) - count)
    deck, taken = deck[:cut], deck[cut:]
    if len(taken) < count and discard:
        deck, discard = tuple(draft.chance.shuffle("aim_deck", seat, discard)), ()
        draft.events.append(deck_reshuffled(seat))
        cut = max(0, len(deck) + len(taken) - count)
        deck, taken = deck[:cut], taken + deck[cut:]
    return tuple(sorted(taken)), deck, discard


def cards_to_keep(state: State) -> int:
    """Count the cards to keep: one has to be left for the compulsory Aim (R15)."""
    return 0 if state.aimed else 1


def discard_from_hand(draft: State, seat: Seat, cards: Cards) -> None:
    """Lay cards of the hand on the discard pile, without an event: a payment is told by what it pays for."""
    own = draft.duelists[seat]
    set_duelist(draft, seat, replace(own, hand=without(own.hand, cards), discard=own.discard + cards))


def lose_cards(draft: State, seat: Seat, cards: Cards, cause: Cause) -> None:
    """Cards of the hand are discarded for nothing in return."""
    if cards:
        discard_from_hand(draft, seat, cards)
        draft.events.append(cards_discarded(seat, cards, cause))


def lose_random_cards(draft: State, seat: Seat, count: int, cause: Cause) -> None:
    """Cards of the hand are drawn by lot and discarded."""
    rest = list(draft.duelists[seat].hand)
    lost = [rest.pop(draft.chance.draw("lose_card", seat, len(rest))) for _ in range(min(count, len(rest)))]
    lose_cards(draft, seat, tuple(lost), cause)


def discard_aim(draft: State, seat: Seat, cards: Cards, cause: Cause) -> None:
    """Aim cards that lay beside target cards are discarded."""
    if cards:
        own = draft.duelists[seat]
        set_duelist(draft, seat, replace(own, discard=own.discard + cards))
        draft.events.append(cards_discarded(seat, cards, cause))


def draw_targets(draft: State, seat: Seat, count: int) -> tuple[TargetCard, ...]:
    """Target cards from the seat's end of the shared deck."""
    drawn: list[TargetCard] = []
    for _ in range(count):
        if not draft.target_deck:
            draft.target_deck = tuple(draft.chance.shuffle("targets", TABLE, draft.target_discard))
            draft.target_discard = ()
            draft.events.append(TargetsReshuffled())
        if seat == 0:
            drawn.append(draft.target_deck[-1])
            draft.target_deck = draft.target_deck[:-1]
        else:
            drawn.append(draft.target_deck[0])
            draft.target_deck = draft.target_deck[1:]
    return tuple(drawn)


def draw_discs(draft: State, seat: Seat, count: int) -> None:
    """Discs from the bag, uniformly and without replacement; they wait in front of the seat."""
    bag = list(draft.bag)
    drawn: list[Projectile] = []
    for _ in range(count):
        place = draft.chance.draw("disc", seat, sum(bag))
        projectile = Projectile(0 if place < bag[0] else 1 if place < bag[0] + bag[1] else 2)
        bag[projectile] -= 1
        drawn.append(projectile)
    draft.bag = (bag[0], bag[1], bag[2])
    discs = tuple(sorted(drawn))
    set_duelist(draft, seat, replace(draft.duelists[seat], drawn=discs))
    draft.events.append(discs_drawn(seat, discs))


def return_discs(draft: State, discs: Discs) -> None:
    """Discs go back into the bag."""
    balls, chains, grape = draft.bag
    draft.bag = (
        balls + discs.count(Projectile.BALL),
        chains + discs.count(Projectile.CHAIN),
        grape + discs.count(Projectile.GRAPE),
    )


def unload(draft: State, seat: Seat, gun: Gun, projectile: Projectile) -> None:
    """Move one disc from a cannon to the bag."""
    own = draft.duelists[seat]
    load_gun(draft, seat, gun, without(own.loads[gun], (projectile,)))
    return_discs(draft, (projectile,))


def load_gun(draft: State, seat: Seat, gun: Gun, discs: Discs) -> None:
    """Say what one cannon holds from now on."""
    own = draft.duelists[seat]
    bow, stern = own.loads
    set_duelist(draft, seat, replace(own, loads=(bow, discs) if gun is Gun.STERN else (discs, stern)))


def cover(draft: State, seat: Seat, track: Track, entries: Iterable[int]) -> None:
    """Suits or values of a track are used up."""
    own = draft.duelists[seat]
    covered = tuple(sorted({*own.tracks[track], *entries}))
    set_duelist(draft, seat, replace(own, tracks=put(own.tracks, track, covered)))
