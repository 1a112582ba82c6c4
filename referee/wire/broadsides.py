"""Broadsides on the wire: Python values to the messages of proto/tortuga/v1/broadsides.proto.

Options and events are encoded once per value, by field names (referee/wire/values.py). An observation is sent with
every question: the bytes of its ships, crews and constants are kept with them and joined.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from referee.games.broadsides.actions import Action
from referee.games.broadsides.data import CHARTS
from referee.games.broadsides.events import Event, ShotFired
from referee.games.broadsides.state import Gunfire, Settings
from referee.games.broadsides.terms import Card, Direction, FireMode, Phase, Place, Point, Side, Station
from referee.games.broadsides.view import BoardingView, CrewView, ShipView, View
from referee.rules.parts import kept
from referee.wire.codec import PIECES, nested, number, packed, pair
from referee.wire.game import GameWire
from referee.wire.values import encode_one, enum_number, fill
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

SIDES = {side: enum_number(Pb.Side.DESCRIPTOR, side) for side in Side}
MODES = {mode: enum_number(Pb.FireMode.DESCRIPTOR, mode) for mode in FireMode}
PHASES = {phase: number(4, enum_number(Pb.Phase.DESCRIPTOR, phase)) for phase in Phase}
"""The field `phase` of an Observation."""


def code(member: IntEnum) -> int:
    """Return the wire's number of a direction, card or station: ours count from 0, its from 1."""
    return member + 1


# Observations: joined from cached pieces.


def observation(view: View) -> bytes:
    """Encode a whole Observation."""
    return b"".join(
        [
            number(1, view.seat),
            _constants(view.settings),
            PHASES[view.phase],
            _rounds(view.round, view.step, view.quiet_rounds),
            _ship(view.ships[0]),
            _ship(view.ships[1]),
            _crew(view.crews[0]),
            _crew(view.crews[1]),
            _cards(10, view.own_cards),
            b"" if view.gunfire is None else _gunfire(view.gunfire),
            b"" if view.boarding is None else _boarding(view.boarding),
            _dice(view.dice),
        ]
    )


@kept
def _constants(settings: Settings) -> bytes:
    """Encode the fields `chart` and `constants`, which are the same in a whole match."""
    chart = CHARTS[settings.map]
    drawn = Pb.Chart(
        map=Pb.Map.Value(f"MAP_{settings.map.upper()}"),
        width=chart.width,
        height=chart.height,
        land=[Pb.Point(x=x, y=y) for x, y in chart.land()],
    )
    constants = Pb.Constants(
        drift_after=settings.drift_after,
        drift_points=settings.drift_points,
        round_cap=settings.round_cap,
        quiet_cap=settings.quiet_cap,
        board_turn_cap=settings.board_turn_cap,
        board_quiet_cap=settings.board_quiet_cap,
        reroll_cap=settings.reroll_cap,
    )
    return nested(2, drawn.SerializeToString()) + nested(3, constants.SerializeToString())


@lru_cache(PIECES)
def _rounds(number_of_round: int, step: int, quiet_rounds: int) -> bytes:
    """Encode the fields `round`, `step` and `quiet_rounds`."""
    return number(5, number_of_round) + number(6, step) + number(7, quiet_rounds)


@lru_cache(PIECES)
def _dice(dice: tuple[int, ...]) -> bytes:
    """Encode the field `dice`."""
    return packed(13, dice)


@kept
def _ship(ship: ShipView) -> bytes:
    """Encode one element of the field `ships`."""
    payload = [
        _course(ship.point, ship.facing, ship.aground, ship.no_cards),
        _cannons(ship.cannons),
        _damage(ship.masts, ship.hull, ship.damage, ship.damage_cards),
        _cards(10, ship.cards_turned),
        number(11, ship.cards_face_down),
    ]
    return nested(8, b"".join(payload))


@lru_cache(PIECES)
def _course(point: Point, facing: Direction, aground: bool, no_cards: bool) -> bytes:
    """Encode the first four fields of a Ship."""
    return b"".join([pair(1, *point), number(2, code(facing)), number(3, aground), number(4, no_cards)])


@lru_cache(PIECES)
def _cannons(stations: tuple[Station, ...]) -> bytes:
    """Encode the field `cannons` of a Ship."""
    return packed(5, map(code, stations))


@lru_cache(PIECES)
def _damage(masts: tuple[int, ...], hull: tuple[int, ...], damage: int, damage_cards: int) -> bytes:
    """Encode the fields `mast_hits_left` to `damage_cards` of a Ship."""
    return b"".join([packed(6, masts), packed(7, hull), number(8, damage), number(9, damage_cards)])


@lru_cache(PIECES)
def _cards(field: int, cards: tuple[Card, ...]) -> bytes:
    """Encode the cards a ship has turned over, or one's own that lie face down."""
    return packed(field, map(code, cards))


@kept
def _crew(crew: CrewView) -> bytes:
    """Encode one element of the field `crews`."""
    payload = [_stacks(0, crew.hands[0]), _stacks(1, crew.hands[1])]
    if crew.captain is not None:
        payload.append(_place(2, crew.captain))
    return nested(9, b"".join([*payload, number(3, crew.figures)]))


@lru_cache(PIECES)
def _stacks(ship: int, hands: tuple[int, ...]) -> bytes:
    """Encode the elements of the field `stacks` of a Crew on one of the ships."""
    return b"".join([_stack(Place(ship, station), hands[station]) for station in Station if hands[station]])


@lru_cache(PIECES)
def _stack(place: Place, count: int) -> bytes:
    return nested(1, _place(1, place) + number(2, count))


@lru_cache(PIECES)
def _place(field: int, place: Place) -> bytes:
    return pair(field, place.ship, code(place.station))


@kept
def _gunfire(gunfire: Gunfire) -> bytes:
    """Encode the field `gunfire`."""
    head = _shots(gunfire.mode, gunfire.seat, gunfire.shots_left, gunfire.reply_shots)
    return nested(11, b"".join([head, *map(_earlier_shot, gunfire.shots)]))


@lru_cache(PIECES)
def _shots(mode: FireMode, seat: int, shots_left: int, reply_shots: int) -> bytes:
    """Encode the first four fields of a Gunfire."""
    return b"".join([number(1, MODES[mode]), number(2, seat), number(3, shots_left), number(4, reply_shots)])


@kept
def _earlier_shot(shot: ShotFired) -> bytes:
    """Encode one element of the field `shots` of a Gunfire."""
    message = Pb.Shot()
    fill(message, shot)
    return nested(5, message.SerializeToString(deterministic=True))


@kept
def _boarding(boarding: BoardingView) -> bytes:
    """Encode the field `boarding`."""
    payload = [
        _contact(boarding.sides, boarding.bows_opposite, boarding.crossings),
        number(4, boarding.seat),
        number(5, boarding.turn),
        number(6, boarding.moves_left),
        number(7, boarding.quiet_turns),
    ]
    payload += [_place(8, place) for place in boarding.contested]
    return nested(12, b"".join(payload))


@lru_cache(PIECES)
def _contact(sides: tuple[Side, Side], bows_opposite: bool, crossings: tuple[tuple[Station, Station], ...]) -> bytes:
    """Encode the fields `sides`, `bows_opposite` and `crossings` of a Boarding."""
    pairs = [pair(3, code(own), code(their)) for own, their in crossings]
    return packed(1, [SIDES[side] for side in sides]) + number(2, bows_opposite) + b"".join(pairs)


# Options and events.


def option(action: Action) -> bytes:
    """Encode an Option."""
    return encode_one(Pb.Option(), action)


def event(event: Event) -> bytes:
    """Encode an Event."""
    return encode_one(Pb.Event(), event)


WIRE: GameWire[Action, Event, View] = GameWire(
    field=17,
    messages_version=2,
    decisions={name.removeprefix("DECISION_"): value for name, value in Pb.Decision.items()},
    observation=observation,
    option=option,
    event=event,
)
