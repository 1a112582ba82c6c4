"""Phase 5: what a place does for the ships there, and the menu `PORT`.

Spec section 6.11; rulings R27, R28, R30, R39, R41, R42.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar, assert_never

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
    CHESTS,
    COST,
    COVE_CARDS,
    COVE_GOLD,
    DESTROYED,
    GOLD,
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
    ParrotHealed,
    bought,
    buried,
    cove_chosen,
    repaired,
    upgraded,
    visit_ended,
)
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.plunder import split
from referee.games.pirates_cove.rules.ships import change_fame, put_in_order
from referee.games.pirates_cove.rules.tavern import Draw
from referee.games.pirates_cove.state import Ship, State
from referee.games.pirates_cove.terms import ALL_SECTIONS, COVE, Card, FameReason, Offer, Phase, Place, Section, Window
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put, replace

DONE = Done()
REPAIR_ARTISAN = RepairArtisan()
REWARDS = (CoveCards(), CoveGold())
BUY = tuple(Buy(count) for count in range(1, MAX_BUY + 1))
BURY_CHESTS = tuple(BuryChests(count) for count in range(1, CHESTS + 1))
BURY_GOLD = tuple(BuryGold(fame) for fame in range(1, GOLD // GOLD_PER_FAME + 1))
UPGRADES = tuple(
    tuple(
        tuple(Upgrade(section, levels, price) for levels, price in enumerate(accumulate(COST[level:]), start=1))
        for level in range(TOP_LEVEL + 1)
    )
    for section in ALL_SECTIONS
)
"""Per section and present level: one level more, two more, and so on."""
DEAR_UPGRADES = tuple(
    tuple(Upgrade(section, 1, TREASURE_ISLAND_RATE * price) for price in COST) for section in ALL_SECTIONS
)
"""Per section and present level: one level more, at the price of Treasure Island."""


@immutable(frozen=True, slots=True)
class CallAt(Task[State]):
    """Phase 5 at one place, and then at those after it."""

    TAG: ClassVar[str] = "CallAt"
    place: Place

    def run(self, draft: State) -> None:
        """Give the ships at a place their turn one by one, fastest first."""
        draft.phase = Phase.PORT
        places = draft.occupied(self.place, COVE)
        if not places:
            return
        place = places[0]
        if place < COVE:
            push(draft, CallAt(place + 1))
        push(draft, *[Moor(seat, place) for seat in put_in_order(draft, draft.seats_at(place))])


@immutable(frozen=True, slots=True)
class Moor(Task[State]):
    """One ship arrives in port."""

    TAG: ClassVar[str] = "Moor"
    seat: Seat
    place: Place

    def run(self, draft: State) -> None:
        """Heal the parrot, repair at the Cove, and open the menu."""
        ship = draft.ships[self.seat]
        if ship.parrot_wounded:
            draft.set_ship(self.seat, replace(ship, parrot_wounded=False))
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
        pay(draft, seat, price)
    levels = tuple(START_LEVEL if level == DESTROYED else level for level in ship.levels)
    draft.set_ship(seat, replace(draft.ships[seat], levels=levels))
    draft.events.append(repaired(seat, broken, price if paid else 0, paid))
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
        """Return the menu in the specification's order."""
        ship = state.ships[self.seat]
        options: list[PortAction] = [] if Offer.COVE in self.offers else [DONE]
        for offer in self.offers:
            options += offered(state, ship, self.place, offer)
        cards = playable(state, self.seat, Window.PORT)
        artisans = sum([way.card is Card.ARTISAN for way in cards])
        options += cards[:artisans]
        if ship.artisan_damaged and ship.gold >= ARTISAN_REPAIR_PRICE:
            options.append(REPAIR_ARTISAN)
        options += cards[artisans:]
        return options

    def default(self, state: State, options: tuple[PortAction, ...]) -> int:
        """Return the choice of a bot that fails: it buries all its chests, listed after `done`; else it draws or is
        done, which come first."""
        return state.ships[self.seat].chests if Offer.BURY_CHESTS in self.offers else 0

    def choose(self, draft: State, action: PortAction) -> None:
        """Make one choice of the menu; every one but `done` opens the menu again, after the cards it draws."""
        seat = self.seat
        ship = draft.ships[seat]
        match action:
            case Done():
                end_visit(draft, self)
            case Buy(count=count):
                price = CARD_PRICE * count
                pay(draft, seat, price)
                draft.events.append(bought(seat, count, price))
                push(draft, Draw(seat, count), self.without(Offer.BUY))
            case Upgrade(section=section, levels=levels, price=price):
                level = ship.levels[section] + levels
                draft.set_ship(seat, replace(ship, levels=put(ship.levels, section, level)))
                pay(draft, seat, price)
                draft.events.append(upgraded(seat, section, level, price))
                push(draft, self.without(Offer.UPGRADE))
            case BuryChests(count=count):
                draft.set_ship(seat, replace(ship, chests=ship.chests - count))
                draft.chests += count
                draft.events.append(buried(seat, count, 0))
                push(draft, self.without(Offer.BURY_CHESTS, fame=count))
            case BuryGold(fame=fame):
                pay(draft, seat, GOLD_PER_FAME * fame)
                draft.events.append(buried(seat, 0, GOLD_PER_FAME * fame))
                push(draft, self.without(Offer.BURY_GOLD, fame=fame))
            case CoveCards():
                reward(draft, self, COVE_CARDS, 0)
            case CoveGold():
                reward(draft, self, COVE_CARDS - 1, min(COVE_GOLD, draft.gold))
            case RepairArtisan():
                draft.set_ship(seat, replace(ship, artisan_damaged=False))
                pay(draft, seat, ARTISAN_REPAIR_PRICE)
                draft.events.append(ArtisanRepaired(seat))
                push(draft, self)
            case PlayCard():
                play(draft, seat, action)
                push(draft, self)
            case _:
                assert_never(action)

    def without(self, used: Offer, fame: int = 0) -> Visit:
        """Return the menu again, without the offer just used."""
        offers = tuple(offer for offer in self.offers if offer is not used)
        return replace(self, offers=offers, fame=self.fame + fame)


def offered(state: State, ship: Ship, place: Place, offer: Offer) -> Sequence[PortAction]:
    """Return the ways to use what the place offers."""
    match offer:
        case Offer.UPGRADE:
            return upgrades(ship, YARDS[place]) if place in YARDS else dear_upgrades(ship)
        case Offer.BURY_CHESTS:
            return BURY_CHESTS[: ship.chests]
        case Offer.BURY_GOLD:
            return BURY_GOLD[: ship.gold // GOLD_PER_FAME]
        case Offer.BUY:
            return BUY[: min(ship.gold // CARD_PRICE, len(state.tavern) + len(state.tavern_discard))]
        case Offer.COVE:
            return REWARDS
        case _:
            assert_never(offer)


def upgrades(ship: Ship, section: Section) -> list[Upgrade]:
    """Any number of levels of the island's own section; their prices add up."""
    return [upgrade for upgrade in UPGRADES[section][ship.levels[section]] if upgrade.price <= ship.gold]


def dear_upgrades(ship: Ship) -> list[Upgrade]:
    """Return the upgrades at Treasure Island: one level of any section, at double price."""
    dear = [DEAR_UPGRADES[section][level] for section, level in enumerate(ship.levels) if level < TOP_LEVEL]
    return [upgrade for upgrade in dear if upgrade.price <= ship.gold]


def reward(draft: State, visit: Visit, cards: int, gold: int) -> None:
    """Give what the Cove gives."""
    pay(draft, visit.seat, -gold)
    draft.events.append(cove_chosen(visit.seat, cards, gold))
    push(draft, Draw(visit.seat, cards), visit.without(Offer.COVE))


def end_visit(draft: State, visit: Visit) -> None:
    """Add the fame of burying in one sum, of which a Freebooter takes half (R23, R42)."""
    fame = visit.fame
    if draft.freebooter is not None and draft.freebooter.victim == visit.seat:
        half, fame = split(fame)
        change_fame(draft, draft.freebooter.seat, half, FameReason.FREEBOOTER)
    change_fame(draft, visit.seat, fame, FameReason.BURYING)
    draft.events.append(visit_ended(visit.seat))


def pay(draft: State, seat: Seat, price: int) -> None:
    """Gold to the supply."""
    ship = draft.ships[seat]
    draft.set_ship(seat, replace(ship, gold=ship.gold - price))
    draft.gold += price
