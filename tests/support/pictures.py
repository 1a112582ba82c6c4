"""Pictures of states laid by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.draw import DRAWINGS, Scene, Shape, ViewedTable
from referee.games import GAMES
from referee.rules.engine import SPECTATOR, Seat
from referee.wire import WIRES
from support.paths import corners
from tortuga.v1 import referee_pb2

NAMES = ("ann", "ben", "cid", "dee", "eve")


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


def look(
    game_id: str, state: Any, *, seats: int = 2, eyes: Iterable[int] = (), events: Sequence[Any] = ()
) -> dict[str, Shape]:
    """The shapes of a state by their ids, as a spectator sees them who also has the eyes of those seats."""
    return by_id(draw(game_id, state, seats=seats, eyes=eyes, events=events))


def draw(game_id: str, state: Any, *, seats: int = 2, eyes: Iterable[int] = (), events: Sequence[Any] = ()) -> Scene:
    """The picture of a state, of bots that are named ann, ben and so on."""
    hands = {seat: position(game_id, state, Seat(seat), events) for seat in eyes}
    shown = ViewedTable(position=position(game_id, state, events=events), names=NAMES[:seats], hands=hands)
    return DRAWINGS[game_id].draw(shown)


def by_id(scene: Scene) -> dict[str, Shape]:
    """Shapes by their ids."""
    return {shape.id: shape for shape in scene.shapes}


def is_hollow(shape: Shape) -> bool:
    """Whether the shape is drawn as something that is gone."""
    return "lost" in shape.classes.split()


def readable(shapes: Mapping[str, Shape]) -> str:
    """Everything that can be read in a picture."""
    return "\n".join(f"{shape.text} {shape.title}" for shape in shapes.values())


def span(shape: Shape) -> tuple[float, float]:
    """The leftmost and the rightmost point of a shape."""
    xs = [x for x, _ in corners(shape)]
    return min(xs), max(xs)


Kinds = dict[str, tuple[bool, frozenset[str]]]
"""By id: whether a shape is a text, and whose it is."""


def check_kinds(kinds: Kinds, scene: Scene, *, but: tuple[str, ...] = ()) -> None:
    """An id is the same kind of shape, of the same seat, as in all scenes before; `but` are beginnings of ids."""
    for shape in scene.shapes:
        if not shape.id.startswith(but):
            seats = frozenset(name for name in shape.classes.split() if name.startswith("seat") and name != "seat")
            assert kinds.setdefault(shape.id, (bool(shape.text), seats)) == (bool(shape.text), seats), shape
