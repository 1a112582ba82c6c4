"""Combat and its spoils (6.9)."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Section,
    ShipType,
    Stance,
)
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class PickSection:
    """A section: to repair in `self_repair`, to be hit in `aim_hit`, `assign_hit`, `npc_assign_hit`."""

    section: Section


@immutable(frozen=True, slots=True)
class Declare:
    """`shoot`, `board`, `flee`, for oneself or for an NPC."""

    stance: Stance


@immutable(frozen=True, slots=True)
class FlipHull:
    """`hullplate s`: the reinforced hull takes a hit."""

    section: Section


@immutable(frozen=True, slots=True)
class Redirect:
    """`redirect s t`: the captain moves a hit to another section."""

    section: Section
    target: Section


@immutable(frozen=True, slots=True)
class KeepShip:
    """`keep_own` of `capture`."""


@immutable(frozen=True, slots=True)
class TakeShip:
    """`take_<ship>` of `capture`."""

    ship: ShipType


CombatAction: TypeAlias = PickSection | Declare | FlipHull | Redirect | KeepShip | TakeShip
