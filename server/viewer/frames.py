"""A moment of a match as a frame: a heading, what happened in words, the picture, marks and scores.

A whole frame stands for itself (live). In a document consecutive frames hold only what changed since the frame before:
`Thinner` leaves out the rest and names shapes by their number in the document's table of shapes, which all perspectives
share. static/board.js puts it together again, and `picture.py` does so in Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from google.protobuf import text_format

from referee.draw import Scene, Shape, ViewedTable, find_drawing
from referee.wire import position_member
from referee.wire.foreign import ForeignPosition, read_foreign
from tortuga.v1 import foreign_pb2, referee_pb2

Json = dict[str, Any]

KEPT_SHAPES = 1 << 14
"""Number of shapes cached as JSON: more than a match has that come back."""


def parse_position(game_id: str, serialized: bytes) -> Any:
    """Parse a game's Position from its bytes."""
    position = getattr(referee_pb2.Question(), position_member(game_id))
    position.ParseFromString(serialized)
    return readable(position)


def readable(position: Any) -> Any:
    """Return a Position as drawings take it: one that is sent as JSON is read first."""
    return read_foreign(position) if isinstance(position, foreign_pb2.Foreign) else position


class Painter:
    """Makes whole frames of one match."""

    def __init__(self, game_id: str, names: Sequence[str]) -> None:
        self._drawing = find_drawing(game_id)
        self._names = tuple(names)

    @property
    def score_title(self) -> str:
        """Return what the scores of a frame are called; empty if there are none."""
        return self._drawing.score_title if self._drawing else ""

    def frame(
        self, position: Any, lines: Sequence[str], hands: Mapping[int, Any] | None = None, *, table: str = ""
    ) -> Json:
        """Return what a viewer who was sent that position sees. `table` is the text of a game without a drawing;
        empty: the position itself, which holds nothing that its viewer may not know."""
        if self._drawing is None:
            shown = table or _observation_text(position)
            return {"heading": "", "lines": list(lines), "marks": [], "scores": None, "table": shown}
        scene = self._drawing.draw(ViewedTable(position=position, names=self._names, hands=hands or {}))
        happened = {
            event["_type"] if isinstance(event, dict) else event.WhichOneof("event") for event in position.events
        }
        known = {"turn": self._drawing.turn_events, "hit": self._drawing.hit_events}
        return {
            "heading": self._drawing.heading(position),
            "lines": list(lines),
            "marks": [mark for mark, names in known.items() if happened & names],
            "scores": [round(score, 3) for score in self._drawing.scores(position)],
            "scene": scene_json(scene),
        }


def _observation_text(position: Any) -> str:
    """Return the observation itself as text."""
    if isinstance(position, ForeignPosition):
        return json.dumps(position.observation, indent=2, ensure_ascii=False)
    return text_format.MessageToString(position.observation, as_utf8=True)


def scene_json(scene: Scene) -> Json:
    """Return a whole scene as JSON."""
    shapes = [shape_json(shape) for shape in scene.shapes]
    return {"w": _short(scene.width), "h": _short(scene.height), "label": scene.label, "shapes": shapes}


@lru_cache(KEPT_SHAPES)
def shape_json(shape: Shape) -> Json:
    """Return a shape as JSON, without values that are the usual ones. Do not change it: most shapes of a scene are
    those of the scene before, and are made once."""
    fields = {
        "i": shape.id,
        "x": _short(shape.x),
        "y": _short(shape.y),
        "t": _short(shape.turn),
        "d": shape.path,
        "s": shape.text,
        "c": shape.classes,
        "l": shape.layer,
        "h": shape.title,
    }
    return {key: value for key, value in fields.items() if value != _USUAL.get(key, "")}


_USUAL: Json = {"x": None, "y": None, "t": 0, "l": 3}


def _short(value: float) -> float:
    rounded = round(value, 1)
    return int(rounded) if rounded == int(rounded) else rounded


class ShapeTable:
    """Stores every distinct shape and every distinct path of a document once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._paths: dict[str, int] = {}
        self.shapes: list[Json] = []

    @property
    def paths(self) -> list[str]:
        """Return the paths by number."""
        return list(self._paths)

    def number(self, shape: Json) -> int:
        """Return the number of a shape; add it if it is new."""
        key = json.dumps(shape)
        if key not in self._numbers:
            self._numbers[key] = len(self.shapes)
            stored = dict(shape)
            if "d" in stored:
                stored["d"] = self._paths.setdefault(stored["d"], len(self._paths))
            self.shapes.append(stored)
        return self._numbers[key]


class Thinner:
    """Takes the whole frames of one viewer in order and gives each without what the frame before had, too."""

    def __init__(self, table: ShapeTable) -> None:
        self._table = table
        self._before: Json = {}

    def take(self, whole: Json) -> Json:
        """Return the next frame, made smaller."""
        before, self._before = self._before, whole
        smaller = {key: value for key, value in whole.items() if key != "scene" and value not in ([], None, "")}
        for key in ("heading", "scores", "table"):
            if key in smaller and smaller[key] == before.get(key):
                del smaller[key]
        if "scene" in whole:
            changes = scene_changes(before["scene"], whole["scene"]) if "scene" in before else dict(whole["scene"])
            for key in ("shapes", "set"):
                if key in changes:
                    changes[key] = [self._table.number(shape) for shape in changes[key]]
            if changes:
                smaller["scene"] = changes
        return smaller


def scene_changes(before: Json, after: Json) -> Json:
    """Return what turns one scene into the next: shapes to set, ids to drop, and the places of new shapes if those
    are not the last ones. Where old shapes changed their order, the whole order."""
    old = {shape["i"]: shape for shape in before["shapes"]}
    new = {shape["i"]: shape for shape in after["shapes"]}
    changes: Json = {
        "set": [shape for key, shape in new.items() if old.get(key) != shape],
        "drop": [key for key in old if key not in new],
    }
    if [key for key in old if key in new] != [key for key in new if key in old]:
        changes["order"] = list(new)
    else:
        places = [place for place, key in enumerate(new) if key not in old]
        changes["places"] = [] if places == list(range(len(new) - len(places), len(new))) else places
    for key in ("w", "h", "label"):
        if before[key] != after[key]:
            changes[key] = after[key]
    return {key: value for key, value in changes.items() if value != []}
