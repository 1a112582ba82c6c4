"""Pictures of states laid by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from referee.draw import DRAWINGS, Scene, Shape, Table
from referee.engine import SPECTATOR, Seat
from referee.games import GAMES
from referee.wire import WIRES
from tortuga.v1 import referee_pb2


def message(game_id: str, view: Any, events: Sequence[Any] = ()) -> Any:
    """A Position of somebody who is asked nothing."""
    found = getattr(referee_pb2.Question(), game_id)
    found.ParseFromString(WIRES[game_id].scene(view, events))
    return found


def position(game_id: str, state: Any, seat: Seat = SPECTATOR, events: Sequence[Any] = ()) -> Any:
    """What that seat is sent of a state, or a spectator."""
    game = GAMES[game_id]
    seen = [found for event in events if (found := game.seen(event, seat)) is not None]
    return message(game_id, game.view(state, seat), seen)


def look(game_id: str, state: Any, *, eyes: Iterable[int] = (), events: Sequence[Any] = ()) -> dict[str, Shape]:
    """The shapes of a state by their ids, as a spectator sees them who also has the eyes of those seats."""
    return by_id(draw(game_id, state, eyes=eyes, events=events))


def draw(game_id: str, state: Any, *, eyes: Iterable[int] = (), events: Sequence[Any] = ()) -> Scene:
    """The picture of a state, of bots that are named ann and ben."""
    hands = {seat: position(game_id, state, Seat(seat), events) for seat in eyes}
    shown = Table(position=position(game_id, state, events=events), names=("ann", "ben"), hands=hands)
    return DRAWINGS[game_id].draw(shown)


def by_id(scene: Scene) -> dict[str, Shape]:
    """Shapes by their ids."""
    return {shape.id: shape for shape in scene.shapes}


def is_hollow(shape: Shape) -> bool:
    """Whether the shape is drawn as something that is gone."""
    return "lost" in shape.classes.split()
