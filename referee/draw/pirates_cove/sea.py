"""The upper half of the board: month and supply, islands with their treasure, every ship at its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee.draw import pieces
from referee.draw.pirates_cove.words import captain_of, short_legend
from referee.draw.scene import BOARD_WIDTH, Shape, circle, rectangle, seat_sign, text_width
from referee.games.pirates_cove.data import LEGENDS, MONTHS, PLACE_NAMES, TREASURES
from referee.games.pirates_cove.terms import AT_SEA, COVE, ISLANDS, OUTER_ISLANDS, Captain
from referee.text import plural

SEA_TOP, SEA_BOTTOM = 44, 572
PLACES = {
    0: (470, 322),
    1: (122, 100),
    2: (360, 100),
    3: (598, 100),
    4: (598, 432),
    5: (360, 432),
    6: (122, 432),
    7: (112, 266),
}
"""The middle of each place: the black ships go round clockwise, from 1 to 6 and back to 1. At sea is in the middle."""

MIDDLE = (470, 314, 484, 148)
"""Open sea between the islands, for words or a fight: its centre, width and height."""

ICONS = {
    1: pieces.MUG,
    2: pieces.HULL,
    3: pieces.SAIL,
    4: pieces.CANNON,
    5: pieces.CREW,
    6: pieces.CHEST,
}
_COVE_SHOAL = (
    "M-107 2C-107 -28 -74 -40 -20 -35S64 -41 90 -30S113 20 74 33Q56 16 38 18T-6 34Q-42 40 -62 35S-107 26 -107 2"
)
SHIP = 40
SHIP_STEP = 43
NAVY = -1
"""The Royal Navy in a row of seats."""
_LAND = "M-104 4C-104 -30 -74 -42 -20 -37S58 -43 90 -30S110 24 80 35S-10 40 -52 37S-104 32 -104 4z"
_SHOAL = "M-111 4C-111 -35 -78 -48 -20 -43S60 -49 94 -35S117 29 84 41S-10 46 -55 43S-111 38 -111 4z"
_COVE = "M-100 2C-100 -22 -70 -33 -20 -28S60 -34 84 -24S106 16 70 26Q54 8 34 10T-6 27Q-40 32 -60 28S-100 20 -100 2z"


def draw_header(seen: Any) -> Iterator[Shape]:
    """Draw the twelve months, and what is left in the supply."""
    yield Shape(id="month", x=10, y=29, text="Month", classes="bold")
    for month in range(1, MONTHS + 1):
        x, now = 102 + 24 * (month - 1), month == seen.month
        if now:
            yield Shape(id="now", x=x, y=22, path=circle(14), classes="accent", layer=2)
            yield Shape(id="now-number", x=x, y=29, text=str(month), classes="middle on-seat bold", layer=4)
        else:
            looks = "muted" if month < seen.month else "panel"
            yield Shape(id=f"month{month}", x=x, y=22, path=circle(7), classes=looks)
    supply = (("gold", pieces.COIN, seen.gold_supply, 430), ("chests", pieces.CHEST, seen.chest_supply, 528))
    for word, icon, count, x in supply:
        yield Shape(id=f"supply-{word}", x=x, y=22, path=icon, classes="muted", title=f"{word} in the supply")
        yield Shape(id=f"supply-{word}-count", x=x + 16, y=29, text=str(count))
    yield Shape(id="tavern", x=622, y=22, path=pieces.CARD, classes="back", title="cards in the Tavern draw pile")
    yield Shape(id="tavern-count", x=636, y=29, text=str(seen.tavern_count))


def draw_sea(seen: Any, names: list[str]) -> Iterator[Shape]:
    """Islands, treasure, ships."""
    high = SEA_BOTTOM - SEA_TOP
    yield Shape(
        id="sea",
        x=BOARD_WIDTH / 2,
        y=(SEA_TOP + SEA_BOTTOM) / 2,
        path=rectangle(BOARD_WIDTH - 8, high, round_by=12),
        classes="sea",
        layer=0,
    )
    for place in ISLANDS:
        yield from _island(place)
    x, y = PLACES[COVE]
    yield Shape(id="shoal7", x=x, y=y, path=_COVE_SHOAL, classes="route", layer=1)
    yield Shape(id="land7", x=x, y=y, path=_COVE, classes="land", layer=1)
    yield Shape(id="name7", x=x, y=y + 2, text=PLACE_NAMES[COVE], classes="middle bold", layer=2)
    for place, treasure in enumerate(seen.face_up, start=1):
        yield from _treasure(place, treasure)
    if seen.HasField("treasure_map"):
        yield from _map_mark(seen.treasure_map, names)
    yield from _place_in_use(seen)
    yield from _ships(seen, names)
    yield from _black_ships(seen)


def _island(place: int) -> Iterator[Shape]:
    x, y = PLACES[place]
    yield Shape(id=f"land{place}", x=x, y=y, path=_LAND, classes="land", layer=1)
    yield Shape(id=f"shoal{place}", x=x, y=y, path=_SHOAL, classes="route", layer=1)
    outer = place in OUTER_ISLANDS
    icon = (x - text_width(PLACE_NAMES[place]) / 2 - 5, y - 13) if outer else (x - 88, y + 16)
    yield Shape(id=f"icon{place}", x=icon[0], y=icon[1], path=ICONS[place], classes="muted", layer=2)
    name = PLACE_NAMES[place]
    yield Shape(id=f"name{place}", x=x + 12 * outer, y=y - 6, text=name, classes="middle bold", layer=2)
    if not outer:
        yield Shape(id="bury", x=x + 12, y=y + 23, text="to bury treasure", classes="middle muted", layer=2)


def _treasure(place: int, treasure: int) -> Iterator[Shape]:
    """Draw the face-up card of an island: fame, gold, chests, Tavern cards."""
    loot = TREASURES[treasure - 1]
    kinds = (
        ("fame", pieces.FAME, loot.fame),
        ("gold", pieces.COIN, loot.gold),
        ("chests", pieces.CHEST, loot.chests),
        ("cards", pieces.CARD, loot.cards),
    )
    contents = [kind for kind in kinds if kind[2]]
    x, y = PLACES[place]
    for slot, (word, icon, count) in enumerate(contents):
        left = x + 50 * (slot - (len(contents) - 1) / 2) - 10
        looks = "back" if word == "cards" else "ink"
        yield Shape(id=f"loot{place}-{word}", x=left, y=y + 16, path=icon, classes=looks, layer=2, title=word)
        yield Shape(id=f"loot{place}-{word}-count", x=left + 14, y=y + 23, text=str(count), layer=2)


def _map_mark(treasure_map: Any, names: list[str]) -> Iterator[Shape]:
    x, y = PLACES[treasure_map.island]
    title = f"{names[treasure_map.seat]} has a Treasure Map of {PLACE_NAMES[treasure_map.island]}: twice the chests"
    yield Shape(
        id="map",
        x=x + 92,
        y=y - 34,
        path=pieces.CROSS,
        classes=f"seat{treasure_map.seat} stroke thick",
        layer=4,
        title=title,
    )


def _place_in_use(seen: Any) -> Iterator[Shape]:
    place = seen.combat.place if seen.HasField("combat") else seen.visit.place if seen.HasField("visit") else AT_SEA
    if place == AT_SEA:
        return
    x, y = PLACES[place]
    path = _COVE if place == COVE else _LAND
    yield Shape(id="in-use", x=x, y=y, path=path, classes="accent stroke thick", layer=2)


def _ships(seen: Any, names: list[str]) -> Iterator[Shape]:
    """Draw the ships of the seats and of the Royal Navy below the land of their place, side by side."""
    places: dict[int, list[int]] = {}
    for seat, ship in enumerate(seen.ships):
        places.setdefault(ship.place, []).append(seat)
    if seen.HasField("navy"):
        places.setdefault(seen.navy.place, []).append(NAVY)
    for place, ships_here in places.items():
        centre, y = PLACES[place]
        y += 66 if place == COVE else 38 if place == AT_SEA else 82
        step = min(SHIP_STEP, 222 / len(ships_here))
        for slot, seat in enumerate(ships_here):
            x = centre + step * (slot - (len(ships_here) - 1) / 2)
            if seat == NAVY:
                yield from _navy(seen.navy.controller, x, y, names)
            else:
                where = PLACE_NAMES[place] if place == AT_SEA else f"at {PLACE_NAMES[place]}"
                yield from draw_ship(f"ship{seat}", seat, x, y, SHIP, title=f"{names[seat]}, {where}")


def _navy(controller: int, x: float, y: float, names: list[str]) -> Iterator[Shape]:
    """Draw the Royal Navy with the sign of the seat that commands it."""
    title = f"the Royal Navy, under the orders of {names[controller]}"
    yield Shape(id="navy", x=x, y=y, path=pieces.flagship("EN", SHIP - 4), classes=pieces.FLAG, layer=5, title=title)
    sign = seat_sign(controller, 7)
    yield Shape(id="navy-sign", x=x + 13, y=y - 27, path=sign, classes=f"seat{controller} fill edge", layer=6)


def draw_ship(
    id: str, seat: int, x: float, y: float, size: float, *, title: str, layer: int = 5, to_left: bool = False
) -> Iterator[Shape]:
    """Draw a seat's ship, with its sign on the sail."""
    path = pieces.ship(size, to_left=to_left)
    yield Shape(id=id, x=x, y=y, path=path, classes=f"seat{seat} fill edge", layer=layer, title=title)
    sign, x = seat_sign(seat, size * pieces.SIGN_RADIUS), x + size * (-0.06 if to_left else 0.06)
    yield Shape(id=f"{id}-sign", x=x, y=y + size * pieces.SIGN_HEIGHT, path=sign, classes="on-seat", layer=layer + 1)


def _black_ships(seen: Any) -> Iterator[Shape]:
    """Legends, with their names, below the ships of the seats. No two are at one place: they sail in step."""
    for index, black in enumerate(seen.black_ships):
        x, y = PLACES[black.place]
        captain = captain_of(black.captain) if black.captain else None
        label = "no captain" if captain is None else short_legend(captain)
        left = x - (34 + text_width(label)) / 2
        path = pieces.black_ship(34, commanded=captain is not None)
        yield Shape(
            id=f"black{index}", x=left + 12, y=y + 116, path=path, classes="ink", layer=5, title=_describe(captain)
        )
        yield Shape(id=f"black{index}-name", x=left + 36, y=y + 121, text=label, classes="muted", layer=5)


def _describe(captain: Captain | None) -> str:
    """Describe a legend's strength."""
    if captain is None:
        return "a black ship whose captain was sunk"
    row = LEGENDS[captain]
    if not row.dice:
        return f"{row.name}: does not fight, a prize"
    return f"{row.name}: {plural(row.dice, 'die', 'dice')}, hull {row.hull}, speed {row.speed}, fame {row.fame}"
