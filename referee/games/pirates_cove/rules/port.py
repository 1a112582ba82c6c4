"""Phase 5: what a place does for the ships there, and the menu `PORT`.

Spec section 6.11; rulings R27, R28, R30, R39, R41, R42.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import assert_never

from referee.engine import Decision, Seat
from referee.errors import RulesError
from referee.games.pirates_cove.actions import (
    Action,
    BuryChests,
    BuryGold,
    Buy,
    CoveCards,
    CoveGold,
    Done,
    PlayCard,
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
    FameReason,
    Log,
    ParrotHealed,
    Repaired,
    Upgraded,
    VisitEnded,
)
from referee.games.pirates_cove.ids import ALL_SECTIONS, COVE, Card, Offer, Phase, Place, Section, Window
from referee.games.pirates_cove.rules.cards import play, playable
from referee.games.pirates_cove.rules.plunder import split
from referee.games.pirates_cove.rules.ships import change_fame, put_in_order
from referee.games.pirates_cove.state import CallAt, Draw, EndMonth, Moor, Ship, State, Visit

DONE = Done()


def call_at(draft: State, place: Place) -> None:
    """The ships at a place have their turn one by one, fastest first."""
    draft.phase = Phase.PORT
    draft.agenda.append(CallAt(place + 1) if place < COVE else EndMonth())
    for seat in reversed(put_in_order(draft, draft.seats_at(place))):
        draft.agenda.append(Moor(seat, place))


def moor(draft: State, task: Moor, log: Log) -> None:
    """The parrot heals, the Cove repairs, and the menu opens."""
    ship = draft.ships[task.seat]
    if ship.parrot_wounded:
        ship.parrot_wounded = False
        log.append(ParrotHealed(task.seat))
    offers = OFFERS[task.place]
    if task.place == COVE and not repair(draft, task.seat, log):
        offers = ()
    draft.agenda.append(Visit(task.seat, task.place, offers))


def repair(draft: State, seat: Seat, log: Log) -> bool:
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
    log.append(Repaired(seat, broken, price if paid else 0, paid))
    return paid


# --- The menu ---------------------------------------------------------------------------------------------------


def ask_port(state: State, task: Visit) -> Decision[Action]:
    """The menu in the specification's order; a bot that fails draws, buries what it has, or is done."""
    ship = state.ships[task.seat]
    options: list[Action] = [] if Offer.COVE in task.offers else [DONE]
    for offer in task.offers:
        options += offered(state, ship, task.place, offer)
    cards = playable(state, task.seat, Window.PORT)
    artisans = sum(way.card is Card.ARTISAN for way in cards)
    options += cards[:artisans]
    if ship.artisan_damaged and ship.gold >= ARTISAN_REPAIR_PRICE:
        options.append(RepairArtisan())
    options += cards[artisans:]
    burials = [index for index, option in enumerate(options) if isinstance(option, BuryChests)]
    default = burials[-1] if burials else 0  # `cove(cards)` or `done` come first
    return Decision(kind="PORT", options={task.seat: tuple(options)}, defaults={task.seat: default})


def offered(state: State, ship: Ship, place: Place, offer: Offer) -> Iterator[Action]:
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


def use_port(draft: State, task: Visit, choice: Action, log: Log) -> None:
    """One choice of the menu; every one but `done` opens the menu again, after the cards it draws."""
    seat = task.seat
    ship = draft.ships[seat]
    match choice:
        case Done():
            end_visit(draft, task, log)
            return
        case Buy(count=count):
            price = CARD_PRICE * count
            pay(draft, ship, price)
            log.append(Bought(seat, count, price))
            come_back(draft, task, Offer.BUY)
            draft.agenda.append(Draw(seat, count))
        case Upgrade(section=section, levels=levels, price=price):
            pay(draft, ship, price)
            ship.levels[section] += levels
            log.append(Upgraded(seat, section, ship.levels[section], price))
            come_back(draft, task, Offer.UPGRADE)
        case BuryChests(count=count):
            ship.chests -= count
            draft.chests += count
            log.append(Buried(seat, count, 0))
            come_back(draft, task, Offer.BURY_CHESTS, fame=count)
        case BuryGold(fame=fame):
            pay(draft, ship, GOLD_PER_FAME * fame)
            log.append(Buried(seat, 0, GOLD_PER_FAME * fame))
            come_back(draft, task, Offer.BURY_GOLD, fame=fame)
        case CoveCards():
            reward(draft, task, COVE_CARDS, 0, log)
        case CoveGold():
            reward(draft, task, COVE_CARDS - 1, min(COVE_GOLD, draft.gold), log)
        case RepairArtisan():
            pay(draft, ship, ARTISAN_REPAIR_PRICE)
            ship.artisan_damaged = False
            log.append(ArtisanRepaired(seat))
            draft.agenda.append(task)
        case PlayCard():
            play(draft, seat, choice, log)
            draft.agenda.append(task)
        case _:
            raise RulesError(f"PORT: seat {seat} chose {choice!r}, which is no choice of the menu")


def come_back(draft: State, task: Visit, used: Offer, fame: int = 0) -> None:
    """The menu again, without the offer just used."""
    offers = tuple(offer for offer in task.offers if offer is not used)
    draft.agenda.append(replace(task, offers=offers, fame=task.fame + fame))


def reward(draft: State, task: Visit, cards: int, gold: int, log: Log) -> None:
    """What the Cove gives."""
    pay(draft, draft.ships[task.seat], -gold)
    log.append(CoveChosen(task.seat, cards, gold))
    come_back(draft, task, Offer.COVE)
    draft.agenda.append(Draw(task.seat, cards))


def end_visit(draft: State, task: Visit, log: Log) -> None:
    """The fame of burying is added now, in one sum, of which a Freebooter takes half (R23, R42)."""
    fame = task.fame
    if draft.freebooter is not None and draft.freebooter.victim == task.seat:
        half, fame = split(fame)
        change_fame(draft, draft.freebooter.seat, half, FameReason.FREEBOOTER, log)
    change_fame(draft, task.seat, fame, FameReason.BURYING, log)
    log.append(VisitEnded(task.seat))


def pay(draft: State, ship: Ship, price: int) -> None:
    """Gold to the supply."""
    ship.gold -= price
    draft.gold += price
