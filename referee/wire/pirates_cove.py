"""Pirate's Cove on the wire: the observation joined from cached pieces, options and events by one translation.

Most of an observation is the same from question to question: ships, piles, black ships. Each such piece is encoded
under `lru_cache` and joined; fields stand in ascending order and zero values are left out, as the generated classes
have it. Options and events are encoded once per value, by field names (referee/wire/values.py).
"""

from __future__ import annotations

from functools import lru_cache

from referee.games.pirates_cove.actions import Action
from referee.games.pirates_cove.events import Event
from referee.games.pirates_cove.terms import Captain, Card, Fighter, Offer, Phase, Section
from referee.games.pirates_cove.view import CombatantView, CombatView, ShipView, View, VisitView
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
    """A serialized PiratesCove.Observation."""
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
            legends(view.black_ships, view.legend_count, view.legend_discard),
            b"" if view.navy is None else pair(18, *view.navy),
            b"" if view.freebooter is None else pair(19, *view.freebooter),
            b"" if view.treasure_map is None else pair(20, *view.treasure_map),
            b"" if view.lookout is None else present(21, view.lookout),
            b"" if view.combat is None else nested(22, combat(view.combat)),
            b"" if view.visit is None else visit(view.visit),
            b"" if view.parrot_offer is None else pair(24, view.parrot_offer[0], CARDS[view.parrot_offer[1]]),
            packed(25, view.scores),
        ]
    )


@lru_cache(PIECES)
def moment(seat: int, month: int, phase: Phase, start_seat: int, deciding: tuple[int, ...]) -> bytes:
    """The first five fields: who is asked, and when."""
    return number(1, seat) + number(2, month) + number(3, PHASES[phase]) + number(4, start_seat) + packed(5, deciding)


@lru_cache(PIECES)
def ship(view: ShipView) -> bytes:
    """One of `ships`."""
    return nested(
        8,
        number(1, view.place)
        + number(2, view.fame)
        + number(3, view.gold)
        + number(4, view.chests)
        + packed(5, map(zigzag, view.levels))
        + number(6, 0 if view.parrot is None else CARDS[view.parrot])
        + number(7, view.parrot_wounded)
        + number(8, 0 if view.artisan is None else SECTIONS[view.artisan])
        + number(9, view.artisan_damaged)
        + number(10, view.hand_count),
    )


@lru_cache(PIECES)
def cards(field: int, held: tuple[Card, ...]) -> bytes:
    """A hand or a pile of Tavern cards."""
    return packed(field, [CARDS[card] for card in held])


@lru_cache(PIECES)
def treasures(face_up: tuple[int, ...], pile_count: int, discard: tuple[int, ...]) -> bytes:
    """`face_up`, `pile_count` and `treasure_discard`, which change together once a month."""
    return packed(10, face_up) + number(11, pile_count) + packed(12, discard)


@lru_cache(PIECES)
def legends(black_ships: tuple[tuple[int, Captain | None], ...], count: int, discard: tuple[Captain, ...]) -> bytes:
    """`black_ships`, `legend_count` and `legend_discard`."""
    ships = [pair(15, place, 0 if captain is None else CAPTAINS[captain]) for place, captain in black_ships]
    return b"".join(ships) + number(16, count) + packed(17, [CAPTAINS[captain] for captain in discard])


@lru_cache(PIECES)
def fighter(field: int, who: Fighter) -> bytes:
    """A Fighter; its oneof has presence, so that seat 0 is written."""
    return nested(field, present(2, CAPTAINS[who]) if isinstance(who, Captain) else present(1, who))


@lru_cache(PIECES)
def combatant(view: CombatantView) -> bytes:
    """One of `combatants`."""
    return nested(
        4,
        number(1, view.seat)
        + number(2, view.speed_bonus)
        + number(3, view.smoke)
        + number(4, view.touched)
        + number(5, view.reloading),
    )


def combat(view: CombatView) -> bytes:
    """The combat under way."""
    return b"".join(
        [
            number(1, view.place),
            number(2, view.exchange),
            *[fighter(3, who) for who in view.order],
            *map(combatant, view.combatants),
            *[pair(5, CAPTAINS[captain], hull) for captain, hull in view.hulls],
            number(6, view.grapple),
            number(7, view.becalmed),
            cards(8, view.laid),
            cards(9, view.salvo),
        ]
    )


@lru_cache(PIECES)
def visit(view: VisitView) -> bytes:
    """The visit under way."""
    offers = packed(3, [OFFERS[offer] for offer in view.offers])
    return nested(23, number(1, view.seat) + number(2, view.place) + offers + number(4, view.fame))


# --- Options and events -----------------------------------------------------------------------------------------


def option(action: Action) -> bytes:
    """A serialized PiratesCove.Option."""
    return encode_one(PB.Option(), action)


def event(event: Event) -> bytes:
    """A serialized PiratesCove.Event."""
    return encode_one(PB.Event(), event)


WIRE: GameWire[Action, Event, View] = GameWire(
    field=18,
    messages_version=2,
    decisions={name.removeprefix("DECISION_"): value for name, value in PB.Decision.items() if value},
    observation=observation,
    option=option,
    event=event,
)
