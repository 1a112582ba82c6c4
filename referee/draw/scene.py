"""The shape every drawing fills: a scene is a set of keyed shapes on a board of fixed size.

A shape is a path or a text at a place, with an id. A thing keeps its id from scene to scene, so a viewer can animate it
from one place to the next; that is all a viewer needs. Colours and sizes are classes of board.css.

Also, what all drawings share: the nameplate of a duel, and a scene as an SVG file (for a paper, a chat or a link
preview).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from referee.text import harmless

BOARD_WIDTH = 720
"""The width of every board in its own units. A phone shows it at some 370 pixels, so a text of size 20 has 10 there."""

SMALLEST_TEXT = 20
"""The smallest font size on a board; board.css has the classes."""

SEAT_SIGNS = ("circle", "triangle", "square", "diamond", "star")
"""Seats differ by shape as well as by colour, everywhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """One thing on a board: a path (`path`, around its own origin) or a text (`text`, at its origin)."""

    id: str
    """Unique in its scene, and the same for the same thing in every scene of a match."""
    x: float
    y: float
    turn: float = 0.0
    """Degrees clockwise around (x, y)."""
    path: str = ""
    """An SVG path in units of the board, relative to (x, y)."""
    text: str = ""
    classes: str = ""
    """Classes of board.css, separated by spaces. No other looks: no colours, no sizes."""
    layer: int = 3
    """0 (sea) to 9 (what lies on top). Shapes of one layer are drawn in the order of the scene."""
    title: str = ""
    """More words, shown when the shape is pointed at. Empty: none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A picture of a position."""

    width: float
    height: float
    label: str
    """The picture in one sentence, for those who cannot see it."""
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ViewedTable:
    """The facts a viewer has: the position it was sent and, with the eyes of seats, what those were sent."""

    position: Any
    """The Position of a spectator or of a seat (`position.observation.seat`)."""
    names: Sequence[str]
    """The bots' names, by seat. Public, and up to 64 characters of anything."""
    hands: Mapping[int, Any] = field(default_factory=dict)
    """Positions of the seats whose hands the viewer may see: of one seat for its own eyes, of all for everybody's.
    What only a seat knows is drawn from here and from nowhere else."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """The way in which one game is drawn and put on a timeline."""

    draw: Callable[[ViewedTable], Scene]
    heading: Callable[[Any], str]
    """Function that says where in the game a Position is, e.g. `Round 6, card 2`."""
    turn_events: frozenset[str]
    """Names in the oneof of the game's Event that begin a turn, a round or a month: ticks of the timeline."""
    hit_events: frozenset[str]
    """Names in the same oneof of events that somebody looking for the action wants to jump to."""
    score_title: str
    """Title of the `scores`, e.g. `Fame`."""
    scores: Callable[[Any], tuple[float, ...]]
    """A public number per seat from a Position, for the graph of who leads: the more the better."""


def text_width(text: str, size: float = SMALLEST_TEXT) -> float:
    """Estimate how wide a text is, rather too much than too little. There are no fonts here, so letters are guessed."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in "ijl.,:;'|! ftr()[]I":
        return 0.42
    if letter in "mwMW@%…—" or ord(letter) > 0x2000:
        return 1.05
    return 0.78 if letter.isupper() else 0.62


def fit(text: str, width: float, size: float = SMALLEST_TEXT) -> str:
    """Cut a text to a width, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    room, length = width - text_width("…", size), 0
    while length < len(text) and text_width(text[: length + 1], size) <= room:
        length += 1
    return text[:length].rstrip() + "…"


@lru_cache(1 << 12)
def number(value: float) -> str:
    """Write a coordinate in as few characters as it needs."""
    return f"{round(value, 1):g}"


def rectangle(width: float, height: float, *, round_by: float = 0.0) -> str:
    """Draw a path: a rectangle around the origin, with rounded corners if wanted."""
    w, h, r = width / 2, height / 2, min(round_by, width / 2, height / 2)
    if not r:
        return f"M{number(-w)} {number(-h)}h{number(width)}v{number(height)}h{number(-width)}z"
    inner_width, inner_height, corner = number(width - 2 * r), number(height - 2 * r), f"a{number(r)} {number(r)} 0 0 1"
    return (
        f"M{number(r - w)} {number(-h)}h{inner_width}{corner} {number(r)} {number(r)}v{inner_height}"
        f"{corner} {number(-r)} {number(r)}h-{inner_width}{corner} {number(-r)} {number(-r)}v-{inner_height}"
        f"{corner} {number(r)} {number(-r)}z"
    )


def circle(radius: float) -> str:
    """Draw a path: a circle around the origin."""
    r = number(radius)
    return f"M-{r} 0a{r} {r} 0 1 1 {number(2 * radius)} 0a{r} {r} 0 1 1 {number(-2 * radius)} 0z"


def polyline(points: Sequence[tuple[float, float]], *, closed: bool = False) -> str:
    """Draw a path through points."""
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + ("z" if closed else "")


def seat_sign(seat: int, radius: float) -> str:
    """Draw a path: the sign of a seat, the same everywhere."""
    match SEAT_SIGNS[seat]:
        case "circle":
            return circle(radius * 0.92)
        case "triangle":
            return polyline(
                [(0, -radius * 1.1), (radius * 1.05, radius * 0.8), (-radius * 1.05, radius * 0.8)], closed=True
            )
        case "square":
            return rectangle(radius * 1.7, radius * 1.7)
        case "diamond":
            return polyline([(0, -radius * 1.2), (radius * 1.1, 0), (0, radius * 1.2), (-radius * 1.1, 0)], closed=True)
    return polyline(_star(radius * 1.2), closed=True)


def _star(radius: float) -> list[tuple[float, float]]:
    """Return five points and the corners between them; written out, so that pictures are the same on every machine."""
    outer = ((0.0, -1.0), (0.951, -0.309), (0.588, 0.809), (-0.588, 0.809), (-0.951, -0.309))
    inner = ((0.247, -0.34), (0.4, 0.13), (0.0, 0.42), (-0.4, 0.13), (-0.247, -0.34))
    return [(x * radius, y * radius) for pair in zip(outer, inner, strict=True) for x, y in pair]


NAME_WIDTH = BOARD_WIDTH / 2 - 60


def draw_nameplate(names: Sequence[str], notes: Sequence[str], headline: str) -> Iterator[Shape]:
    """Seat 0 on the left and seat 1 on the right, each with a note below its name."""
    for seat, (name, note) in enumerate(zip(names, notes, strict=True)):
        edge, inwards = (0.0, 1) if seat == 0 else (float(BOARD_WIDTH), -1)
        align = "" if seat == 0 else "end "
        yield Shape(
            id=f"sign{seat}", x=edge + 16 * inwards, y=22, path=seat_sign(seat, 11), classes=f"fill seat{seat}", layer=1
        )
        yield Shape(
            id=f"name{seat}",
            x=edge + 36 * inwards,
            y=30,
            text=fit(name, NAME_WIDTH, 24) or "?",
            classes=f"{align}size24 bold seat seat{seat}",
            layer=1,
            title=name if fit(name, NAME_WIDTH, 24) != name else "",
        )
        if note:
            yield Shape(id=f"note{seat}", x=edge + 4 * inwards, y=60, text=note, classes=f"{align}muted", layer=1)
    yield Shape(id="headline", x=BOARD_WIDTH / 2, y=60, text=headline, classes="middle", layer=1)


def one_line(name: str) -> str:
    """Make a name fit for a sentence: it is untrusted, so it may hold line breaks or nothing at all."""
    return harmless(name) or "?"


STYLE = Path(__file__).with_name("board.css")


def to_svg(scene: Scene) -> str:
    """Make a whole SVG document, with its style inside."""
    shapes = sorted(scene.shapes, key=lambda shape: shape.layer)
    size = f'viewBox="0 0 {number(scene.width)} {number(scene.height)}" width="{number(scene.width)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" {size} role="img" aria-label={quoteattr(scene.label)}>'
    )
    return "\n".join([head, f"<style>{STYLE.read_text()}</style>", *map(_element, shapes), "</svg>", ""])


def _element(shape: Shape) -> str:
    turned = f" rotate({number(shape.turn)})" if shape.turn else ""
    place = f'transform="translate({number(shape.x)} {number(shape.y)}){turned}"'
    title = f"<title>{escape(shape.title)}</title>" if shape.title else ""
    if shape.path:
        return f"<path class={quoteattr(shape.classes)} {place} d={quoteattr(shape.path)}>{title}</path>"
    return f"<text class={quoteattr(shape.classes)} {place}>{escape(shape.text)}{title}</text>"
