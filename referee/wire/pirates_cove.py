"""Pirate's Cove on the wire: the observation joined from cached pieces, options and events by one translation.

Most of an observation is the same from question to question: ships, piles, black ships. Each such piece is encoded
once, its bytes kept with it or found by hash, and joined; fields stand in ascending order and zero values are left
out, as the generated classes have it. Options and events are encoded by field names (referee/wire/values.py).
"""

from __future__ import annotations

from functools import lru_cache

from referee.games.pirates_cove.actions import Action
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.state import BlackShip, Combat, Freebooter, Navy, TreasureMap
from referee.games.pirates_cove.terms import Captain, Card, Fighter, Offer, Phase, Section
from referee.games.pirates_cove.view import ShipView, View, VisitView
from referee.rules.engine import Seat
from referee.rules.parts import kept
from referee.wire.codec import PIECES, nested, number, packed, pair, present, zigzag
from referee.wire.game import GameWire
from referee.wire.values import encode_one, enum_number
from tortuga.v1.pirates_cove_pb2 import PiratesCove as PB

CARDS = {card: enum_number(PB.TavernCard.DESCRIPTOR, card) for card in Card}
CAPTAINS = {captain: enum_number(PB.Captain.DESCRIPTOR, captain) for captain in Captain}
SECTIONS = {section: enum_number(PB.Section.DESCRIPTOR, section) for section in Section}
PHASES = {phase: enum_number(PB.Phase.DESCRIPTOR, phase) for phase in Phase}
OFFERS = {offer: enum_number(PB.Offer.DESCRIPTOR, offer) for offer in Offer}

# --- The observation --------------------------------------------------------------------------------------------


def observation(view: View) -> bytes:
    """Encode a PiratesCove.Observation."""
    return b"".join(
        [
            moment(view.seat, view.month, view.phase, view.start_seat, view.deciding),
            number(6, view.gold),
            number(7, view.chests),
            *map(ship, view.ships),
            cards(9, view.hand),
            treasures(view.face_up, view.pile_count, view.treasure_discard),
            number(13, view.tavern_count),
            cards(14, view.tavern_discard),
            *map(black_ship, view.black_ships),
            legends(view.legend_count, view.legend_discard),
            marks(view.navy, view.freebooter, view.treasure_map, view.lookout),
            b"" if view.combat is None else combat(view.combat),
            b"" if view.visit is None else visit(view.visit),
            b"" if view.parrot_offer is None else pair(24, view.parrot_offer[0], CARDS[view.parrot_offer[1]]),
            packed(25, view.scores),
        ]
    )


@lru_cache(PIECES)
def moment(seat: int, month: int, phase: Phase, start_seat: int, deciding: tuple[int, ...]) -> bytes:
    """Encode the first five fields: who is asked, and when."""
    return number(1, seat) + number(2, month) + number(3, PHASES[phase]) + number(4, start_seat) + packed(5, deciding)


@kept
def ship(view: ShipView) -> bytes:
    """Encode one of `ships`."""
    return nested(
        8,
        number(1, view.place)
        + number(2, view.fame)
        + number(3, view.gold)
        + number(4, view.chests)
        + mat(view.levels, view.parrot, view.parrot_wounded, view.artisan, view.artisan_damaged)
        + number(10, view.hand_count),
    )


@lru_cache(PIECES)
def mat(levels: tuple[int, ...], parrot: Card | None, wounded: bool, artisan: Section | None, damaged: bool) -> bytes:
    """Encode `levels` and what protects them."""
    return (
        packed(5, map(zigzag, levels))
        + number(6, 0 if parrot is None else CARDS[parrot])
        + number(7, wounded)
        + number(8, 0 if artisan is None else SECTIONS[artisan])
        + number(9, damaged)
    )


@lru_cache(PIECES)
def cards(field: int, held: tuple[Card, ...]) -> bytes:
    """Encode a hand or a pile of Tavern cards."""
    return packed(field, [CARDS[card] for card in held])


@lru_cache(PIECES)
def treasures(face_up: tuple[int, ...], pile_count: int, discard: tuple[int, ...]) -> bytes:
    """Encode `face_up`, `pile_count` and `treasure_discard`, which change together once a month."""
    return packed(10, face_up) + number(11, pile_count) + packed(12, discard)


@kept
def black_ship(ship: BlackShip) -> bytes:
    """Encode one of `black_ships`."""
    return pair(15, ship.place, 0 if ship.captain is None else CAPTAINS[ship.captain])


@lru_cache(PIECES)
def legends(count: int, discard: tuple[Captain, ...]) -> bytes:
    """Encode `legend_count` and `legend_discard`."""
    return number(16, count) + packed(17, [CAPTAINS[captain] for captain in discard])


def marks(
    navy: Navy | None, freebooter: Freebooter | None, treasure_map: TreasureMap | None, lookout: int | None
) -> bytes:
    """Encode `navy`, `freebooter`, `treasure_map` and `lookout`: what cards did for this month, mostly nothing."""
    return (
        (b"" if navy is None else pair(18, navy.place, navy.controller))
        + (b"" if freebooter is None else pair(19, freebooter.seat, freebooter.victim))
        + (b"" if treasure_map is None else pair(20, treasure_map.seat, treasure_map.island))
        + (b"" if lookout is None else present(21, lookout))
    )


@lru_cache(PIECES)
def order(fighters: tuple[Fighter, ...]) -> bytes:
    """Encode `order`, each a Fighter: its oneof has presence, so that seat 0 is written."""
    return b"".join(
        nested(3, present(2, CAPTAINS[who]) if isinstance(who, Captain) else present(1, who)) for who in fighters
    )


@lru_cache(PIECES)
def combatants(
    seats: tuple[Seat, ...],
    speed: tuple[tuple[Seat, int], ...],
    shrouds: tuple[tuple[Seat, int], ...],
    touched: frozenset[Seat],
    reloading: frozenset[Seat],
) -> bytes:
    """Encode the field of that name: the player ships still in the combat."""
    bonuses, shrouded = dict(speed), dict(shrouds)
    return b"".join(
        nested(
            4,
            number(1, seat)
            + number(2, bonuses.get(seat, 0))
            + number(3, seat in shrouded)
            + number(4, seat in touched)
            + number(5, seat in reloading),
        )
        for seat in seats
    )


@kept
def combat(fight: Combat) -> bytes:
    """Encode the combat under way."""
    return nested(
        22,
        number(1, fight.place)
        + number(2, fight.exchange)
        + order(fight.order)
        + combatants(fight.seats, fight.speed, fight.shrouds, fight.touched, fight.reloading)
        + b"".join([pair(5, CAPTAINS[captain], hull) for captain, hull in fight.hulls])
        + number(6, fight.dice_from is not None)
        + number(7, fight.becalmed)
        + cards(8, fight.laid)
        + cards(9, fight.salvo.cards),
    )


@lru_cache(PIECES)
def visit(view: VisitView) -> bytes:
    """Encode the visit under way."""
    offers = packed(3, [OFFERS[offer] for offer in view.offers])
    return nested(23, number(1, view.seat) + number(2, view.place) + offers + number(4, view.fame))


# --- Options and events -----------------------------------------------------------------------------------------


def option(action: Action) -> bytes:
    """Encode a PiratesCove.Option."""
    return encode_one(PB.Option(), action)


def event(event: Event) -> bytes:
    """Encode a PiratesCove.Event."""
    return encode_one(PB.Event(), event)


WIRE: GameWire[Action, Event, View] = GameWire(
    field=18,
    messages_version=2,
    decisions={name.removeprefix("DECISION_"): value for name, value in PB.Decision.items() if value},
    observation=observation,
    option=option,
    event=event,
)
