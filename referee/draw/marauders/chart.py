"""The chart: seventeen sea zones with their ports, what each port wants, tokens, and every ship where it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from referee.draw import pieces
from referee.draw.marauders.words import (
    STORMS,
    id_of,
    npc_flag,
    npc_name,
    of_nation,
    sentence,
    whereabouts,
    words_of,
)
from referee.draw.scene import BOARD_WIDTH, Shape, number, polyline, rectangle, seat_sign
from referee.games.marauders.data.board import ADJACENT, ZONES
from referee.games.marauders.data.quests import MISSIONS
from referee.games.marauders.terms import ZONES_IN_ORDER, Good, Zone

CHART_BOTTOM = 546
LAND_HEIGHT = 50
PLACES = {
    Zone.HAVANA: (64, 112),
    Zone.PORT_ROYAL: (62, 224),
    Zone.OLD_PROVIDENCE: (84, 438),
    Zone.NASSAU: (132, 10),
    Zone.TORTUGA: (186, 104),
    Zone.PETIT_GOAVE: (180, 212),
    Zone.CARTAGENA: (232, 430),
    Zone.SANTO_DOMINGO: (310, 236),
    Zone.CARIBBEAN_SEA: (352, 336),
    Zone.CURACAO: (358, 438),
    Zone.SAN_JUAN: (432, 220),
    Zone.CARACAS: (482, 430),
    Zone.ST_MAARTEN: (545, 234),
    Zone.BASSE_TERRE: (536, 330),
    Zone.ST_JOHN: (660, 220),
    Zone.BRIDGETOWN: (656, 326),
    Zone.TRINIDAD: (608, 438),
}
"""Each zone: the middle of its land and the top of it. North is up; the board's links are `ADJACENT`."""

WIDTHS = {Zone.OLD_PROVIDENCE: 160, Zone.SANTO_DOMINGO: 140, Zone.SAN_JUAN: 104, Zone.ST_JOHN: 108}
SHORT = {Zone.SANTO_DOMINGO: "Sto. Domingo"}
SHIP_STEP = 30
_COMPASS = polyline([(0, -26), (5, -5), (26, 0), (5, 5), (0, 26), (-5, 5), (-26, 0), (-5, -5)], closed=True)


def draw_chart(seen: Any, names: list[str], active: int | None) -> Iterator[Shape]:
    """Draw sea, zones and ships. `active` is the zone of the captain whose turn it is."""
    middle = (BOARD_WIDTH / 2, CHART_BOTTOM / 2)
    path = rectangle(BOARD_WIDTH - 4, CHART_BOTTOM - 2, round_by=12)
    yield Shape(id="sea", x=middle[0], y=middle[1], path=path, classes="sea", layer=0)
    yield Shape(id="compass", x=36, y=46, path=_COMPASS, classes="muted", layer=1)
    yield Shape(id="routes", x=0, y=0, path=_routes(), classes="route", layer=1)
    if seen.event and id_of("EventCard", seen.event) in STORMS:
        yield from _storm()
    closed = set(seen.closed)
    for zone in seen.zones:
        yield from _zone(zone, closed=zone.zone in closed, active=zone.zone == active)
    yield from _missions(seen.open_missions)
    yield from _ships(seen, names)


@cache
def _routes() -> str:
    """Draw every link of the board, once."""
    lines = []
    for zone in ZONES_IN_ORDER:
        for other in ADJACENT[zone]:
            if other > zone:
                (x, y), (to_x, to_y) = PLACES[zone], PLACES[other]
                lines.append(f"M{number(x)} {number(y + 30)}L{number(to_x)} {number(to_y + 30)}")
    return "".join(lines)


def _storm() -> Iterator[Shape]:
    """Draw rain over the open sea."""
    for place, (x, y) in enumerate(((112, 372), (220, 376), (430, 402))):
        cloud = "M-34 0q-8 -18 12 -20q4 -18 24 -12q20 -10 26 10q18 2 10 22z"
        rain = "M-20 8l-6 14M0 8l-6 14M20 8l-6 14"
        yield Shape(id=f"storm{place}", x=x, y=y, path=cloud, classes="muted", layer=2, title="a storm")
        yield Shape(id=f"rain{place}", x=x, y=y, path=rain, classes="stroke", layer=2)


@cache
def _land(width: float) -> str:
    w, h = width / 2, LAND_HEIGHT / 2
    q = number(w - 14)
    return (
        f"M{number(-w)} 2Q{number(-w)} {number(-h)} -{q} {number(-h)}Q0 {number(-h - 4)} {q} {number(-h)}"
        f"Q{number(w)} {number(2 - h)} {number(w)} 0Q{number(w)} {number(h)} {q} {number(h)}"
        f"Q0 {number(h + 4)} -{q} {number(h)}Q{number(-w)} {number(h)} {number(-w)} 2z"
    )


def _zone(info: Any, *, closed: bool, active: bool) -> Iterator[Shape]:
    zone = Zone(info.zone)
    row, (x, top), id = ZONES[zone], PLACES[zone], zone.id
    width = WIDTHS.get(zone, 116)
    middle = top + LAND_HEIGHT / 2
    name = SHORT.get(zone, row.title)
    if row.nation is None:
        path = rectangle(160, 34, round_by=17)
        yield Shape(id=f"land-{id}", x=x, y=top + 21, path=path, classes="sea", layer=1)
        yield Shape(id=f"name-{id}", x=x, y=top + 28, text=name, classes="middle muted", layer=2)
    else:
        yield Shape(id=f"land-{id}", x=x, y=middle, path=_land(width), classes="land", layer=1)
        yield Shape(id=f"name-{id}", x=x, y=top + 20, text=name, classes="middle", layer=3)
        left = x - 56
        yield Shape(
            id=f"flag-{id}", x=left + 13, y=top + 35, path=pieces.flag(row.nation.id, 24, 15), classes=pieces.FLAG,
            layer=3, title=of_nation(row.nation, "port"),
        )  # fmt: skip
        if info.demand:
            wanted = Good(info.demand).id
            title = f"{row.title} wants {wanted}"
            yield Shape(id=f"wants-{id}", x=left + 30, y=top + 42, text=wanted, classes="muted", layer=3, title=title)
    if active:
        path = _land(width + 2) if row.nation else rectangle(160, 34, round_by=17)
        y = middle if row.nation else top + 21
        yield Shape(id="active", x=x, y=y, path=path, classes="accent stroke thick", layer=4)
    if closed:
        title = f"{row.title} is closed by the plague"
        yield Shape(
            id=f"closed-{id}", x=x + width / 2 - 6, y=top + 10, path=pieces.CROSS, classes="warn stroke thick", layer=4,
            title=title,
        )  # fmt: skip
    yield from _tokens(info, id, x, top + 65)


def _tokens(info: Any, id: str, x: float, y: float) -> Iterator[Shape]:
    """Draw a merchant at sea, and the modification token of the port."""
    if info.merchant:
        yield Shape(
            id=f"merchant-{id}", x=x - 47, y=y + 2, path=pieces.ship(20), classes="muted", layer=4, title="a merchant"
        )
    if info.modification:
        title = f"the shipyard has {words_of('Modification', info.modification)}"
        yield Shape(id=f"mod-{id}", x=x + 48, y=y - 1, path=pieces.HAMMER, classes="ink", layer=4, title=title)
    elif info.face_down:
        path = rectangle(12, 12, round_by=3)
        yield Shape(
            id=f"mod-{id}", x=x + 48, y=y, path=path, classes="back", layer=4, title="a modification, face down"
        )


def _missions(missions: Any) -> Iterator[Shape]:
    """Open missions at their ports."""
    seen: dict[Zone, int] = {}
    for wire in missions:
        mission = MISSIONS[id_of("Mission", wire)]
        place = seen[mission.port] = seen.get(mission.port, 0) + 1
        x, top = PLACES[mission.port]
        title = f"mission: {words_of('Mission', wire)}"
        yield Shape(
            id=f"mission-{mission.id}",
            x=x + 48 - 20 * place,
            y=top + 65,
            path=pieces.SCROLL,
            classes="accent",
            layer=4,
            title=title,
        )


def _ships(seen: Any, names: list[str]) -> Iterator[Shape]:
    """Draw all ships of a zone side by side: in port at the land, at sea below it."""
    places: dict[int, list[Any]] = {}
    for seat, info in enumerate(seen.seats):
        if info.zone and info.HasField("ship"):
            places.setdefault(info.zone, []).append((seat, info))
    for npc in seen.npcs:
        places.setdefault(npc.zone, []).append(npc)
    for zone, ships in places.items():
        x, top = PLACES[Zone(zone)]
        step = min(SHIP_STEP, (90 if len(ships) < 4 else 120) / len(ships))
        for slot, ship in enumerate(ships):
            place = x + step * (slot - (len(ships) - 1) / 2)
            if isinstance(ship, tuple):
                yield from _captain(ship[0], ship[1], place, top, min(29, step), names)
            else:
                yield from _npc(ship, place, top, min(27, step))


def _captain(seat: int, info: Any, x: float, top: float, size: float, names: list[str]) -> Iterator[Shape]:
    y = top + (74 if info.in_port else 88)
    path, title = pieces.ship(size), f"{names[seat]}, {whereabouts(info)}"
    yield Shape(id=f"ship{seat}", x=x, y=y, path=path, classes=f"seat{seat} fill edge", layer=6, title=title)
    sign = seat_sign(seat, size * pieces.SIGN_RADIUS)
    yield Shape(id=f"ship{seat}-sign", x=x + size * 0.06, y=y + size * pieces.SIGN_HEIGHT, path=sign, classes="on-seat",
                layer=7)  # fmt: skip


def _npc(npc: Any, x: float, top: float, size: float) -> Iterator[Shape]:
    ship = words_of("ShipType", npc.ship)
    title = f"{sentence(npc_name(npc.npc))}, {ship}: seamanship {npc.seamanship}, scouting {npc.scouting}"
    path = pieces.flagship(npc_flag(npc.npc), size)
    yield Shape(
        id=f"npc-{id_of('NpcKind', npc.npc)}", x=x, y=top + 88, path=path, classes=pieces.FLAG, layer=5, title=title
    )
