"""Small things with a face: dice, action cards, figures, the marks of shots."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from referee.draw import pieces
from referee.draw.broadsides.voyage import Fired
from referee.draw.pieces import dot
from referee.draw.scene import Shape, circle, number, polyline, rectangle, seat_sign
from referee.games.broadsides.terms import Card, Section

DIE = 36
CARD_WIDTH, CARD_HEIGHT = 56, 78

CARD_SIGNS = {
    Card.AH: "M0 16V-16M-10 -6L0 -16L10 -6",
    Card.ST: "M-10 16V2Q-10 -8 0 -8H10M2 -16L10 -8L2 0",
    Card.PO: "M10 16V2Q10 -8 0 -8H-10M-2 -16L-10 -8L-2 0",
    Card.RE: "M0 -9V14M-12 4Q-10 14 0 14Q10 14 12 4M-7 -3H7M0 -9A4 4 0 1 1 .1 -9",
    Card.DA: "M-12 16H12M-2 16L-2 0L5 -4M3 -8L9 -16M-11 -8L-3 -4",
}
"""Arrows for what sails, an anchor for what stays, a broken mast for damage."""

CARD_WORDS = {
    Card.AH: "Ahead",
    Card.ST: "Turn to starboard",
    Card.PO: "Turn to port",
    Card.RE: "Remain",
    Card.DA: "Damaged: nothing",
}

BURST = polyline(
    [(0, -13), (3, -5), (10, -9), (6, -1), (13, 3), (5, 5), (6, 12), (0, 7), (-6, 12), (-5, 5), (-13, 3), (-6, -1),
     (-10, -9), (-3, -5)],
    closed=True,
)  # fmt: skip
SPLASH = circle(9)
SWORDS = "M-10 -10L8 8M10 -10L-8 8M-10 3L-3 10M10 3L3 10"


@cache
def cannonballs(count: int) -> str:
    """Draw a path: a row of balls."""
    return "".join(dot(12.0 * (place - (count - 1) / 2), 0, 5) for place in range(count))


def die(key: str, seat: int, value: int, x: float, y: float, title: str) -> Shape:
    """Draw a die of a seat."""
    path = pieces.die(value, DIE, counts=True)
    return Shape(id=key, x=x, y=y, path=path, classes=f"fill seat{seat}", layer=5, title=title)


def card(key: str, x: float, y: float, face: Card | None, *, is_down: bool) -> Iterator[Shape]:
    """Draw an action card. Without a face only its back is seen; a face that others do not see lies on a back."""
    body = rectangle(CARD_WIDTH, CARD_HEIGHT, round_by=6)
    title = "A card face down" if face is None else CARD_WORDS[face] + (", face down" if is_down else "")
    yield Shape(id=key, x=x, y=y, path=body, classes="back" if is_down else "card", layer=4, title=title)
    if face is None:
        yield Shape(
            id=f"{key}-back",
            x=x,
            y=y,
            path="M-14 -22L14 22M14 -22L-14 22M-14 0L0 22L14 0L0 -22z",
            classes="faint",
            layer=4,
        )
        return
    yield Shape(id=f"{key}-sign", x=x, y=y - 12, path=CARD_SIGNS[face], classes="stroke thick", layer=4)
    yield Shape(id=f"{key}-code", x=x, y=y + 32, text=face.name, classes="middle", layer=4)


@cache
def hat(size: float) -> str:
    """Draw a path: a captain's hat on a head of that radius."""
    brim, low, bend, top, side = (number(share * size) for share in (1.4, 0.5, 1.05, 1.8, 0.9))
    return f"M-{brim} -{low}Q0 -{bend} {brim} -{low}Q{side} -{top} 0 -{top}Q-{side} -{top} -{brim} -{low}z"


@cache
def figure_sign(seat: int, radius: float) -> str:
    """Draw a path: a figure of a seat. A triangle of the same radius looks smaller than a circle."""
    return seat_sign(seat, radius if seat == 0 else 1.15 * radius)


def draw_mark(key: str, fired: Fired, x: float, y: float) -> Shape:
    """Draw a burst where a shot did harm, a ring where it did none."""
    path, classes = (BURST, "warn edge") if fired.is_hit else (SPLASH, "warn stroke")
    title = f"Section {Section(fired.shot.section - 1).name}, die {fired.shot.die}"
    return Shape(id=key, x=x, y=y, path=path, classes=classes, layer=8, title=title)
