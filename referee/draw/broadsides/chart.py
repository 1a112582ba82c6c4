"""The chart: sea, islands, both ships with their wakes and the arcs of their guns, and the shots between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from referee.draw.broadsides.islands import COAST, SHALLOWS, coasts
from referee.draw.broadsides.pieces import draw_mark
from referee.draw.broadsides.voyage import drift_of, last_shots, point_of, track_of
from referee.draw.pieces import dot
from referee.draw.scene import Shape, fit, number, polyline, rectangle, seat_sign, text_width
from referee.games.broadsides.data import BEARING, MAST_HITS
from referee.games.broadsides.terms import Mast, Point
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

SEA_LEFT, SEA_TOP, SEA_WIDTH, SEA_HEIGHT = 66.0, 76.0, 588.0, 606.0
EDGE = 44.0
"""Between the rim of the sea and the outermost lines: the room of the numbers."""
TAG_HEIGHT, TAG_TEXT = 30.0, 116.0

OCTANTS = ((0.383, -0.924), (0.924, -0.383), (0.924, 0.383), (0.383, 0.924), (-0.383, 0.924), (-0.924, 0.383),
           (-0.924, -0.383), (-0.383, -0.924))  # fmt: skip
"""The borders between the eight directions: the n-th lies clockwise of direction n."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """The places of a chart's points on the board."""

    left: float
    top: float
    cell: float
    width: int
    height: int

    def at(self, point: Point) -> tuple[float, float]:
        """Return the place of a point of the chart on the board."""
        return self.left + self.cell * point[0], self.top + self.cell * point[1]


def grid_of(chart: Pb.Chart) -> Grid:
    """Return the grid of a chart as large as it fits, in the middle of the sea."""
    cell = float(
        int(min((SEA_WIDTH - 2 * EDGE - 16) / (chart.width - 1), (SEA_HEIGHT - 2 * EDGE) / (chart.height - 1)))
    )
    return Grid(
        left=SEA_LEFT + (SEA_WIDTH - cell * (chart.width - 1)) / 2 + 4,
        top=SEA_TOP + (SEA_HEIGHT - cell * (chart.height - 1)) / 2 + 4,
        cell=cell,
        width=chart.width,
        height=chart.height,
    )


def draw_chart(position: Pb.Position, names: tuple[str, str]) -> Iterator[Shape]:
    """Draw everything on the sea."""
    observation = position.observation
    grid = grid_of(observation.chart)
    yield from _water(observation.chart, grid)
    for seat in (0, 1):
        yield from _wake(position, seat, grid)
        yield from _ship(observation.ships[seat], seat, grid)
    yield from _shots(position, grid)
    yield from _tags(observation, names, grid)


def _water(chart: Pb.Chart, grid: Grid) -> Iterator[Shape]:
    middle = (SEA_LEFT + SEA_WIDTH / 2, SEA_TOP + SEA_HEIGHT / 2)
    sea = rectangle(SEA_WIDTH, SEA_HEIGHT, round_by=12)
    yield Shape(id="sea", x=middle[0], y=middle[1], path=sea, classes="sea", layer=0)
    yield Shape(
        id="grid", x=grid.left, y=grid.top, path=_lines(grid.width, grid.height, grid.cell), classes="grid", layer=0
    )
    for column in range(grid.width):
        x = grid.left + grid.cell * column
        yield Shape(id=f"x{column}", x=x, y=grid.top - 16, text=str(column), classes="middle muted", layer=0)
    for row in range(grid.height):
        y = grid.top + grid.cell * row + 7
        yield Shape(id=f"y{row}", x=grid.left - 18, y=y, text=str(row), classes="end muted", layer=0)
    if chart.land:
        land = tuple(point_of(point) for point in chart.land)
        shallows = "".join(coasts(land, SHALLOWS, grid.cell))
        yield Shape(id="shallows", x=grid.left, y=grid.top, path=shallows, classes="line", layer=1)
        for number_, coast in enumerate(coasts(land, COAST, grid.cell)):
            yield Shape(id=f"island{number_}", x=grid.left, y=grid.top, path=coast, classes="land", layer=1)


@cache
def _lines(width: int, height: int, cell: float) -> str:
    right, bottom = number(cell * (width - 1)), number(cell * (height - 1))
    upright = "".join(f"M{number(cell * column)} 0v{bottom}" for column in range(width))
    return upright + "".join(f"M0 {number(cell * row)}h{right}" for row in range(height))


def _ship(ship: Pb.Ship, seat: int, grid: Grid) -> Iterator[Shape]:
    x, y = grid.at(point_of(ship.point))
    turn, size = (ship.facing - 1) * 45.0, grid.cell / 54
    cannons = frozenset(station - 1 for station in ship.cannons)
    for side, bearings in (("starboard", (1, 2, 3)), ("port", (5, 6, 7))):
        path = _arc(tuple(sum(station in cannons for station in BEARING[rb]) for rb in bearings), bearings, grid.cell)
        if path:
            yield Shape(id=f"arc{seat}-{side}", x=x, y=y, turn=turn, path=path, classes=f"soft seat{seat}", layer=2)
    yield Shape(id=f"ship{seat}", x=x, y=y, turn=turn, path=_hull(size), classes=f"fill edge seat{seat}", layer=5)
    masts = ship.mast_hits_left
    for name, is_up in (("sails", True), ("stumps", False)):
        path = "".join(_sail(mast, size, hits) for mast, hits in zip(Mast, masts, strict=True) if bool(hits) is is_up)
        if path:
            yield Shape(
                id=f"ship{seat}-{name}",
                x=x,
                y=y,
                turn=turn,
                path=path,
                classes="on-seat" if is_up else "on-seat lost",
                layer=5,
            )


@cache
def _hull(size: float) -> str:
    """Draw a ship seen from above that heads north."""
    bow, beam, stern, transom, cheek, shoulder = (number(share * size) for share in (26, 11, 24, 8, 19, 9))
    return (
        f"M0 -{bow}C{transom} -{cheek} {beam} -{shoulder} {beam} 0"
        f"L{transom} {stern}H-{transom}L-{beam} 0C-{beam} -{shoulder} -{transom} -{cheek} 0 -{bow}z"
    )


@cache
def _sail(mast: Mast, size: float, hits: int) -> str:
    """Draw a square sail seen from above; without it, the stump of its mast."""
    y = {Mast.A: -13, Mast.C: -1, Mast.G: 10, Mast.H: 19}[mast] * size
    if not hits:
        return dot(0, y, 3.2 * size)
    half = {Mast.A: 6.5, Mast.C: 9.0 if hits == MAST_HITS[mast] else 5.5, Mast.G: 7.5, Mast.H: 5.0}[mast] * size
    bulge, back = number(-5.5 * size), number(-1.5 * size)
    w = number(half)
    across = number(2 * half)
    return f"M-{w} {number(y + 2 * size)}q{w} {bulge} {across} 0l0 {number(1.2 * size)}q-{w} {back} -{across} 0z"


@cache
def _arc(guns: tuple[int, ...], bearings: tuple[int, ...], cell: float) -> str:
    """Draw the directions in which cannons of one side bear: the more of them, the longer the reach is drawn."""
    path = ""
    for count, bearing in zip(guns, bearings, strict=True):
        if count:
            radius = cell * (0.55 + 0.09 * count)
            start, end = (
                f"{number(x * radius)} {number(y * radius)}" for x, y in (OCTANTS[bearing - 1], OCTANTS[bearing])
            )
            path += f"M0 0L{start}A{number(radius)} {number(radius)} 0 0 1 {end}z"
    return path


def _wake(position: Pb.Position, seat: int, grid: Grid) -> Iterator[Shape]:
    points = [*track_of(position, seat), *drift_of(position, seat)]
    way = [point for place, point in enumerate(points) if place == 0 or point != points[place - 1]]
    if len(way) > 1:
        x, y = grid.at(way[0])
        path = polyline([(grid.cell * (px - way[0][0]), grid.cell * (py - way[0][1])) for px, py in way])
        yield Shape(id=f"wake{seat}", x=x, y=y, path=path, classes=f"wake seat{seat}", layer=3)


def _shots(position: Pb.Position, grid: Grid) -> Iterator[Shape]:
    tracks = [track_of(position, seat) or (point_of(position.observation.ships[seat].point),) for seat in (0, 1)]
    shots = last_shots(position)
    for place, fired in enumerate(shots):
        seat = fired.shot.seat
        start, end = (grid.at(tracks[side][min(fired.step, len(tracks[side]) - 1)]) for side in (seat, 1 - seat))
        dx, dy = end[0] - start[0], end[1] - start[1]
        aside = (place - (len(shots) - 1) / 2) * 0.16
        x, y = start[0] + 0.22 * dx - aside * dy, start[1] + 0.22 * dy + aside * dx
        dx, dy = 0.48 * dx, 0.48 * dy
        flight = polyline([(0, 0), (dx, dy)])
        yield Shape(id=f"shot{place}", x=x, y=y, path=flight, classes=f"stroke thick seat{seat}", layer=6)
        yield draw_mark(f"shot{place}-end", fired, x + dx, y + dy)


def _tags(observation: Pb.Observation, names: tuple[str, str], grid: Grid) -> Iterator[Shape]:
    """Draw a name beside each ship, where it covers neither a ship nor the other name."""
    texts = [fit(name, TAG_TEXT) or "?" for name in names]
    sizes = [text_width(text) + 44 for text in texts]
    places = [grid.at(point_of(ship.point)) for ship in observation.ships]
    reach = 0.46 * grid.cell
    ships = [(x - reach, y - reach, x + reach, y + reach) for x, y in places]
    choices = [
        [
            _inside(place, way, size, reach)
            for way in ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
        ]
        for place, size in zip(places, sizes, strict=True)
    ]
    _, _, chosen = min(
        (sum(_overlap(box, ship) for box in pair for ship in ships) + 2 * _overlap(*pair), order, pair)
        for order, pair in enumerate(product(*choices))
    )
    for seat, (left, top, right, bottom) in enumerate(chosen):
        x, y = (left + right) / 2, (top + bottom) / 2
        tag = rectangle(right - left, bottom - top, round_by=TAG_HEIGHT / 2)
        yield Shape(id=f"tag{seat}", x=x, y=y, path=tag, classes=f"outline seat{seat}", layer=7)
        sign = seat_sign(seat, 8)
        yield Shape(id=f"tag{seat}-sign", x=left + 18, y=y, path=sign, classes=f"fill seat{seat}", layer=7)
        yield Shape(id=f"tag{seat}-name", x=left + 32, y=y + 7, text=texts[seat], classes="", layer=7)


def _inside(place: tuple[float, float], way: tuple[int, int], width: float, reach: float) -> Box:
    """Return a box beside a place, moved so far that it lies on the sea."""
    x = place[0] + way[0] * (reach + 6 + width / 2)
    y = place[1] + way[1] * (reach + 6 + TAG_HEIGHT / 2)
    x = min(max(x, SEA_LEFT + width / 2 + 4), SEA_LEFT + SEA_WIDTH - width / 2 - 4)
    y = min(max(y, SEA_TOP + TAG_HEIGHT / 2 + 4), SEA_TOP + SEA_HEIGHT - TAG_HEIGHT / 2 - 4)
    return x - width / 2, y - TAG_HEIGHT / 2, x + width / 2, y + TAG_HEIGHT / 2


def _overlap(box: Box, other: Box) -> float:
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0
