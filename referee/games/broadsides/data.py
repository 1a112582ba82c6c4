"""What is printed on the components: charts, cards, decks, gun and collision tables.

Spec section 2, with its marks: S the seed's rulebook (chapter), F a public fact, H a house ruling. Enums count from 0
so that they index lists; the order of their members is the specification's canonical order. No rules here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]
"""(x, y): x grows to the east, y to the south."""


# Directions and cards: 2.1.

DIRECTION_NAMES = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
DIRECTIONS: tuple[Point, ...] = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))  # S ch2, R1, R44
"""One point ahead, by facing: clockwise from north, 45 degrees apart."""

DIRECTION_OF = {step: direction for direction, step in enumerate(DIRECTIONS)}

CARDS_PER_ROUND = 3


class Card(IntEnum):
    """An action card (*carte action*). Three copies of each never limit a program of three (R17)."""

    AH = 0  # S ch4: ahead, one point along the facing
    ST = 1  # S ch4: one turn to starboard
    PO = 2  # S ch4: one turn to port
    RE = 3  # S ch4: remain
    DA = 4  # S ch4: damaged mast or hull; does nothing, forced by damage


TURNS = {Card.ST: 1, Card.PO: 7}
"""What a card adds to the facing, modulo 8."""


# The ship: 2.3.


class Section(IntEnum):
    """A letter of the ship, A the bow, H the stern."""

    A = 0
    B = 1
    C = 2
    D = 3
    E = 4
    F = 5
    G = 6
    H = 7


class Side(IntEnum):
    """A side of the ship; the value is the digit of its stations and hull sections (R13)."""

    STARBOARD = 3
    PORT = 5


class Station(IntEnum):
    """A place on deck: section, then 3 starboard, 4 amidships, 5 port. B4, D4, E4 and F4 are H (R12), the others S."""

    A4 = 0
    B3 = 1
    B4 = 2
    B5 = 3
    C3 = 4
    C4 = 5
    C5 = 6
    D3 = 7
    D4 = 8
    D5 = 9
    E3 = 10
    E4 = 11
    E5 = 12
    F3 = 13
    F4 = 14
    F5 = 15
    G3 = 16
    G4 = 17
    G5 = 18
    H3 = 19
    H4 = 20
    H5 = 21


class HullSection(IntEnum):
    """A section of the hull: letter and side. A3 and A5 are hull without a station of that name (R14)."""

    A3 = 0
    A5 = 1
    B3 = 2
    B5 = 3
    C3 = 4
    C5 = 5
    D3 = 6
    D5 = 7
    E3 = 8
    E5 = 9
    F3 = 10
    F5 = 11
    G3 = 12
    G5 = 13
    H3 = 14
    H5 = 15


class Mast(IntEnum):
    """A mast, named after the section it stands in; each stands on the station amidships."""

    A = 0
    C = 1
    G = 2
    H = 3


MAST_HITS = (1, 2, 1, 1)  # S ch4, R45: only the mainmast has an upper and a lower part
MAST_NAMES = ("foremast", "mainmast", "mizzen", "aft mast")
MARKERS_PER_SECTION = 2  # S ch4, R15
SECTIONS_TO_SINK = 3  # S ch4, R18
FIGURES_PER_STATION = 3  # S ch5, R33
EXTRA_CREW = 2  # S ch3

CREW_PER_CANNON = 2  # S ch3

STATION_AT: dict[tuple[Section, int], Station] = {
    (Section[station.name[0]], int(station.name[1])): station for station in Station
}
"""(section, digit) -> station; A3 and A5 are missing because they do not exist."""

HULL_AT: dict[tuple[Section, Side], HullSection] = {
    (Section[hull.name[0]], Side(int(hull.name[1]))): hull for hull in HullSection
}
MAST_IN: dict[Section, Mast] = {Section[mast.name]: mast for mast in Mast}


def _stations(names: str) -> tuple[Station, ...]:
    return tuple(Station[name] for name in names.split())


NEIGHBOURS: tuple[tuple[Station, ...], ...] = (  # S ch5, R12: king moves on one level, ladders between levels
    _stations("B3 B5"),  # A4
    _stations("A4 B4 C3 C4"),  # B3
    _stations("B3 B5 C3 C4 C5"),  # B4
    _stations("A4 B4 C4 C5"),  # B5
    _stations("B3 B4 C4 D3 D4"),  # C3
    _stations("B3 B4 B5 C3 C5 D3 D4 D5"),  # C4
    _stations("B4 B5 C4 D4 D5"),  # C5
    _stations("C3 C4 D4 E3"),  # D3
    _stations("C3 C4 C5 D3 D5"),  # D4
    _stations("C4 C5 D4 E5"),  # D5
    _stations("D3 E4 F3 F4"),  # E3
    _stations("E3 E5 F3 F4 F5"),  # E4
    _stations("D5 E4 F4 F5"),  # E5
    _stations("E3 E4 F4 G3 G4"),  # F3
    _stations("E3 E4 E5 F3 F5 G3 G4 G5"),  # F4
    _stations("E4 E5 F4 G4 G5"),  # F5
    _stations("F3 F4 G4 H3"),  # G3
    _stations("F3 F4 F5 G3 G5"),  # G4
    _stations("F4 F5 G4 H5"),  # G5
    _stations("G3 H4"),  # H3
    _stations("H3 H5"),  # H4
    _stations("G5 H4"),  # H5
)
"""Per station where a figure on it can step to on the same ship (2.4)."""


# Gunnery, by the relative bearing of the enemy, in eighths of a circle clockwise from the bow: 2.5.

BEARING: tuple[tuple[Station, ...], ...] = (  # S ch4, R11
    (),  # dead ahead
    _stations("B3 C3"),  # starboard bow: two forward
    _stations("B3 C3 D3 E3 F3"),  # starboard beam: broadside
    _stations("E3 F3"),  # starboard quarter: two aft
    (),  # dead astern
    _stations("E5 F5"),  # port quarter
    _stations("B5 C5 D5 E5 F5"),  # port beam
    _stations("B5 C5"),  # port bow
)
"""Cannon stations that bear."""

BROADSIDE = {Side.STARBOARD: BEARING[2], Side.PORT: BEARING[6]}
"""All cannon stations of a side."""

CANNONS = tuple(sorted(BROADSIDE[Side.STARBOARD] + BROADSIDE[Side.PORT]))  # S ch3
"""Where the ten cannons stand, in canonical order."""

EXPOSED: tuple[Side | None, ...] = (  # S ch4
    None, Side.STARBOARD, Side.STARBOARD, Side.STARBOARD, None, Side.PORT, Side.PORT, Side.PORT,
)  # fmt: skip
"""The hull side shown to a shooter at that bearing; none when end-on."""


# Collisions, by where the blow came from, relative to the bow of the reference ship: 2.7.


@dataclass(frozen=True, slots=True)
class Blow:
    """How the ships lie alongside after a collision."""

    reference_side: Side
    mover_side: Side
    bows_opposite: bool
    mark: str


BLOWS: tuple[Blow, ...] = (
    Blow(Side.PORT, Side.PORT, True, "H R26"),  # head-on
    Blow(Side.STARBOARD, Side.PORT, False, "S R25"),
    Blow(Side.STARBOARD, Side.PORT, False, "S R25"),
    Blow(Side.STARBOARD, Side.PORT, False, "S R25"),
    Blow(Side.STARBOARD, Side.PORT, False, "H R26"),  # into the stern
    Blow(Side.PORT, Side.STARBOARD, False, "S R25"),
    Blow(Side.PORT, Side.STARBOARD, False, "S R25"),
    Blow(Side.PORT, Side.STARBOARD, False, "S R25"),
)


# The current: 6.8.

DRIFT_ORDER = (0, 1, 7, 2, 6, 3, 5, 4)  # H R41
"""Directions relative to the bow, in the order in which a drifting ship tries them."""


# Charts: 2.2, all H (R2, R3), each symmetric under a half-turn.


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: `.` is a water point, `#` land. Seat 0 starts in the south, seat 1 in the north."""

    id: str
    rows: tuple[str, ...]
    starts: tuple[Point, Point]
    facings: tuple[int, int] = (0, 4)

    @property
    def width(self) -> int:
        """Points from west to east."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Points from north to south."""
        return len(self.rows)

    def is_on_chart(self, point: Point) -> bool:
        """Whether the point lies within the edges."""
        return 0 <= point[0] < self.width and 0 <= point[1] < self.height

    def is_water(self, point: Point) -> bool:
        """Whether a ship can lie there."""
        return self.is_on_chart(point) and self.rows[point[1]][point[0]] == "."

    def land(self) -> tuple[Point, ...]:
        """The points a ship cannot enter, row by row."""
        return tuple((x, y) for y, row in enumerate(self.rows) for x, sign in enumerate(row) if sign == "#")


CHARTS: dict[str, Chart] = {
    chart.id: chart
    for chart in (
        Chart(
            id="cays",
            rows=(
                ".........",
                ".........",
                ".##.#....",
                "..#...#..",
                "......##.",
                ".........",
                ".##......",
                "..#...#..",
                "....#.##.",
                ".........",
                ".........",
            ),
            starts=((1, 10), (7, 0)),
        ),
        Chart(
            id="ring",
            rows=(
                ".........",
                ".........",
                ".##......",
                "..#...#..",
                "......#..",
                "...###...",
                "..#......",
                "..#...#..",
                "......##.",
                ".........",
                ".........",
            ),
            starts=((1, 10), (7, 0)),
        ),
        Chart(id="open", rows=(".........",) * 11, starts=((1, 10), (7, 0))),
        Chart(
            id="archipelago",
            rows=(
                ".............",
                "....#........",
                "..###....#...",
                "...#.....##..",
                ".............",
                ".....##......",
                ".##...#...##.",
                "......##.....",
                ".............",
                "..##.....#...",
                "...#....###..",
                "........#....",
                ".............",
            ),
            starts=((1, 12), (11, 0)),
        ),
    )
}
