"""What is printed on the components: charts, cards, decks, gun and collision tables.

Spec section 2, with its marks: S the seed's rulebook (chapter), F a public fact, H a house ruling. No rules here.
"""

from __future__ import annotations

from referee.games.broadsides.terms import Card, Direction, HullSection, Mast, Point, Section, Side, Station
from referee.rules.parts import immutable

SHIP_NAMES = ("Seahawk", "Royal Isabella")  # by seat

# Directions and cards: 2.1.

AHEAD: tuple[Point, ...] = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))  # S ch2, R1, R44
"""One point ahead, by direction."""

DIRECTION_OF = {step: Direction(direction) for direction, step in enumerate(AHEAD)}

CARDS_PER_ROUND = 3


TURNS = {Card.ST: 1, Card.PO: 7}
"""What a card adds to the facing, modulo 8."""


# The ship: 2.3.


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


@immutable(frozen=True, slots=True)
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


@immutable(frozen=True, slots=True)
class Chart:
    """A chart: `.` is a water point, `#` land. Seat 0 starts in the south, seat 1 in the north."""

    id: str
    rows: tuple[str, ...]
    starts: tuple[Point, Point]
    facings: tuple[Direction, Direction] = (Direction.N, Direction.S)

    @property
    def width(self) -> int:
        """Points from west to east."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Points from north to south."""
        return len(self.rows)

    def is_on_chart(self, point: Point) -> bool:
        """Check whether the point lies within the edges."""
        return 0 <= point[0] < self.width and 0 <= point[1] < self.height

    def is_water(self, point: Point) -> bool:
        """Check whether a ship can lie there."""
        return self.is_on_chart(point) and self.rows[point[1]][point[0]] == "."

    def land(self) -> tuple[Point, ...]:
        """Return the points a ship cannot enter, row by row."""
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
