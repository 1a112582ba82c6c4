"""A panel for each captain: fame, gold and chests, the four sections of the ship as pips, and the Tavern cards.

The fame of all seats is drawn on one scale, so the panels together are the fame track.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from referee.draw import pieces
from referee.draw.pirates_cove.sea import ICONS, SEA_BOTTOM
from referee.draw.pirates_cove.words import card_of, section_of, short_card
from referee.draw.scene import BOARD_WIDTH, Shape, ViewedTable, fit, polyline, rectangle, seat_sign, text_width
from referee.games.pirates_cove.data import CARDS, PARROTS, TOP_LEVEL, VALUES
from referee.games.pirates_cove.terms import ALL_SECTIONS, HULL_ISLAND, Card, Section
from referee.text import plural

PANEL_STEP = 100
PANEL_HEIGHT = 94
FAME_LEFT, FAME_WIDTH, FAME_LEAST = 262, 286, 50
"""Where the scale of fame begins, how long it is, and how much fame it shows at least."""
PIP_STEP = 13
SECTION_STEP = 172
CARD_ROOM = 470
"""Where the row of Tavern cards has to end if the line also has words."""


def draw_panels(table: ViewedTable, names: list[str], totals: tuple[float, ...]) -> Iterator[Shape]:
    """Draw all panels, from seat 0 down."""
    seen = table.position.observation
    most = max(FAME_LEAST, *totals)
    for seat, ship in enumerate(seen.ships):
        top = SEA_BOTTOM + 8 + PANEL_STEP * seat
        looks = f"seat{seat} outline" if seat in seen.deciding else "panel"
        path = rectangle(BOARD_WIDTH - 10, PANEL_HEIGHT, round_by=10)
        yield Shape(id=f"panel{seat}", x=BOARD_WIDTH / 2, y=top + PANEL_HEIGHT / 2, path=path, classes=looks, layer=1)
        yield Shape(id=f"who{seat}", x=26, y=top + 20, path=seat_sign(seat, 10), classes=f"seat{seat} fill")
        yield Shape(id=f"bot{seat}", x=46, y=top + 27, text=fit(names[seat], 180), classes="bold", title=names[seat])
        yield from _fame(seat, totals[seat], most, top)
        yield from _hold(seat, ship, top)
        yield from _sections(seat, ship, top + 50)
        marks = _marks(seen, seat, names)
        yield from _cards(seat, ship, table.hands.get(seat), CARD_ROOM if marks else BOARD_WIDTH - 60, top + 77)
        if marks:
            text = fit(marks, BOARD_WIDTH - 24 - CARD_ROOM)
            yield Shape(id=f"marks{seat}", x=BOARD_WIDTH - 20, y=top + 84, text=text, classes="end muted")


def _fame(seat: int, fame: float, most: float, top: float) -> Iterator[Shape]:
    unit = FAME_WIDTH / most
    ticks = "".join(f"M{round(10 * mark * unit, 1):g} 9v5" for mark in range(int(most // 10) + 1))
    yield Shape(id=f"scale{seat}", x=FAME_LEFT, y=top + 20, path=ticks, classes="line", layer=2)
    yield Shape(id=f"fame-icon{seat}", x=FAME_LEFT - 16, y=top + 20, path=pieces.FAME, classes="muted", title="fame")
    if fame:
        bar = polyline([(0, -6), (fame * unit, -6), (fame * unit, 6), (0, 6)], closed=True)
        yield Shape(id=f"fame{seat}", x=FAME_LEFT, y=top + 20, path=bar, classes=f"seat{seat} fill")
    text = f"{fame:g}"
    yield Shape(id=f"fame-count{seat}", x=FAME_LEFT + fame * unit + 8, y=top + 28, text=text, classes="bold size24")


def _hold(seat: int, ship: Any, top: float) -> Iterator[Shape]:
    """Gold and chests."""
    for word, icon, count, x in (("gold", pieces.COIN, ship.gold, 608), ("chests", pieces.CHEST, ship.chests, 664)):
        yield Shape(id=f"{word}{seat}", x=x, y=top + 20, path=icon, classes="muted", title=word)
        yield Shape(id=f"{word}-count{seat}", x=x + 15, y=top + 27, text=str(count))


def _sections(seat: int, ship: Any, y: float) -> Iterator[Shape]:
    """Draw the levels of the four sections, with the parrot and the Artisan where they sit."""
    for section, level in zip(ALL_SECTIONS, ship.levels, strict=True):
        x, word = 28 + SECTION_STEP * section, section.name.lower()
        value = VALUES[section][level + 1]
        lost = level < 0
        title = f"{word} destroyed" if lost else f"{word} {value}, level {level} of {TOP_LEVEL}"
        icon, looks = ICONS[HULL_ISLAND + section], "warn" if lost else "ink"
        yield Shape(id=f"section{seat}-{word}", x=x, y=y, path=icon, classes=looks, title=title)
        full, empty = pieces.pips(max(level, 0), TOP_LEVEL, PIP_STEP, 5)
        if full:
            yield Shape(id=f"level{seat}-{word}", x=x + 24, y=y, path=full, classes=f"seat{seat} fill")
        if lost:
            yield Shape(id=f"lost{seat}-{word}", x=x + 24, y=y, path="M-6 0h90", classes="warn stroke thick")
        elif empty:
            yield Shape(id=f"room{seat}-{word}", x=x + 24, y=y, path=empty, classes="line", layer=2)
        yield from _aboard(seat, ship, section, x + 126, y)


def _aboard(seat: int, ship: Any, section: Section, x: float, y: float) -> Iterator[Shape]:
    """Draw who takes hits for a section."""
    if ship.parrot and PARROTS[card_of(ship.parrot)].section is section:
        looks = "lost" if ship.parrot_wounded else "fill"
        title = CARDS[card_of(ship.parrot)].name + (", wounded" if ship.parrot_wounded else "")
        yield Shape(id=f"parrot{seat}", x=x, y=y, path=pieces.PARROT, classes=f"seat{seat} {looks}", title=title)
        x += 22
    if ship.artisan and section_of(ship.artisan) is section:
        looks = "lost" if ship.artisan_damaged else "fill"
        title = f"Artisan on {section.name.lower()}" + (", damaged" if ship.artisan_damaged else "")
        yield Shape(id=f"artisan{seat}", x=x, y=y, path=pieces.HAMMER, classes=f"seat{seat} {looks}", title=title)


def _cards(seat: int, ship: Any, hand: Any, room: float, y: float) -> Iterator[Shape]:
    """Tavern cards: faces from the seat's own Position, otherwise backs with their number."""
    if hand is not None:
        yield from _faces(seat, [card_of(card) for card in hand.observation.hand], room, y)
        return
    for place in range(min(ship.hand_count, 12)):
        path = rectangle(16, 22, round_by=3)
        yield Shape(id=f"card{seat}-{place}", x=28 + 20 * place, y=y, path=path, classes="back", title="a Tavern card")
    text = plural(ship.hand_count, "card") if ship.hand_count else "no cards"
    left = 20 + 20 * min(ship.hand_count, 12) + 4 * bool(ship.hand_count)
    yield Shape(id=f"hand{seat}", x=left, y=y + 7, text=text, classes="muted")


def _faces(seat: int, cards: list[Card], room: float, y: float) -> Iterator[Shape]:
    """Small cards with their names; several of a kind are one card with their number."""
    if not cards:
        yield Shape(id=f"hand{seat}", x=20, y=y + 7, text="no cards", classes="muted")
    left, shown = 18.0, 0
    for card, count in Counter(cards).items():
        label = short_card(card) + (f" ×{count}" if count > 1 else "")
        width = 12 + text_width(label)
        if left + width > room:
            yield Shape(id=f"hand{seat}", x=left + 2, y=y + 7, text=f"+{len(cards) - shown}", classes="muted")
            return
        path = rectangle(width, 26, round_by=4)
        yield Shape(id=f"card{seat}-{card}", x=left + width / 2, y=y, path=path, classes="card", title=CARDS[card].name)
        yield Shape(id=f"face{seat}-{card}", x=left + width / 2, y=y + 7, text=label, classes="middle", layer=4)
        left, shown = left + width + 5, shown + count


def _marks(seen: Any, seat: int, names: list[str]) -> str:
    """Return what is special about a seat this month."""
    marks = []
    if seen.HasField("freebooter") and seen.freebooter.seat == seat:
        marks.append(f"shares with {names[seen.freebooter.victim]}")
    if seen.HasField("treasure_map") and seen.treasure_map.seat == seat:
        marks.append("Treasure Map")
    if seen.month and seen.start_seat == seat and not marks:
        marks.append("first this month")
    return ", ".join(marks)
