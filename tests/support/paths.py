"""Where a shape of a scene lies: points that its outline stays within."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from referee.draw.scene import Shape

_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
_PIECE = re.compile(r"([MmLlHhVvCcSsQqTtAaZz])([^MmLlHhVvCcSsQqTtAaZz]*)")
_ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_SIZES = {"size24": 24, "size28": 28, "size36": 36}


def corners(shape: Shape) -> Iterator[tuple[float, float]]:
    """Points of the board between which the shape lies. Control points of curves stand for the curve."""
    turn = math.radians(shape.turn)
    for x, y in _outline(shape):
        yield (
            shape.x + x * math.cos(turn) - y * math.sin(turn),
            shape.y + x * math.sin(turn) + y * math.cos(turn),
        )


def text_size(shape: Shape) -> int:
    """The font size of a text."""
    return max((_SIZES[name] for name in shape.classes.split() if name in _SIZES), default=20)


def text_width(shape: Shape) -> float:
    """About how wide a text is: real fonts are on average a little narrower."""
    return 0.52 * text_size(shape) * len(shape.text)


def _outline(shape: Shape) -> Iterator[tuple[float, float]]:
    if shape.path:
        yield from path_points(shape.path)
        return
    width, classes = text_width(shape), shape.classes.split()
    left = -width / 2 if "middle" in classes else -width if "end" in classes else 0.0
    yield from ((left, -0.75 * text_size(shape)), (left + width, 0.2 * text_size(shape)))


def path_points(path: str) -> Iterator[tuple[float, float]]:
    """Every point and control point of an SVG path. An arc is given by its ends."""
    x = y = start_x = start_y = 0.0
    assert path[0] in "Mm", path
    for command, rest in _PIECE.findall(path):
        values = _arc_numbers(rest) if command in "Aa" else [float(found) for found in _NUMBER.findall(rest)]
        count = _ARGUMENTS[command.upper()]
        assert (len(values) % count == 0 and values) if count else not values, f"{command}{rest} in {path}"
        if command in "Zz":
            x, y = start_x, start_y
            continue
        for place in range(0, len(values), count):
            given = values[place : place + count]
            base = (x, y) if command.islower() else (0.0, 0.0)
            match command.upper():
                case "H":
                    x = base[0] + given[0]
                case "V":
                    y = base[1] + given[0]
                case "A":
                    x, y = base[0] + given[5], base[1] + given[6]
                case _:
                    points = [(base[0] + given[k], base[1] + given[k + 1]) for k in range(0, count, 2)]
                    yield from points[:-1]
                    x, y = points[-1]
            if command in "Mm" and place == 0:
                start_x, start_y = x, y
            yield x, y


def _arc_numbers(text: str) -> list[float]:
    """The numbers of an arc, whose two flags may stand without a space around them."""
    found: list[float] = []
    while text.strip(" ,"):
        text = text.lstrip(" ,")
        pattern = re.compile("[01]") if len(found) % 7 in (3, 4) else _NUMBER
        match = pattern.match(text)
        assert match is not None, text
        found.append(float(match[0]))
        text = text[match.end() :]
    return found
