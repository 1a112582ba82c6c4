"""Pieces that several boards are made of: ships in profile, dice, flags, rows of pips, small icons. Paths only.

Every path is drawn around its origin. A hole in a filled path runs the other way round, so a die with its eyes is a
single shape, and so is a flag with its skull.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from referee.draw.scene import number, polyline, rectangle

SKULL_FROM = 5
"""The lowest face of a die that shows a skull, in the games whose dice have skulls."""

_kept = lru_cache(maxsize=512)
"""Paths are drawn again and again, in every scene of a match."""

_EYES = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def dot(x: float, y: float, radius: float, *, hole: bool = False) -> str:
    """Draw a path: a filled dot, or a hole in what it lies on."""
    r, sweep = number(radius), 0 if hole else 1
    across = number(2 * radius)
    return f"M{number(x - radius)} {number(y)}a{r} {r} 0 1 {sweep} {across} 0a{r} {r} 0 1 {sweep} -{across} 0z"


def box(x: float, y: float, width: float, height: float, *, hole: bool = False) -> str:
    """Draw a path: a filled box with its corner at (x, y), or a hole in what it lies on."""
    w, h = number(width), number(height)
    return f"M{number(x)} {number(y)}" + (f"v{h}h{w}v-{h}z" if hole else f"h{w}v{h}h-{w}z")


def frame(width: float, height: float, *, y: float = 0.0) -> str:
    """Draw a path without a surface: four lines around the origin, for shapes that are filled and stroked at once."""
    w, h = width / 2, height / 2
    corners = [(-w, y - h), (w, y - h), (w, y + h), (-w, y + h), (-w, y - h)]
    return "".join(polyline(side) for side in pairwise(corners))


@_kept
def die(face: int, size: float, *, counts: bool, skulls: bool = False) -> str:
    """Draw a path: a die. One that counts is a full square with holes, another is a frame with eyes; use it with
    `DIE`."""
    eyes = "".join(dot(x * size * 0.24, y * size * 0.24, size * 0.09, hole=counts) for x, y in _EYES.get(face, ()))
    if skulls and face >= SKULL_FROM:
        eyes = skull(size * 0.3, hole=counts)
    return (rectangle(size, size, round_by=size * 0.2) if counts else frame(size - 3, size - 3)) + eyes


DIE = "fill stroke"
"""The classes of a die."""


@_kept
def skull(radius: float, *, y: float = 0.0, hole: bool = False) -> str:
    """Draw a path: a skull, or a hole in its shape."""
    r = radius
    head = dot(0, y - 0.25 * r, r, hole=hole) + box(-0.5 * r, y + 0.6 * r, r, 0.6 * r, hole=hole)
    eyes = (dot(x * r, y - 0.2 * r, 0.27 * r, hole=not hole) for x in (-0.42, 0.42))
    return head + "".join(eyes)


_HULL = ((-20, -6), (-13, -6), (-13, -3), (12, -3), (20, -7), (14, 6), (-14, 6))


@_kept
def ship(size: float, *, to_left: bool = False) -> str:
    """Draw a path: a ship in profile, `size` wide; its waterline is a little below its origin. It sails to the
    right."""
    s = size / 40
    x = -s if to_left else s
    mast = ((-1.5, -3), (-1.5, -8), (1.5, -8), (1.5, -3))
    top = (-11, -31, 21, 6, 12, 24, -21)
    left, high, wide, bulge, half, down, back = (
        number(value * (s if place in (1, 4, 5) else x)) for place, value in enumerate(top)
    )
    sail = f"M{left} {high}h{wide}q{bulge} {half} 0 {down}h{back}q{bulge} -{half} 0 -{down}z"
    return "".join(polyline([(px * x, py * s) for px, py in part], closed=True) for part in (_HULL, mast)) + sail


SIGN_HEIGHT = -18 / 40
"""Middle of the sign on a ship's sail, in widths of the ship."""

SIGN_RADIUS = 7 / 40
"""Size of that sign, in widths of the ship."""


@_kept
def black_ship(size: float, *, commanded: bool = True) -> str:
    """Draw a path: a ship under a black sail, with a skull if somebody commands it."""
    s = size / 40
    sail = box(-11 * s, -31 * s, 22 * s, 23 * s)
    mark = skull(7 * s, y=-20 * s, hole=True) if commanded else box(-7 * s, -27 * s, 14 * s, 15 * s, hole=True)
    return _scaled(_HULL, s) + box(-1.5 * s, -8 * s, 3 * s, 5 * s) + sail + mark


@_kept
def flagship(nation: str, size: float) -> str:
    """Draw a path: a ship whose sail is the flag of a nation, or of pirates; use it with `FLAG`."""
    s = size / 40
    return _scaled(_HULL, s) + box(-1.5 * s, -8 * s, 3 * s, 5 * s) + flag(nation, 26 * s, 22 * s, y=-20 * s)


def _scaled(points: Sequence[tuple[float, float]], scale: float) -> str:
    return polyline([(x * scale, y * scale) for x, y in points], closed=True)


@_kept
def flag(nation: str, width: float, height: float, *, y: float = 0.0) -> str:
    """Draw a path: the flag of EN, ES, FR, NL, or of pirates; use it with `FLAG`. Flags differ by pattern, not by
    colour."""
    w, h = width / 2, height / 2
    match nation:
        case "EN":
            pattern = box(-w / 5, y - h, 2 * w / 5, height) + box(-w, y - h / 4, width, h / 2)
        case "ES":
            falling = [(-w, y - h), (-w * 0.55, y - h), (w, y + h), (w * 0.55, y + h)]
            rising = [(w * 0.55, y - h), (w, y - h), (-w * 0.55, y + h), (-w, y + h)]
            pattern = polyline(falling, closed=True) + polyline(rising, closed=True)
        case "FR":
            pattern = box(-w, y - h, width / 3, height) + box(w / 3, y - h, width / 3, height)
        case "NL":
            pattern = box(-w, y - h, width, height / 3) + box(-w, y + h / 3, width, height / 3)
        case _:
            pattern = box(-w, y - h, width, height) + skull(h * 0.62, y=y, hole=True)
    return frame(width, height, y=y) + pattern


FLAG = "fill stroke"
"""The classes of a flag."""


@_kept
def pips(filled: int, total: int, step: float, radius: float) -> tuple[str, str]:
    """Draw two paths: the full pips of a row that begins at the origin, and the missing ones after them."""
    dots = [dot(step * place, 0, radius) for place in range(max(filled, total))]
    return "".join(dots[:filled]), "".join(dots[filled:])


# --- Icons, some 20 units high ------------------------------------------------------------------------------------

COIN = dot(0, 0, 9) + dot(0, 0, 6.5, hole=True) + dot(0, 0, 4)
CHEST = "M-10 -1v-3q0 -5 5 -5h10q5 0 5 5v3z" + box(-10, 1, 20, 8) + box(-2, 1, 4, 4, hole=True)
CARD = rectangle(14, 20, round_by=2)
FAME = polyline(
    [(0, -10), (2.5, -3.4), (9.5, -3.1), (4, 1.3), (5.9, 8.1), (0, 4.2), (-5.9, 8.1), (-4, 1.3), (-9.5, -3.1),
     (-2.5, -3.4)], closed=True,
)  # fmt: skip
PARROT = "M-9 9q1 -9 6 -12q-1 -6 4 -6q5 0 5 5l4 3h-4q0 9 -8 9z" + dot(2, -4.5, 1.5, hole=True)
HAMMER = box(-8, -9, 16, 6) + box(-2, -3, 4, 13)
MUG = box(-8, -8, 12, 17) + "M4 -5h5v9h-5v-2.5h2.5v-4h-2.5z"
HULL = _scaled([(-11, -4), (11, -4), (7, 7), (-7, 7)], 1)
SAIL = "M-8 -10h15q5 10 0 20h-15q5 -10 0 -20z"
CANNON = "M-10 -5l19 -2v7l-14 3z" + dot(-3, 5, 5)
CREW = dot(0, -5.5, 4.5) + "M-8 10q0 -10 8 -10q8 0 8 10z"
MAST = box(-1.5, -10, 3, 20) + box(-9, -8, 18, 4) + box(-7, -1, 14, 4)
CRATE = box(-9, -8, 18, 17) + box(-6.5, -5.5, 13, 5, hole=True) + box(-6.5, 1.5, 13, 5, hole=True)
SCROLL = box(-7, -9, 14, 18) + box(-4, -5, 8, 2.5, hole=True) + box(-4, 0, 8, 2.5, hole=True)
ARROW = "M-9 0h18l-6 -6M9 0l-6 6"
CROSS = "M-8 -8l16 16M8 -8l-16 16"
