"""Goods and cargo."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Good,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class GoodsSold(Part):
    """Cards of a good sold for gold."""

    seat: Seat
    good: Good
    count: int
    gold: int


@immutable(frozen=True, slots=True)
class GoodsOffered(Part):
    """A buyer looked at cards; others see how many."""

    seat: Seat
    cards: tuple[str, ...]
    count: int


@immutable(frozen=True, slots=True)
class GoodsBought(Part):
    """Cards bought; others see how many and for how much."""

    seat: Seat
    good: Good | None
    count: int
    gold: int


@immutable(frozen=True, slots=True)
class CargoTaken(Part):
    """Cards came aboard; others see how many, or which if they lay open before."""

    seat: Seat
    cards: tuple[str, ...]
    count: int
    hidden: bool


@immutable(frozen=True, slots=True)
class CargoDiscarded(Part):
    """Cargo cards went face up to the discard: thrown overboard, lost, delivered or not bought."""

    seat: Seat
    cards: tuple[str, ...]


TradeEvent: TypeAlias = GoodsSold | GoodsOffered | GoodsBought | CargoTaken | CargoDiscarded
