"""Where the ships were in the round that is shown: worked out from what lies on the table.

A Position holds where a ship is and which cards it has turned over. Undoing the cards leads back to where it began the
round. Where that would be a guess, there is no track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.games.broadsides.data import AHEAD, CARDS_PER_ROUND, TURNS
from referee.games.broadsides.terms import Card, HullSection, Point
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

Track = tuple[Point, ...]
"""Where a ship lay at the beginning of the round and after each card turned over."""


def point_of(point: Pb.Point) -> Point:
    """Return a point of the wire as ours."""
    return point.x, point.y


def track_of(position: Pb.Position, seat: int) -> Track:
    """Return the ship's way through the round; empty if it cannot be told."""
    observation = position.observation
    ship, cards = observation.ships[seat], [Card(card - 1) for card in observation.ships[seat].cards_turned]
    sailed = _told(position, seat, cards)
    end: Point | None = point_of(ship.point)
    if any(
        event.WhichOneof("event") == "ship_drifted" and event.ship_drifted.seat == seat for event in position.events
    ):
        last = sailed.get(len(cards))
        end = point_of(last.point) if last is not None else None
    if end is None:
        return ()
    is_over = observation.step == 0
    stuck = ship.aground or (is_over and 0 < len(cards) < CARDS_PER_ROUND)
    last = sailed.get(len(cards))
    if last is not None:
        stuck = last.HasField("aground")
    elif is_over and not stuck and cards and cards[-1] is Card.AH and not _is_water(observation, end, ship.facing - 1):
        return ()  # the last card may have moved it here or run it aground
    return _undo(end, ship.facing - 1, cards, stuck)


def drift_of(position: Pb.Position, seat: int) -> Track:
    """Return the points the current carried the ship to, after its last card."""
    drifts = [event.ship_drifted for event in position.events if event.WhichOneof("event") == "ship_drifted"]
    return tuple(point_of(drift.point) for drift in drifts if drift.seat == seat)


def _told(position: Pb.Position, seat: int, cards: Sequence[Card]) -> dict[int, Pb.ShipSailed]:
    """Return the steps of the round that are among the events."""
    sailed = [event.ship_sailed for event in position.events if event.WhichOneof("event") == "ship_sailed"]
    return {
        event.step: event
        for event in sailed
        if event.seat == seat and event.step <= len(cards) and event.card - 1 == cards[event.step - 1]
    }


def _undo(point: Point, facing: int, cards: Sequence[Card], stuck: bool) -> Track:
    """Back from the last card to the first."""
    track = [point]
    for place in reversed(range(len(cards))):
        card = cards[place]
        if card is Card.AH and not (stuck and place == len(cards) - 1):
            point = (point[0] - AHEAD[facing][0], point[1] - AHEAD[facing][1])
        facing = (facing - TURNS.get(card, 0)) % 8
        track.append(point)
    return tuple(reversed(track))


def _is_water(observation: Pb.Observation, point: Point, facing: int) -> bool:
    x, y = point[0] + AHEAD[facing][0], point[1] + AHEAD[facing][1]
    chart = observation.chart
    return 0 <= x < chart.width and 0 <= y < chart.height and all((at.x, at.y) != (x, y) for at in chart.land)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fired:
    """A shot of the last exchange."""

    shot: Pb.Shot
    step: int
    """The step of the round after which it was fired."""
    hull: HullSection | None = None
    """The hull section it marked."""

    @property
    def is_hit(self) -> bool:
        """Check whether it did any harm."""
        return self.shot.effect in (Pb.SHOT_EFFECT_HULL, Pb.SHOT_EFFECT_STATION)


def last_shots(position: Pb.Position) -> list[Fired]:
    """Return the shots since the last decision, as far as they belong to the last exchange or salvo.

    A seat that was not asked for long is told of several exchanges at once.
    """
    shots: list[Fired] = []
    step, is_over = 0, False
    for event in position.events:
        match event.WhichOneof("event"):
            case "ship_sailed":
                step = event.ship_sailed.step
                # fired before this step, and if it is the first, in another round
                shots = [replace(fired, step=fired.step or step - 1) for fired in shots if step > 1]
            case "guns_bear":
                is_over = True
            case "ships_collided":
                shots = []
            case "shot_fired":
                shots, is_over = [] if is_over else shots, False
                shots.append(Fired(shot=event.shot_fired, step=step))
            case "hull_marked" if shots:
                shots[-1] = replace(shots[-1], hull=HullSection(event.hull_marked.section - 1))
    now = position.observation.step or CARDS_PER_ROUND
    return [replace(fired, step=fired.step or now) for fired in shots]
