"""Land as islands with a natural coast: the contour of a field that every land point raises around itself.

Neighbours to the north, south, east and west grow together; a strait is left between diagonal neighbours, because
ships sail through there (R5). Only additions, products and quotients: the coast is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from referee.draw.scene import number

Point = tuple[float, float]

MESH = 6
"""Lines of the mesh between two points of the chart."""
COAST = 1.0
SHALLOWS = 0.45
"""Heights of the field at which the coast and the line of the shallows run."""


@lru_cache(16)
def coasts(land: tuple[tuple[int, int], ...], level: float, cell: float) -> tuple[str, ...]:
    """Draw closed paths around the islands, in units of the board; the chart's point (0, 0) is their origin."""
    hills = list(_hills(land))
    xs, ys = [x for x, _ in land], [y for _, y in land]
    left, top = min(xs) - 1, min(ys) - 1
    columns, rows = (max(xs) + 1 - left) * MESH + 1, (max(ys) + 1 - top) * MESH + 1
    field = [
        [_height(hills, left + column / MESH, top + row / MESH) - level for column in range(columns)]
        for row in range(rows)
    ]
    return tuple(
        _smooth([(cell * (left + x / MESH), cell * (top + y / MESH)) for x, y in ring]) for ring in _rings(field)
    )


def _hills(land: tuple[tuple[int, int], ...]) -> Iterator[tuple[float, float, float]]:
    """Yield hills as (x, y, radius): one for each land point, one in each isthmus, and small ones that make capes."""
    points = set(land)
    for x, y in land:
        yield x, y, 0.33
        spin = (7 * x + 13 * y) % 8
        for turn, radius in ((spin, 0.17), ((spin + 3) % 8, 0.14)):
            dx, dy = ((0, -1), (0.7, -0.7), (1, 0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7))[turn]
            yield x + 0.24 * dx, y + 0.24 * dy, radius
        for other in ((x + 1, y), (x, y + 1)):
            if other in points:
                yield (x + other[0]) / 2, (y + other[1]) / 2, 0.24


def _height(hills: list[tuple[float, float, float]], x: float, y: float) -> float:
    total = 0.0
    for hill_x, hill_y, radius in hills:
        distance = ((x - hill_x) * (x - hill_x) + (y - hill_y) * (y - hill_y)) / (radius * radius)
        if distance < 16:
            total += 2 / (distance * distance + distance + 0.02)
    return total


def _rings(field: list[list[float]]) -> list[list[Point]]:
    """Return the lines where the field is 0 (marching squares), each as a ring of points of the mesh."""
    links: dict[Point, list[Point]] = {}
    for row in range(len(field) - 1):
        for column in range(len(field[0]) - 1):
            for start, end in _crossings(field, column, row):
                links.setdefault(start, []).append(end)
                links.setdefault(end, []).append(start)
    rings = []
    while links:
        start, ring = min(links), []
        here: Point | None = start
        while here is not None:
            ring.append(here)
            ahead = links.pop(here)
            here = next((point for point in ahead if point in links), None)
        rings.append(ring)
    return rings


def _crossings(field: list[list[float]], column: int, row: int) -> list[tuple[Point, Point]]:
    """Return the pieces of the line inside one square of the mesh."""
    corners = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
    heights = [field[y][x] for x, y in corners]
    cuts = []
    for first, second in ((0, 1), (1, 2), (3, 2), (0, 3)):  # each side from its lower end, so that neighbours agree
        if (heights[first] > 0) != (heights[second] > 0):
            share = heights[first] / (heights[first] - heights[second])
            (x, y), (other_x, other_y) = corners[first], corners[second]
            cuts.append((x + share * (other_x - x), y + share * (other_y - y)))
    return [(cuts[0], cuts[1])] if len(cuts) == 2 else [(cuts[0], cuts[1]), (cuts[2], cuts[3])] if cuts else []


def _smooth(ring: list[Point]) -> str:
    """Draw a path through the middles of every other side, bent towards the points between them."""
    ring = ring[::2]
    middles = [
        ((x + other_x) / 2, (y + other_y) / 2)
        for (x, y), (other_x, other_y) in zip(ring, [*ring[1:], ring[0]], strict=True)
    ]
    start_x, start_y = middles[-1]
    curves = "".join(
        f"Q{number(x)} {number(y)} {number(to_x)} {number(to_y)}"
        for (x, y), (to_x, to_y) in zip(ring, middles, strict=True)
    )
    return f"M{number(start_x)} {number(start_y)}{curves}z"
