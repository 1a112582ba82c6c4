"""Pirate's Cove on the wire: the observation joined from cached pieces, options and events by one translation.

Most of an observation is the same from question to question: ships, piles, black ships. Each such piece is encoded
under `lru_cache` and joined; fields stand in ascending order and zero values are left out, as the generated classes
have it. Options and events are encoded once per value (referee/wire/game.py): they can afford to go by field names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from referee.games.pirates_cove.actions import Action
from referee.games.pirates_cove.events import Damage, Departure, Event, FameReason
from referee.games.pirates_cove.ids import Captain, Card, Offer, Phase, Section, Window
from referee.games.pirates_cove.state import Fighter
from referee.games.pirates_cove.view import CombatantView, CombatView, ShipView, View, VisitView
from referee.wire.codec import nested, number, packed, varint
from referee.wire.game import GameWire
from tortuga.v1.pirates_cove_pb2 import PiratesCove as PB

DECISIONS: dict[str, int] = {name.removeprefix("DECISION_"): value for name, value in PB.Decision.items() if value}
CARDS: dict[Card, int] = {card: PB.TavernCard.Value(f"TAVERN_CARD_{card.name}") for card in Card}
CAPTAINS: dict[Captain, int] = {captain: PB.Captain.Value(f"CAPTAIN_{captain.name}") for captain in Captain}
SECTIONS: dict[Section, int] = {section: PB.Section.Value(f"SECTION_{section.name}") for section in Section}
PHASES: dict[Phase, int] = {phase: PB.Phase.Value(f"PHASE_{phase.name}") for phase in Phase}
OFFERS: dict[Offer, int] = {offer: PB.Offer.Value(f"OFFER_{offer.name}") for offer in Offer}

NUMBERS: dict[type, Mapping[Any, int]] = {
    Window: DECISIONS,
    Card: CARDS,
    Captain: CAPTAINS,
    Section: SECTIONS,
    Damage: {damage: PB.Damage.Value(f"DAMAGE_{damage.name}") for damage in Damage},
    Departure: {how: PB.Departure.Value(f"DEPARTURE_{how.name}") for how in Departure},
    FameReason: {reason: PB.FameReason.Value(f"FAME_REASON_{reason.name}") for reason in FameReason},
}
"""Per enum, the numbers of its members on the wire."""

# --- The observation --------------------------------------------------------------------------------------------

PIECES = 1 << 14
"""How many pieces of a kind are kept; ships vary most."""


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


def present(field: int, value: int) -> bytes:
    """A number that is written even if it is 0: a field with presence."""
    return varint(field << 3) + varint(value)


def pair(field: int, first: int, second: int) -> bytes:
    """A message of two numbers."""
    return nested(field, number(1, first) + number(2, second))


def zigzag(value: int) -> int:
    """A sint32 as the number that is written."""
    return 2 * value if value >= 0 else -2 * value - 1


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
# An action or event and its message have the same name and the same fields, so one translation serves all of them.


def by_message(union: Descriptor) -> dict[str, str]:
    """The fields of a oneof by the name of the message they hold."""
    return {field.message_type.name: field.name for field in union.fields if field.message_type is not None}


OPTION_FIELDS = by_message(PB.Option.DESCRIPTOR)
EVENT_FIELDS = by_message(PB.Event.DESCRIPTOR)


def option(action: Action) -> bytes:
    """A serialized PiratesCove.Option."""
    return wrap(PB.Option(), OPTION_FIELDS, action)


def event(fact: Event) -> bytes:
    """A serialized PiratesCove.Event."""
    return wrap(PB.Event(), EVENT_FIELDS, fact)


def wrap(union: Message, names: dict[str, str], value: Action | Event) -> bytes:
    """Fill the one field of a oneof that fits the value."""
    message = getattr(union, names[type(value).__name__])
    message.SetInParent()
    for field in fields(value):
        fill(message, message.DESCRIPTOR.fields_by_name[field.name], getattr(value, field.name))
    return union.SerializeToString(deterministic=True)


def fill(message: Message, field: FieldDescriptor, value: object) -> None:
    """One field; None stays absent."""
    if isinstance(value, tuple):
        for item in value:
            if field.message_type is None:
                getattr(message, field.name).append(plain(item))
            else:
                fill_fighter(getattr(message, field.name).add(), item)
    elif field.message_type is not None:
        fill_fighter(getattr(message, field.name), value)
    elif value is not None:
        setattr(message, field.name, plain(value))


def fill_fighter(message: Message, who: object) -> None:
    """The only message inside options and events."""
    setattr(message, "captain" if isinstance(who, Captain) else "seat", plain(who))


def plain(value: object) -> object:
    """An id as its number; numbers and truths as they are."""
    table = NUMBERS.get(type(value))
    return value if table is None else table[value]


WIRE: GameWire[Action, Event, View] = GameWire(
    field=18,
    messages_version=1,
    decisions=DECISIONS,
    observation=observation,
    option=option,
    event=event,
)
