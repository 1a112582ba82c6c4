"""Gold, bounties and glory."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Feat,
    Mode,
    Nation,
    NpcKind,
    Section,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class GoldGained(Part):
    """Gold from the bank or from another seat."""

    seat: Seat
    gold: int


@immutable(frozen=True, slots=True)
class GoldPaid(Part):
    """Gold to the bank or to another seat."""

    seat: Seat
    gold: int


@immutable(frozen=True, slots=True)
class GoldStashed(Part):
    """Gold into the chest; only the first deposit of a Port action is announced, and never the amount."""

    seat: Seat
    gold: int
    first: bool


@immutable(frozen=True, slots=True)
class GoldWithdrawn(Part):
    """Gold out of the chest, which nobody else sees."""

    seat: Seat
    gold: int


@immutable(frozen=True, slots=True)
class BountyChanged(Part):
    """What a nation now asks for a captain's head."""

    seat: Seat
    nation: Nation
    bounty: int


@immutable(frozen=True, slots=True)
class GloryPoint(Part):
    """A step on the glory track."""

    seat: Seat
    feat: Feat
    track: int


@immutable(frozen=True, slots=True)
class GloryDrawn(Part):
    """A glory card came to a hand; None for those who do not see it."""

    seat: Seat
    card: str | None


@immutable(frozen=True, slots=True)
class GloryPlayed(Part):
    """A glory card was played."""

    seat: Seat
    card: str
    mode: Mode | None = None
    section: Section | None = None
    nation: Nation | None = None
    count: int = 0
    npc: NpcKind | None = None
    zone: Zone | None = None


@immutable(frozen=True, slots=True)
class GloryDiscarded(Part):
    """A glory card over the limit of the hand."""

    seat: Seat
    card: str


@immutable(frozen=True, slots=True)
class PointsDeclared(Part):
    """A seat has the points to win; its chest lies open."""

    seat: Seat
    points: int
    chest: int


WealthEvent: TypeAlias = (
    GoldGained
    | GoldPaid
    | GoldStashed
    | GoldWithdrawn
    | BountyChanged
    | GloryPoint
    | GloryDrawn
    | GloryPlayed
    | GloryDiscarded
    | PointsDeclared
)
