"""Aim cards, target cards and discs on their way between piles, hands and bag (spec 6, rulings R33 to R35).

Luck: each seat's aim deck and discs are its own, so what the opponent does never shifts them. The target deck is
shared; nobody knows its order, so seat 0 may as well draw from its end and seat 1 from its beginning: then a seat that
lays its gun more often leaves the other's coming cards as they were, and mirrored games stay comparable.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable

from referee.chance import TABLE
from referee.engine import Seat
from referee.games.pavillon_noir.events import CardsDiscarded, CardsDrawn, DeckReshuffled, DiscsDrawn, TargetsReshuffled
from referee.games.pavillon_noir.state import State
from referee.games.pavillon_noir.terms import Card, Cards, Cause, Discs, Projectile, TargetCard, Track


def take_top(draft: State, seat: Seat, count: int) -> list[Card]:
    """Aim cards from a seat's deck, reshuffling as needed; fewer if there are no more."""
    duelist = draft.duelists[seat]
    taken: list[Card] = []
    for _ in range(count):
        if not duelist.deck:
            if not duelist.discard:
                break
            duelist.deck = draft.chance.shuffle("aim_deck", seat, duelist.discard)
            duelist.discard = []
            draft.events.append(DeckReshuffled(seat))
        taken.append(duelist.deck.pop())
    return taken


def draw_cards(draft: State, seat: Seat, count: int) -> None:
    """Draw aim cards into the hand."""
    taken = take_top(draft, seat, count)
    hand = draft.duelists[seat].hand
    for card in taken:
        insort(hand, card)
    draft.events.append(CardsDrawn(seat, len(taken), tuple(sorted(taken))))


def cards_to_keep(state: State) -> int:
    """A card has to be left for the compulsory Aim (R15)."""
    return 0 if state.aimed else 1


def discard_from_hand(draft: State, seat: Seat, cards: Cards) -> None:
    """Lay cards of the hand on the discard pile, without an event: a payment is told by what it pays for."""
    duelist = draft.duelists[seat]
    for card in cards:
        duelist.hand.remove(card)
    duelist.discard.extend(cards)


def lose_cards(draft: State, seat: Seat, cards: Cards, cause: Cause) -> None:
    """Cards of the hand are discarded for nothing in return."""
    if cards:
        discard_from_hand(draft, seat, cards)
        draft.events.append(CardsDiscarded(seat, cards, cause))


def lose_random_cards(draft: State, seat: Seat, count: int, cause: Cause) -> None:
    """Cards of the hand are drawn by lot and discarded."""
    rest = draft.duelists[seat].hand.copy()
    lost = [rest.pop(draft.chance.draw("lose_card", seat, len(rest))) for _ in range(min(count, len(rest)))]
    lose_cards(draft, seat, tuple(lost), cause)


def discard_aim(draft: State, seat: Seat, cards: Iterable[Card], cause: Cause) -> None:
    """Aim cards that lay beside target cards are discarded."""
    gone = tuple(cards)
    if gone:
        draft.duelists[seat].discard.extend(gone)
        draft.events.append(CardsDiscarded(seat, gone, cause))


def draw_targets(draft: State, seat: Seat, count: int) -> tuple[TargetCard, ...]:
    """Target cards from the seat's end of the shared deck."""
    drawn: list[TargetCard] = []
    for _ in range(count):
        if not draft.target_deck:
            draft.target_deck = draft.chance.shuffle("targets", TABLE, draft.target_discard)
            draft.target_discard = []
            draft.events.append(TargetsReshuffled())
        drawn.append(draft.target_deck.pop(-1 if seat == 0 else 0))
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
    draft.duelists[seat].drawn = tuple(sorted(drawn))
    draft.events.append(DiscsDrawn(seat, draft.duelists[seat].drawn))


def return_discs(draft: State, discs: Discs) -> None:
    """Discs go back into the bag."""
    balls, chains, grape = draft.bag
    draft.bag = (
        balls + discs.count(Projectile.BALL),
        chains + discs.count(Projectile.CHAIN),
        grape + discs.count(Projectile.GRAPE),
    )


def unload(draft: State, seat: Seat, gun: int, projectile: Projectile) -> None:
    """One disc leaves a cannon for the bag."""
    duelist = draft.duelists[seat]
    load = list(duelist.loads[gun])
    load.remove(projectile)
    bow, stern = duelist.loads
    duelist.loads = (bow, tuple(load)) if gun else (tuple(load), stern)
    return_discs(draft, (projectile,))


def cover(draft: State, seat: Seat, track: Track, entries: Iterable[int]) -> None:
    """Suits or values of a track are used up."""
    duelist = draft.duelists[seat]
    covered = tuple(sorted({*duelist.tracks[track], *entries}))
    duelist.tracks = tuple(covered if other is track else duelist.tracks[other] for other in Track)
