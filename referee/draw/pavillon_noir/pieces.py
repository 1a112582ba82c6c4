"""Cards and discs: aim cards, target cards with their patterns, what cannons are loaded with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from referee.draw.pieces import box, dot
from referee.draw.scene import Shape, circle, number, rectangle, seat_sign
from referee.games.pavillon_noir.data import PATTERNS, TARGETS
from referee.games.pavillon_noir.rules.reading import REACH
from referee.games.pavillon_noir.terms import (
    JOKER,
    Card,
    Pattern,
    Projectile,
    Suit,
    TargetCard,
    card_name,
    suit_of,
    value_of,
)

AIM_WIDTH, AIM_HEIGHT = 34.0, 50.0
TARGET_SIZE = 74.0
PITCH = 9.0
"""Between two symbols of a target card."""
GRID_X, GRID_Y = 9.0, -9.0
"""The middle of the pattern, seen from the middle of the card."""

SUIT_SIGNS = {
    Suit.SPADE: "M0 -8C9 -1 8 5 3.5 5C2 5 1 4 .5 3L2 8H-2L-.5 3C-1 4 -2 5 -3.5 5C-8 5 -9 -1 0 -8z",
    Suit.HEART: "M0 7C-9 0 -8 -7 -3.5 -7C-1 -7 0 -5 0 -4C0 -5 1 -7 3.5 -7C8 -7 9 0 0 7z",
    Suit.CLUB: "M0 -8a3.7 3.7 0 0 1 2.6 6.2a3.7 3.7 0 1 1 -1.8 5L2 8H-2L-.8 3.2"
    "a3.7 3.7 0 1 1 -1.8 -5a3.7 3.7 0 0 1 2.6 -6.2z",
    Suit.DIAMOND: "M0 -8L6 0L0 8L-6 0z",
}
RED = (Suit.HEART, Suit.DIAMOND)

DISC_SIGNS = {
    Projectile.BALL: circle(8),
    Projectile.CHAIN: dot(-5, 0, 4) + dot(5, 0, 4) + box(-3, -1.5, 6, 3),
    Projectile.GRAPE: dot(0, -5, 3) + dot(-5, 1, 3) + dot(5, 1, 3) + dot(0, 6, 3),
}

SYMBOL_SIZES = {"A": 7.6, "B": 5.4, "C": 3.8, "D": 2.6, "E": 1.8, "F": 1.0}
"""How large a symbol of a target card is drawn: the better, the larger."""


def suit_class(suit: Suit) -> str:
    """Return the colour of a suit; its shape tells it as well."""
    return "warn" if suit in RED else "ink"


def aim_card(key: str, x: float, y: float, card: Card, value: int, *, layer: int = 4) -> Iterator[Shape]:
    """Draw an aim card with its face; a joker shows the value it stands for."""
    yield Shape(
        id=key,
        x=x,
        y=y,
        path=rectangle(AIM_WIDTH, AIM_HEIGHT, round_by=5),
        classes="card",
        layer=layer,
        title=card_name(card) if card != JOKER or not value else f"Joker as {value}",
    )
    is_joker = card == JOKER
    text = str(value) if value else "J"
    classes = "middle warn" if not is_joker and suit_of(card) in RED else "middle"
    yield Shape(id=f"{key}-value", x=x, y=y - 3, text=text, classes=classes, layer=layer)
    yield Shape(
        id=f"{key}-suit",
        x=x,
        y=y + 13,
        path=seat_sign(4, 7) if is_joker else SUIT_SIGNS[suit_of(card)],
        classes="accent" if is_joker else suit_class(suit_of(card)),
        layer=layer,
    )


def natural_value(card: Card) -> int:
    """Return the value printed on a card; 0 for a joker."""
    return value_of(card)


def card_back(key: str, x: float, y: float, *, title: str, layer: int = 4) -> Shape:
    """Draw an aim card or a trick face down."""
    return Shape(
        id=key, x=x, y=y, path=rectangle(AIM_WIDTH, AIM_HEIGHT, round_by=5), classes="back", layer=layer, title=title
    )


def disc(key: str, x: float, y: float, projectile: Projectile | None, *, title: str = "") -> Shape:
    """Draw a disc, or the empty place for one."""
    if projectile is None:
        return Shape(id=key, x=x, y=y, path=circle(8), classes="lost", layer=4, title="An empty place for a disc")
    return Shape(
        id=key,
        x=x,
        y=y,
        path=DISC_SIGNS[projectile],
        classes="ink",
        layer=4,
        title=title or projectile.name.capitalize(),
    )


def target_card(
    key: str, x: float, y: float, card: TargetCard, rows: int | None, columns: int | None
) -> Iterator[Shape]:
    """Draw a target card: its centre as two numbers, its pattern, and lines where the aim cards point."""
    left, below, pattern = TARGETS[card]
    yield Shape(
        id=key,
        x=x,
        y=y,
        path=rectangle(TARGET_SIZE, TARGET_SIZE, round_by=6),
        classes="card",
        layer=3,
        title=f"Target card T{card:02}: left {left}, below {below}, {pattern.value}",
    )
    grid_x, grid_y = x + GRID_X, y + GRID_Y
    yield Shape(id=f"{key}-pattern", x=grid_x, y=grid_y, path=_pattern(pattern), classes="muted", layer=3)
    yield Shape(id=f"{key}-left", x=x - 25, y=grid_y + 7, text=str(left), classes="middle", layer=3)
    yield Shape(id=f"{key}-below", x=grid_x, y=y + 32, text=str(below), classes="middle", layer=3)
    path = _sights(rows, columns)
    if path:
        yield Shape(id=f"{key}-sights", x=grid_x, y=grid_y, path=path, classes="accent stroke", layer=5)


@cache
def _pattern(pattern: Pattern) -> str:
    path = ""
    for row, symbols in enumerate(PATTERNS[pattern]):
        for column, symbol in enumerate(symbols):
            size = SYMBOL_SIZES[symbol]
            path += box(PITCH * (column - REACH) - size / 2, PITCH * (row - REACH) - size / 2, size, size)
    return path


@cache
def _sights(row: int | None, column: int | None) -> str:
    """Draw the line of each aim card across the pattern, and a ring where they cross."""
    reach = number(PITCH * (REACH + 0.6))
    path = ""
    if row is not None:
        path += f"M-{reach} {number(PITCH * row)}H{reach}"
    if column is not None:
        path += f"M{number(PITCH * column)} -{reach}V{reach}"
    if row is not None and column is not None:
        path += dot(PITCH * column, PITCH * row, 6)
    return path


def sight(value: int, centre: int) -> int | None:
    """Return how far from a card's centre a value lies, the short way round; None beyond the pattern."""
    away = (value - centre + 4) % 10 - 4
    return away if abs(away) <= REACH else None
