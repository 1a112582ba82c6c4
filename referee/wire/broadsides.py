"""Broadsides on the wire: Python values to the messages of proto/tortuga/v1/broadsides.proto.

Options and events are cached whole by GameWire, so they are written with the generated classes. An observation
is sent with every question: its ships, crews and constants recur from one to the next and are encoded once.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import assert_never

from referee.games.broadsides.actions import (
    Action,
    BoardMove,
    Cease,
    Figure,
    Fire,
    Place,
    PlaceCaptain,
    PlaceCrew,
    Program,
    ReplaceCaptain,
    Surrender,
)
from referee.games.broadsides.data import CHARTS, Point, Side, Station
from referee.games.broadsides.events import (
    BoardingTurnStarted,
    CannonLost,
    CaptainHit,
    CaptainReplaced,
    CrewLost,
    DiceOpposed,
    Event,
    FigureMoved,
    FigurePlaced,
    FireCeased,
    FireMode,
    GameEnded,
    Ground,
    GunsBear,
    HullMarked,
    MastHit,
    MeleeFought,
    MovesLost,
    ProgramLaid,
    Reason,
    RollPurpose,
    RoundStarted,
    SetupRevealed,
    ShipDrifted,
    ShipSailed,
    ShipsCollided,
    ShotEffect,
    ShotFired,
    Surrendered,
)
from referee.games.broadsides.rules.collision import crossings
from referee.games.broadsides.state import Gunfire, Settings
from referee.games.broadsides.view import BoardingView, CrewView, Part, ShipView, View
from referee.wire.codec import nested, number, packed
from referee.wire.game import GameWire
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

CACHED_VIEWS = 4096
"""Encoded ships and crews that are kept: those of the games under way, and many that recur."""

SIDES = {Side.STARBOARD: Pb.SIDE_STARBOARD, Side.PORT: Pb.SIDE_PORT}
FIGURES = {Figure.CREW: Pb.FIGURE_CREW, Figure.CAPTAIN: Pb.FIGURE_CAPTAIN}
MODES = {FireMode.EXCHANGE: Pb.FIRE_MODE_EXCHANGE, FireMode.LAST_SALVO: Pb.FIRE_MODE_LAST_SALVO}
PARTS = {Part.SETUP: Pb.PHASE_SETUP, Part.BROADSIDES: Pb.PHASE_BROADSIDES, Part.BOARDING: Pb.PHASE_BOARDING}
GROUNDS = {Ground.ISLAND: Pb.GROUND_ISLAND, Ground.EDGE: Pb.GROUND_EDGE}
EFFECTS = {effect: Pb.ShotEffect.Value(f"SHOT_EFFECT_{effect.name}") for effect in ShotEffect}
PURPOSES = {purpose: Pb.RollPurpose.Value(f"ROLL_PURPOSE_{purpose.name}") for purpose in RollPurpose}
REASONS = {reason: Pb.Reason.Value(f"REASON_{reason.name}") for reason in Reason}


def code(member: IntEnum) -> int:
    """The wire's number of a card, section, station, hull section or mast: ours count from 0, its from 1."""
    return member + 1


# Observations: joined from cached pieces.


def observation(view: View) -> bytes:
    """A whole Observation."""
    return b"".join(
        [
            number(1, view.seat),
            _constants(view.settings),
            number(4, PARTS[view.part]),
            number(5, view.round),
            number(6, view.step),
            number(7, view.quiet_rounds),
            _ship(view.ships[0]),
            _ship(view.ships[1]),
            _crew(view.crews[0]),
            _crew(view.crews[1]),
            packed(10, map(code, view.own_cards)),
            b"" if view.gunfire is None else nested(11, _gunfire(view.gunfire)),
            b"" if view.boarding is None else nested(12, _boarding(view.boarding)),
            packed(13, view.dice),
        ]
    )


@lru_cache(CACHED_VIEWS)
def _constants(settings: Settings) -> bytes:
    """The fields `chart` and `constants`, the same in a whole match."""
    chart = CHARTS[settings.map]
    drawn = Pb.Chart(
        map=Pb.Map.Value(f"MAP_{settings.map.upper()}"),
        width=chart.width,
        height=chart.height,
        land=[_point(point) for point in chart.land()],
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


@lru_cache(CACHED_VIEWS)
def _ship(ship: ShipView) -> bytes:
    """One element of the field `ships`."""
    payload = [
        nested(1, number(1, ship.point[0]) + number(2, ship.point[1])),
        number(2, ship.facing + 1),
        number(3, ship.aground),
        number(4, ship.no_cards),
        packed(5, map(code, ship.cannons)),
        packed(6, ship.masts),
        packed(7, ship.hull),
        number(8, ship.damage),
        number(9, ship.damage_cards),
        packed(10, map(code, ship.cards_turned)),
        number(11, ship.cards_face_down),
    ]
    return nested(8, b"".join(payload))


@lru_cache(CACHED_VIEWS)
def _crew(crew: CrewView) -> bytes:
    """One element of the field `crews`."""
    payload = [
        _stack(ship, station, count) for ship in (0, 1) for station, count in enumerate(crew.hands[ship]) if count
    ]
    if crew.captain is not None:
        payload.append(nested(2, _place_bytes(crew.captain.ship, crew.captain.station)))
    return nested(9, b"".join([*payload, number(3, crew.figures)]))


@lru_cache(CACHED_VIEWS)
def _stack(ship: int, station: int, count: int) -> bytes:
    """One element of the field `stacks` of a Crew."""
    return nested(1, nested(1, _place_bytes(ship, station)) + number(2, count))


@lru_cache(CACHED_VIEWS)
def _place_bytes(ship: int, station: int) -> bytes:
    return number(1, ship) + number(2, station + 1)


def _gunfire(gunfire: Gunfire) -> bytes:
    head = [
        number(1, MODES[gunfire.mode]),
        number(2, gunfire.seat),
        number(3, gunfire.shots_left),
        number(4, gunfire.reply_shots),
    ]
    return b"".join([*head, *map(_earlier_shot, gunfire.shots)])


@lru_cache(CACHED_VIEWS)
def _earlier_shot(shot: ShotFired) -> bytes:
    """One element of the field `shots` of a Gunfire."""
    return nested(5, _shot(shot).SerializeToString())


def _boarding(boarding: BoardingView) -> bytes:
    payload = [
        _contact(boarding.sides, boarding.bows_opposite),
        number(4, boarding.seat),
        number(5, boarding.turn),
        number(6, boarding.moves_left),
        number(7, boarding.quiet_turns),
    ]
    payload += [nested(8, _place_bytes(place.ship, place.station)) for place in boarding.contested]
    return b"".join(payload)


@lru_cache(CACHED_VIEWS)
def _contact(sides: tuple[Side, Side], bows_opposite: bool) -> bytes:
    """The fields `sides`, `bows_opposite` and `crossings` of a Boarding."""
    pairs = [
        Pb.Crossing(ship_0=_station(own), ship_1=_station(their)) for own, their in crossings(sides, bows_opposite)
    ]
    message = Pb.Boarding(sides=[SIDES[side] for side in sides], bows_opposite=bows_opposite, crossings=pairs)
    return message.SerializeToString(deterministic=True)


# Options.


def option(action: Action) -> bytes:
    """An Option."""
    return _option(action).SerializeToString(deterministic=True)


def _option(action: Action) -> Pb.Option:
    match action:
        case PlaceCaptain(station):
            return Pb.Option(place_captain=_station(station))
        case PlaceCrew(station):
            return Pb.Option(place_crew=_station(station))
        case Program(cards):
            return Pb.Option(program=Pb.Program(cards=[Pb.Card.ValueType(code(card)) for card in cards]))
        case Surrender():
            return Pb.Option(surrender=Pb.Surrender())
        case Fire(section):
            return Pb.Option(fire=Pb.Section.ValueType(code(section)))
        case Cease():
            return Pb.Option(cease=Pb.Cease())
        case ReplaceCaptain(station):
            return Pb.Option(replace_captain=_station(station))
        case BoardMove(figure, origin, target):
            move = Pb.BoardMove(figure=FIGURES[figure], origin=_place(origin), target=_place(target))
            return Pb.Option(board_move=move)
        case _:
            assert_never(action)


# Events.


def event(fact: Event) -> bytes:
    """An Event."""
    return _event(fact).SerializeToString(deterministic=True)


def _event(fact: Event) -> Pb.Event:
    match fact:
        case FigurePlaced() | SetupRevealed() | RoundStarted() | ProgramLaid() | ShipSailed() | ShipDrifted():
            return _sailing_event(fact)
        case GunsBear() | ShotFired() | HullMarked() | MastHit() | CannonLost() | CrewLost() | CaptainHit():
            return _gunnery_event(fact)
        case ShipsCollided() | BoardingTurnStarted() | FigureMoved() | MovesLost() | MeleeFought():
            return _boarding_event(fact)
        case DiceOpposed(purpose, dice, winner):
            return Pb.Event(dice_opposed=Pb.DiceOpposed(purpose=PURPOSES[purpose], dice=dice, winner=winner))
        case FireCeased(seat, shots):
            return Pb.Event(fire_ceased=Pb.FireCeased(seat=seat, shots=shots))
        case CaptainReplaced(seat, station):
            return Pb.Event(captain_replaced=Pb.CaptainReplaced(seat=seat, station=_station(station)))
        case Surrendered(seat):
            return Pb.Event(surrendered=Pb.Surrendered(seat=seat))
        case GameEnded(winner, reason):
            return Pb.Event(game_ended=Pb.GameEnded(winner=winner, reason=REASONS[reason]))
        case _:
            assert_never(fact)


def _sailing_event(
    fact: FigurePlaced | SetupRevealed | RoundStarted | ProgramLaid | ShipSailed | ShipDrifted,
) -> Pb.Event:
    match fact:
        case FigurePlaced(seat, figure, station):
            placed = Pb.FigurePlaced(seat=seat, figure=FIGURES[figure], station=_station(station))
            return Pb.Event(figure_placed=placed)
        case SetupRevealed(seat, captain, crew):
            revealed = Pb.SetupRevealed(seat=seat, captain=_station(captain), crew=map(_station, crew))
            return Pb.Event(setup_revealed=revealed)
        case RoundStarted(number):
            return Pb.Event(round_started=Pb.RoundStarted(round=number))
        case ProgramLaid(seat, cards):
            laid = Pb.ProgramLaid(seat=seat, cards=[Pb.Card.ValueType(code(card)) for card in cards])
            return Pb.Event(program_laid=laid)
        case ShipSailed(seat, step, card, point, facing, aground):
            sailed = Pb.ShipSailed(
                seat=seat,
                step=step,
                card=Pb.Card.ValueType(code(card)),
                point=_point(point),
                facing=Pb.Direction.ValueType(facing + 1),
                aground=None if aground is None else GROUNDS[aground],
            )
            return Pb.Event(ship_sailed=sailed)
        case ShipDrifted(seat, point):
            return Pb.Event(ship_drifted=Pb.ShipDrifted(seat=seat, point=_point(point)))


def _gunnery_event(
    fact: GunsBear | ShotFired | HullMarked | MastHit | CannonLost | CrewLost | CaptainHit,
) -> Pb.Event:
    match fact:
        case GunsBear(mode, shots):
            return Pb.Event(guns_bear=Pb.GunsBear(mode=MODES[mode], shots=shots))
        case ShotFired():
            return Pb.Event(shot_fired=_shot(fact))
        case HullMarked(seat, section, markers):
            hull = Pb.HullSection.ValueType(code(section))
            return Pb.Event(hull_marked=Pb.HullMarked(seat=seat, section=hull, markers=markers))
        case MastHit(seat, mast, hits_left):
            hit = Pb.MastHit(seat=seat, mast=Pb.Mast.ValueType(code(mast)), hits_left=hits_left)
            return Pb.Event(mast_hit=hit)
        case CannonLost(seat, station):
            return Pb.Event(cannon_lost=Pb.CannonLost(seat=seat, station=_station(station)))
        case CrewLost(seat, station, count):
            return Pb.Event(crew_lost=Pb.CrewLost(seat=seat, station=_station(station), count=count))
        case CaptainHit(seat, station):
            return Pb.Event(captain_hit=Pb.CaptainHit(seat=seat, station=_station(station)))


def _boarding_event(
    fact: ShipsCollided | BoardingTurnStarted | FigureMoved | MovesLost | MeleeFought,
) -> Pb.Event:
    match fact:
        case ShipsCollided(point, reference, both_moved, blow, sides, bows_opposite):
            collided = Pb.ShipsCollided(
                point=_point(point),
                reference=reference,
                both_moved=both_moved,
                blow=blow,
                sides=[SIDES[side] for side in sides],
                bows_opposite=bows_opposite,
            )
            return Pb.Event(ships_collided=collided)
        case BoardingTurnStarted(seat, turn):
            return Pb.Event(boarding_turn_started=Pb.BoardingTurnStarted(seat=seat, turn=turn))
        case FigureMoved(seat, figure, origin, target, contested):
            moved = Pb.FigureMoved(
                seat=seat, figure=FIGURES[figure], origin=_place(origin), target=_place(target), contested=contested
            )
            return Pb.Event(figure_moved=moved)
        case MovesLost(seat, moves):
            return Pb.Event(moves_lost=Pb.MovesLost(seat=seat, moves=moves))
        case MeleeFought(place, dice, totals, losses):
            fallen = [Pb.Loss(seat=seat, figure=FIGURES[figure]) for seat, figure in enumerate(losses) if figure]
            melee = Pb.MeleeFought(place=_place(place), dice=dice, totals=totals, losses=fallen)
            return Pb.Event(melee_fought=melee)


# Small messages.


def _station(station: Station) -> Pb.Station.ValueType:
    return Pb.Station.ValueType(code(station))


def _point(point: Point) -> Pb.Point:
    return Pb.Point(x=point[0], y=point[1])


def _place(place: Place) -> Pb.Place:
    return Pb.Place(ship=place.ship, station=_station(place.station))


def _shot(shot: ShotFired) -> Pb.Shot:
    return Pb.Shot(
        seat=shot.seat, section=Pb.Section.ValueType(code(shot.section)), die=shot.die, effect=EFFECTS[shot.effect]
    )


WIRE: GameWire[Action, Event, View] = GameWire(
    field=17,
    messages_version=1,
    decisions={name.removeprefix("DECISION_"): value for name, value in Pb.Decision.items()},
    observation=observation,
    option=option,
    event=event,
)
