"""Phase 5: what a place does for the ships there, and the menu `PORT`.

Spec section 6.11; rulings R27, R28, R30, R39, R41, R42.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, assert_never

from referee.agenda import SeatQuestion, Task, push
from referee.engine import Seat
from referee.games.pirates_cove.actions import (
    BuryChests,
    BuryGold,
    Buy,
    CoveCards,
    CoveGold,
    Done,
    PlayCard,
    PortAction,
    RepairArtisan,
    Upgrade,
)
from referee.games.pirates_cove.data import (
    ARTISAN_REPAIR_PRICE,
    CARD_PRICE,
    COST,
    COVE_CARDS,
    COVE_GOLD,
    DESTROYED,
    GOLD_PER_FAME,
    MAX_BUY,
    OFFERS,
    REPAIR_PRICE,
    START_LEVEL,
    TOP_LEVEL,
    TREASURE_ISLAND_RATE,
    YARDS,
)
from referee.games.pirates_cove.events import (
    ArtisanRepaired,
    Bought,
    Buried,
    CoveChosen,
    ParrotHealed,
    Repaired,
    Upgraded,
    VisitEnded,
)
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.plunder import split
from referee.games.pirates_cove.rules.ships import change_fame, put_in_order
from referee.games.pirates_cove.rules.tavern import Draw
from referee.games.pirates_cove.state import Ship, State
from referee.games.pirates_cove.terms import ALL_SECTIONS, COVE, Card, FameReason, Offer, Phase, Place, Section, Window
from referee.parts import immutable, replace

DONE = Done()


@immutable(frozen=True, slots=True)
class CallAt(Task[State]):
    """Phase 5 at one place, and then at those after it."""

    TAG: ClassVar[str] = "CallAt"
    place: Place

    def run(self, draft: State) -> None:
        """The ships at a place have their turn one by one, fastest first."""
        draft.phase = Phase.PORT
        if self.place < COVE:
            push(draft, CallAt(self.place + 1))
        push(draft, *[Moor(seat, self.place) for seat in put_in_order(draft, draft.seats_at(self.place))])


@immutable(frozen=True, slots=True)
class Moor(Task[State]):
    """One ship arrives in port."""

    TAG: ClassVar[str] = "Moor"
    seat: Seat
    place: Place

    def run(self, draft: State) -> None:
        """The parrot heals, the Cove repairs, and the menu opens."""
        ship = draft.ships[self.seat]
        if ship.parrot_wounded:
            ship.parrot_wounded = False
            draft.events.append(ParrotHealed(self.seat))
        offers = OFFERS[self.place]
        if self.place == COVE and not repair(draft, self.seat):
            offers = ()
        push(draft, Visit(self.seat, self.place, offers))


def repair(draft: State, seat: Seat) -> bool:
    """Destroyed sections come back at level 1. Short of gold it is free, but costs the draw: then False (R27)."""
    ship = draft.ships[seat]
    broken = tuple(section for section in ALL_SECTIONS if ship.levels[section] == DESTROYED)
    if not broken:
        return True
    price = REPAIR_PRICE * len(broken)
    paid = ship.gold >= price
    if paid:
        pay(draft, ship, price)
    for section in broken:
        ship.levels[section] = START_LEVEL
    draft.events.append(Repaired(seat, broken, price if paid else 0, paid))
    return paid


# --- The menu ---------------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class Visit(SeatQuestion[State, PortAction]):
    """`PORT`: what a ship has left to do at its place."""

    TAG: ClassVar[str] = "Visit"
    kind = "PORT"
    place: Place
    offers: tuple[Offer, ...]
    """Each can be used once."""
    fame: int = 0
    """Earned by burying, added when the visit ends."""

    def options(self, state: State) -> list[PortAction]:
        """The menu in the specification's order."""
        ship = state.ships[self.seat]
        options: list[PortAction] = [] if Offer.COVE in self.offers else [DONE]
        for offer in self.offers:
            options += offered(state, ship, self.place, offer)
        cards = playable(state, self.seat, Window.PORT)
        artisans = sum(way.card is Card.ARTISAN for way in cards)
        options += cards[:artisans]
        if ship.artisan_damaged and ship.gold >= ARTISAN_REPAIR_PRICE:
            options.append(RepairArtisan())
        options += cards[artisans:]
        return options

    def default(self, state: State, options: tuple[PortAction, ...]) -> int:
        """A bot that fails buries what it has; else it draws or is done, which come first."""
        burials = [index for index, option in enumerate(options) if isinstance(option, BuryChests)]
        return burials[-1] if burials else 0

    def choose(self, draft: State, action: PortAction) -> None:
        """One choice of the menu; every one but `done` opens the menu again, after the cards it draws."""
        seat = self.seat
        ship = draft.ships[seat]
        match action:
            case Done():
                end_visit(draft, self)
            case Buy(count=count):
                price = CARD_PRICE * count
                pay(draft, ship, price)
                draft.events.append(Bought(seat, count, price))
                push(draft, Draw(seat, count), self.without(Offer.BUY))
            case Upgrade(section=section, levels=levels, price=price):
                pay(draft, ship, price)
                ship.levels[section] += levels
                draft.events.append(Upgraded(seat, section, ship.levels[section], price))
                push(draft, self.without(Offer.UPGRADE))
            case BuryChests(count=count):
                ship.chests -= count
                draft.chests += count
                draft.events.append(Buried(seat, count, 0))
                push(draft, self.without(Offer.BURY_CHESTS, fame=count))
            case BuryGold(fame=fame):
                pay(draft, ship, GOLD_PER_FAME * fame)
                draft.events.append(Buried(seat, 0, GOLD_PER_FAME * fame))
                push(draft, self.without(Offer.BURY_GOLD, fame=fame))
            case CoveCards():
                reward(draft, self, COVE_CARDS, 0)
            case CoveGold():
                reward(draft, self, COVE_CARDS - 1, min(COVE_GOLD, draft.gold))
            case RepairArtisan():
                pay(draft, ship, ARTISAN_REPAIR_PRICE)
                ship.artisan_damaged = False
                draft.events.append(ArtisanRepaired(seat))
                push(draft, self)
            case PlayCard():
                play(draft, seat, action)
                push(draft, self)
            case _:
                assert_never(action)

    def without(self, used: Offer, fame: int = 0) -> Visit:
        """The menu again, without the offer just used."""
        offers = tuple(offer for offer in self.offers if offer is not used)
        return replace(self, offers=offers, fame=self.fame + fame)


def offered(state: State, ship: Ship, place: Place, offer: Offer) -> Iterator[PortAction]:
    """The ways to use what the place offers."""
    match offer:
        case Offer.BUY:
            cards = len(state.tavern) + len(state.tavern_discard)
            yield from (Buy(count) for count in range(1, min(MAX_BUY, ship.gold // CARD_PRICE, cards) + 1))
        case Offer.UPGRADE:
            yield from upgrades(ship, YARDS[place]) if place in YARDS else dear_upgrades(ship)
        case Offer.BURY_CHESTS:
            yield from (BuryChests(count) for count in range(1, ship.chests + 1))
        case Offer.BURY_GOLD:
            yield from (BuryGold(fame) for fame in range(1, ship.gold // GOLD_PER_FAME + 1))
        case Offer.COVE:
            yield from (CoveCards(), CoveGold())
        case _:
            assert_never(offer)


def upgrades(ship: Ship, section: Section) -> Iterator[Upgrade]:
    """Any number of levels of the island's own section; their prices add up."""
    prices = accumulate(COST[ship.levels[section] :])
    for levels, price in enumerate(prices, start=1):
        if price <= ship.gold:
            yield Upgrade(section, levels, price)


def dear_upgrades(ship: Ship) -> Iterator[Upgrade]:
    """At Treasure Island one level of any section, at double price."""
    for section in ALL_SECTIONS:
        level = ship.levels[section]
        if level < TOP_LEVEL and (price := TREASURE_ISLAND_RATE * COST[level]) <= ship.gold:
            yield Upgrade(section, 1, price)


def reward(draft: State, visit: Visit, cards: int, gold: int) -> None:
    """What the Cove gives."""
    pay(draft, draft.ships[visit.seat], -gold)
    draft.events.append(CoveChosen(visit.seat, cards, gold))
    push(draft, Draw(visit.seat, cards), visit.without(Offer.COVE))


def end_visit(draft: State, visit: Visit) -> None:
    """The fame of burying is added now, in one sum, of which a Freebooter takes half (R23, R42)."""
    fame = visit.fame
    if draft.freebooter is not None and draft.freebooter.victim == visit.seat:
        half, fame = split(fame)
        change_fame(draft, draft.freebooter.seat, half, FameReason.FREEBOOTER)
    change_fame(draft, visit.seat, fame, FameReason.BURYING)
    draft.events.append(VisitEnded(visit.seat))


def pay(draft: State, ship: Ship, price: int) -> None:
    """Gold to the supply."""
    ship.gold -= price
    draft.gold += price
