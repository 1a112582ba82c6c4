"""The texts of general event cards (cards file C)."""

from __future__ import annotations

from typing import TypeAlias

from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class War:
    """`WAR`: two nations at random are at war from now on."""


@immutable(frozen=True, slots=True)
class Peace:
    """`PEACE`: the war ends."""


@immutable(frozen=True, slots=True)
class Plague:
    """`PLAGUE n`: n ports at random are closed for the round."""

    count: int


@immutable(frozen=True, slots=True)
class Storm:
    """`STORM`: captains at sea make a Seamanship test at the start of their turn."""


@immutable(frozen=True, slots=True)
class Convoy:
    """`CONVOY`: zones without a merchant get one from the track."""


@immutable(frozen=True, slots=True)
class Markets:
    """`MARKETS n`: the demand of n ports changes."""

    count: int


@immutable(frozen=True, slots=True)
class Marque:
    """`MARQUE`: captains of one nation may engage another's ships without bounty."""


EventText: TypeAlias = War | Peace | Plague | Storm | Convoy | Markets | Marque
