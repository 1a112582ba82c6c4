"""A ship's deck from above: hull, cannons, masts, figures. Small below the chart, large when the ships lie alongside.

What is gone is hollow: planks of the hull, cannons, masts. Each section of the hull has two planks a side, one for each
marker it can take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from referee.draw.broadsides.pieces import figure_sign, hat
from referee.draw.broadsides.voyage import Fired
from referee.draw.pieces import dot
from referee.draw.scene import Shape, circle, number, polyline
from referee.games.broadsides.data import (
    CANNONS,
    CREW_PER_CANNON,
    HULL_AT,
    MAST_HITS,
    MAST_IN,
    MAST_NAMES,
    SHIP_NAMES,
    STATION_AT,
)
from referee.games.broadsides.terms import HullSection, Mast, Section, Side, Station
from tortuga.v1.broadsides_pb2 import Broadsides as Pb

SECTION_OF_MAST = {mast: section for section, mast in MAST_IN.items()}
MAST_STATIONS = {Station[f"{mast.name}4"] for mast in Mast}
SMALL = 50.0
"""Up to this length of a section a deck is too small for all its lines."""
STARTING_CREW = dict.fromkeys(CANNONS, CREW_PER_CANNON)


@dataclass(frozen=True, kw_only=True, slots=True)
class Deck:
    """The place and size of a deck on the board, and the way its bow points."""

    seat: int
    x: float
    y: float
    long: float
    """The length of a section."""
    wide: float
    """The width of a row of stations."""
    bow: int
    """1: the bow points to the left and starboard is up. -1: turned by half a circle."""

    @property
    def half(self) -> float:
        """Return the distance from the middle of the deck to its rail."""
        return 1.5 * self.wide + 2

    def at(self, section: Section, across: float) -> tuple[float, float]:
        """Return a place on board: `across` counts rows from amidships towards port."""
        return self.x + self.bow * (section - 3.5) * self.long, self.y + self.bow * across * self.wide

    def station(self, station: Station) -> tuple[float, float]:
        """Return the middle of a station."""
        return self.at(Section[station.name[0]], int(station.name[1]) - 4)

    def hull(self, hull: HullSection) -> tuple[float, float]:
        """Return the middle of a hull section."""
        section, side = Section[hull.name[0]], Side(int(hull.name[1]))
        reach = (0.74 if section is Section.A else 1.0) * self.half + 0.12 * self.wide + 2
        x = self.x + self.bow * (section - (3.58 if section is Section.A else 3.5)) * self.long
        return x, self.y + self.bow * (side - 4) * reach

    def struck(self, fired: Fired) -> tuple[float, float]:
        """Return where a shot struck or fell: a hull section, a station, or the middle of the section aimed at."""
        section, die = Section(fired.shot.section - 1), fired.shot.die
        if fired.hull is not None:
            return self.hull(fired.hull)
        return self.at(section, die - 4 if (section, die) in STATION_AT else 0)


def draw_deck(deck: Deck, ship: Pb.Ship) -> Iterator[Shape]:
    """Draw a ship without its figures."""
    seat = deck.seat
    turn = 0.0 if deck.bow == 1 else 180.0
    parts = [
        ("", _outline(deck.long, deck.half), "land"),
        ("-levels", _levels(deck.long, deck.wide), "faint"),
        ("-stations", _stations(deck.long, deck.wide) if deck.long > SMALL else "", "faint"),
    ]
    for part, path, classes in parts:
        if path:
            yield Shape(id=f"deck{seat}{part}", x=deck.x, y=deck.y, turn=turn, path=path, classes=classes, layer=2)
    for section in Section:
        x, y = deck.at(section, 0)
        beyond = (deck.half + 0.24 * deck.wide + 10) * (1 if deck.seat == 0 and deck.long > SMALL else -1)
        yield Shape(
            id=f"deck{seat}-{section.name}",
            x=x,
            y=y + beyond + (14 if beyond > 0 else 0),
            text=section.name,
            classes="middle muted",
            layer=2,
        )
    yield from _hull(deck, ship)
    yield from _cannons(deck, ship)
    yield from _masts(deck, ship)


def _hull(deck: Deck, ship: Pb.Ship) -> Iterator[Shape]:
    for (section, side), hull in HULL_AT.items():
        markers = ship.hull_markers[hull]
        x, y = deck.hull(hull)
        lean = 0.0
        if section is Section.A:
            lean = -33.0 if side is Side.STARBOARD else 33.0
        turn = lean + (0 if deck.bow == 1 else 180)
        for plank, is_gone in (("fore", markers >= 1), ("aft", markers >= 2)):
            yield Shape(
                id=f"hull{deck.seat}-{hull.name}-{plank}",
                x=x,
                y=y,
                turn=turn,
                path=_plank(deck.long, 0.24 * deck.wide, -1 if plank == "fore" else 1),
                classes=f"{'lost' if is_gone else 'fill'} seat{deck.seat}",
                layer=3,
                title=f"Hull {hull.name}: {markers} of 2 markers" if markers else "",
            )


def _cannons(deck: Deck, ship: Pb.Ship) -> Iterator[Shape]:
    left = set(ship.cannons)
    for station in CANNONS:
        side = int(station.name[1]) - 4
        x, y = deck.at(Section[station.name[0]], side * 1.45)
        is_left = station + 1 in left
        yield Shape(
            id=f"cannon{deck.seat}-{station.name}",
            x=x,
            y=y,
            turn=0.0 if side * deck.bow > 0 else 180.0,
            path=_cannon(0.3 * deck.wide),
            classes="ink edge" if is_left else "lost",
            layer=4,
            title=f"Cannon {station.name}" + ("" if is_left else ", lost"),
        )


def _masts(deck: Deck, ship: Pb.Ship) -> Iterator[Shape]:
    for mast in Mast:
        x, y = deck.at(SECTION_OF_MAST[mast], 0)
        x -= deck.bow * 0.3 * deck.long
        hits, radius = ship.mast_hits_left[mast], 0.24 * deck.wide
        title = f"The {MAST_NAMES[mast]}" + (
            " is gone" if not hits else " lost its top" if hits < MAST_HITS[mast] else ""
        )
        yield Shape(
            id=f"mast{deck.seat}-{mast.name}",
            x=x,
            y=y,
            path=circle(radius),
            classes="ink" if hits else "lost",
            layer=4,
            title=title,
        )
        if MAST_HITS[mast] > 1:
            classes = "stroke" if hits == MAST_HITS[mast] else "lost"
            yield Shape(
                id=f"mast{deck.seat}-{mast.name}-top", x=x, y=y, path=circle(radius + 4), classes=classes, layer=4
            )


@cache
def _outline(long: float, half: float) -> str:
    """Draw the rail, with the bow on the left."""
    bow, shoulder, stern, end = (number(share * long) for share in (-4.4, -2.9, 3.4, 4.1))
    middle, near = number(-4.1 * long), number(-3.6 * long)
    h, bent, narrow = number(half), number(0.55 * half), number(0.78 * half)
    return (
        f"M{bow} 0C{middle} -{bent} {near} -{h} {shoulder} -{h}H{stern}Q{end} -{h} {end} -{narrow}"
        f"V{narrow}Q{end} {h} {stern} {h}H{shoulder}C{near} {h} {middle} {bent} {bow} 0z"
    )


@cache
def _levels(long: float, wide: float) -> str:
    """Draw steps between the levels of the deck, and the ladders over them (spec 2.4)."""
    path = ""
    for place in (-3.0, 0.0, 3.0):
        for start, end in ((-1.5, -1.25), (-0.75, 0.75), (1.25, 1.5)):
            path += f"M{number(place * long)} {number(start * wide)}V{number(end * wide)}"
        for side in (-1, 1):
            for rung in (-0.18, -0.06, 0.06, 0.18):
                path += f"M{number(place * long - 0.1 * wide)} {number((side + rung) * wide)}h{number(0.2 * wide)}"
    return path


@cache
def _stations(long: float, wide: float) -> str:
    """Draw a ring on every station."""
    path = ""
    for station in Station:
        x, y = (Section[station.name[0]] - 3.5) * long, (int(station.name[1]) - 4) * wide
        path += dot(x, y, 4)
    return path


@cache
def _plank(long: float, thick: float, side: int) -> str:
    length = long / 2 - 2.5
    return polyline(
        [
            (side * 1.2, -thick / 2),
            (side * (1.2 + length), -thick / 2),
            (side * (1.2 + length), thick / 2),
            (side * 1.2, thick / 2),
        ],
        closed=True,
    )


@cache
def _cannon(size: float) -> str:
    """Draw a barrel that points down."""
    return polyline(
        [(-0.55 * size, -size), (0.55 * size, -size), (0.38 * size, 1.3 * size), (-0.38 * size, 1.3 * size)],
        closed=True,
    )


Stations = Mapping[Station, int]


def draw_figures(decks: tuple[Deck, Deck], crews: tuple[Pb.Crew | None, Pb.Crew | None]) -> Iterator[Shape]:
    """Draw every figure on both decks. Without a crew only what each ship starts with is known."""
    crowds: dict[tuple[int, Station], dict[int, list[str]]] = {}
    for seat, crew in enumerate(crews):
        for (ship, station), count in _crew_on(crew, seat).items():
            crowds.setdefault((ship, station), {}).setdefault(seat, []).extend(["crew"] * count)
        if crew is not None and crew.HasField("captain"):
            place = crew.captain
            crowds.setdefault((place.ship, Station(place.station - 1)), {}).setdefault(seat, []).append("captain")
    for (ship, station), crowd in crowds.items():
        deck = decks[ship]
        x, y = deck.station(station)
        for seat, figures in crowd.items():
            row = 0.0 if len(crowd) == 1 else 0.27 * deck.wide * (1 if seat == 0 else -1)
            yield from _row(deck, station, seat, figures, (x, y + row), is_split=len(crowd) > 1)


def _crew_on(crew: Pb.Crew | None, seat: int) -> dict[tuple[int, Station], int]:
    if crew is None:
        return {(seat, station): count for station, count in STARTING_CREW.items()}
    return {(stack.place.ship, Station(stack.place.station - 1)): stack.crew for stack in crew.stacks}


def _row(
    deck: Deck, station: Station, seat: int, figures: list[str], middle: tuple[float, float], *, is_split: bool
) -> Iterator[Shape]:
    radius = deck.wide * (0.17 if is_split else 0.2)
    pitch = min(0.32 * deck.long, 2.3 * radius)
    side = (int(station.name[1]) - 4) * deck.bow
    inward = -0.14 * deck.wide * side * (not is_split)
    aft = 0.16 * deck.long * deck.bow * (station in MAST_STATIONS)
    for place, figure in enumerate(figures):
        x = middle[0] + aft + (place - (len(figures) - 1) / 2) * pitch
        y = middle[1] + inward
        is_captain = figure == "captain"
        key = f"captain{seat}" if is_captain else f"crew{seat}-{deck.seat}{station.name}-{place}"
        where = f"{station.name} of {SHIP_NAMES[deck.seat]}"
        yield Shape(
            id=key,
            x=x,
            y=y,
            path=figure_sign(seat, 1.1 * radius if is_captain else radius),
            classes=f"fill edge seat{seat}",
            layer=6 if is_captain else 5,
            title=f"{'Captain' if is_captain else 'Crew'} on {where}",
        )
        if is_captain:
            yield Shape(id=f"{key}-hat", x=x, y=y, path=hat(1.05 * radius), classes="ink edge", layer=6)
