"""Combat and its spoils (6.9)."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Section,
    ShipType,
    Stance,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class PickSection(Part):
    """A section: to repair in `self_repair`, to be hit in `aim_hit`, `assign_hit`, `npc_assign_hit`."""

    section: Section


@immutable(frozen=True, slots=True)
class Declare(Part):
    """`shoot`, `board`, `flee`, for oneself or for an NPC."""

    stance: Stance


@immutable(frozen=True, slots=True)
class FlipHull(Part):
    """`hullplate s`: the reinforced hull takes a hit."""

    section: Section


@immutable(frozen=True, slots=True)
class Redirect(Part):
    """`redirect s t`: the captain moves a hit to another section."""

    section: Section
    target: Section


@immutable(frozen=True, slots=True)
class KeepShip(Part):
    """`keep_own` of `capture`."""


@immutable(frozen=True, slots=True)
class TakeShip(Part):
    """`take_<ship>` of `capture`."""

    ship: ShipType


KEEP_SHIP = KeepShip()

CombatAction: TypeAlias = PickSection | Declare | FlipHull | Redirect | KeepShip | TakeShip
