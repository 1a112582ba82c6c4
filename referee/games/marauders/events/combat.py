"""Combats, and captains who leave the game (6.9, 6.11)."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    CombatEnd,
    Section,
    Side,
    Stance,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class CombatBegan(Part):
    """Two sides fight."""

    attacker: Side
    defender: Side


@immutable(frozen=True, slots=True)
class StanceDeclared(Part):
    """What a side does in this naval round."""

    side: Side
    stance: Stance


@immutable(frozen=True, slots=True)
class ContestDecided(Part):
    """Who won the naval contest; None: nobody."""

    winner: Side | None


@immutable(frozen=True, slots=True)
class VolleyFired(Part):
    """Hits on a side, section by section, before they are applied."""

    shooter: Side
    target: Side
    hits: tuple[Section, ...]


@immutable(frozen=True, slots=True)
class HitCancelled(Part):
    """A reinforced hull took a hit."""

    seat: Seat
    section: Section


@immutable(frozen=True, slots=True)
class HitRedirected(Part):
    """A captain moved a hit to another section."""

    seat: Seat
    section: Section
    target: Section


@immutable(frozen=True, slots=True)
class Damaged(Part):
    """The values of a side's ship after damage: cargo, masts, crew, cannons, hull."""

    side: Side
    sections: tuple[int, ...]


@immutable(frozen=True, slots=True)
class Boarded(Part):
    """A crew combat began."""

    side: Side


@immutable(frozen=True, slots=True)
class CombatEnded(Part):
    """How it ended; None: without a winner."""

    winner: Side | None
    end: CombatEnd


@immutable(frozen=True, slots=True)
class CaptainDied(Part):
    """A captain is dead."""

    seat: Seat
    captain: str


@immutable(frozen=True, slots=True)
class CaptainRetired(Part):
    """A captain left the sea."""

    seat: Seat
    captain: str


CombatEvent: TypeAlias = (
    CombatBegan
    | StanceDeclared
    | ContestDecided
    | VolleyFired
    | HitCancelled
    | HitRedirected
    | Damaged
    | Boarded
    | CombatEnded
    | CaptainDied
    | CaptainRetired
)
