"""Merchants and raids on them (6.8)."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Nation,
    RaidEnd,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class MerchantFound(Part):
    """A merchant token was found and shown."""

    seat: Seat
    zone: Zone
    nation: Nation


@immutable(frozen=True, slots=True)
class MerchantEngaged(Part):
    """A raid began under that flag."""

    seat: Seat
    nation: Nation


@immutable(frozen=True, slots=True)
class RaidCardDrawn(Part):
    """A cargo card on the table of the raid."""

    seat: Seat
    card: str


@immutable(frozen=True, slots=True)
class RaidCardDiscarded(Part):
    """A cargo card left the table of the raid."""

    seat: Seat
    card: str


@immutable(frozen=True, slots=True)
class RaidEnded(Part):
    """How the raid ended, and the gold it brought."""

    seat: Seat
    end: RaidEnd
    gold: int


RaidEvent: TypeAlias = MerchantFound | MerchantEngaged | RaidCardDrawn | RaidCardDiscarded | RaidEnded
