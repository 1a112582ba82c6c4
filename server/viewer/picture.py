"""One moment of a match as a picture, for a paper or a chat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.draw import Scene, Shape
from referee.draw.scene import to_svg
from referee.errors import ConfigError
from server.viewer.frames import Json


def unfold(document: Json, frames: Iterable[Json]) -> Iterator[Json | None]:
    """Yield the whole scene of each frame; None where there is no picture. What `Thinner` left out is put back, as
    static/board.js does it in a browser."""
    scene: Json | None = None
    for frame in frames:
        if changes := frame.get("scene"):
            scene = _apply(document, scene or {"shapes": []}, changes)
        yield scene


def _apply(document: Json, before: Json, changes: Json) -> Json:
    shapes = {shape["i"]: shape for shape in before["shapes"]}
    for key in changes.get("drop", ()):
        del shapes[key]
    old = list(shapes)
    numbers: list[int] = changes.get("shapes") or changes.get("set") or []
    for number in numbers:
        shape = document["shapes"][number]
        shapes[shape["i"]] = shape | ({"d": document["paths"][shape["d"]]} if "d" in shape else {})
    order: list[str] = changes.get("order") or list(shapes)
    if places := changes.get("places"):
        order, added = old, list(shapes)[len(old) :]
        for place, key in zip(places, added, strict=True):
            order.insert(place, key)
    sizes = {key: changes[key] if key in changes else before[key] for key in ("w", "h", "label")}
    return sizes | {"shapes": [shapes[key] for key in order]}


def svg_at(document: Json, *, seat: int | None = None, decision: int | None = None, place: int | None = None) -> str:
    """Draw the picture at a decision, or at a place of the timeline; without either at the end. Through a seat's
    eyes or a spectator's."""
    views = {view.get("seat"): view["frames"] for view in document["views"] if view["eyes"] != "all"}
    if not views:
        raise ConfigError(" ".join(document["notices"]) or "there is no replay of this match")
    if seat not in views:
        raise ConfigError(f"this match has seats 0 to {len(document['seats']) - 1}")
    if decision is not None:
        place = place_of(document, decision)
    last = document["steps"] - 1
    if place is not None and place > last:
        raise ConfigError(f"this match has moments 0 to {last}")
    seen = [frame for frame in views[seat] if place is None or frame["at"] <= place] or views[seat][:1]
    *_, scene = unfold(document, seen)
    if scene is None:
        raise ConfigError(f"there are no pictures of {document['game']['title']} from there")
    return to_svg(_scene(scene))


def place_of(document: Json, decision: int) -> int:
    """Return the place of the timeline at which a decision was put, counted over all seats from 1."""
    places: list[int] = document["times"]["at"]
    if not 1 <= decision <= len(places):
        raise ConfigError(f"this match has decisions 1 to {len(places)}")
    return places[decision - 1]


def _scene(scene: Json) -> Scene:
    shapes = [
        Shape(
            id=shape["i"],
            x=shape["x"],
            y=shape["y"],
            turn=shape.get("t", 0.0),
            path=shape.get("d", ""),
            text=shape.get("s", ""),
            classes=shape.get("c", ""),
            layer=shape.get("l", 3),
            title=shape.get("h", ""),
        )
        for shape in scene["shapes"]
    ]
    return Scene(width=scene["w"], height=scene["h"], label=scene["label"], shapes=tuple(shapes))
