"""Cards in hand: playing them in a turn, a port or a window, keeping and discarding them."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Mode,
    Nation,
    NpcKind,
    Section,
    Zone,
)
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Decline(Part):
    """`pass` of every window, and `none` of `ammo`."""


@immutable(frozen=True, slots=True)
class PlayGlory(Part):
    """A glory card with whatever it needs: `glory c ...`, `lucky_star`, `weather_gage own`, `brace s`, `slip_away`."""

    card: str
    mode: Mode | None = None
    section: Section | None = None
    nation: Nation | None = None
    count: int = 0
    npc: NpcKind | None = None
    zone: Zone | None = None


@immutable(frozen=True, slots=True)
class DiscardGlory(Part):
    """A card of `discard_glory`."""

    card: str


@immutable(frozen=True, slots=True)
class KeepRumor(Part):
    """A card of `keep_rumor`."""

    rumor: str


@immutable(frozen=True, slots=True)
class KeepMission(Part):
    """A card of `keep_mission`."""

    mission: str


DECLINE = Decline()

WindowAction: TypeAlias = Decline | PlayGlory
"""The entries of a window that takes glory cards alone."""

CardAction: TypeAlias = Decline | PlayGlory | DiscardGlory | KeepRumor | KeepMission
