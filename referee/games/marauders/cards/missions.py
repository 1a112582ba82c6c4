"""The conditions and tasks of missions (cards file F)."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    Zone,
)
from referee.rules.parts import immutable


@immutable(frozen=True, slots=True)
class NoCondition:
    """`NONE`."""


@immutable(frozen=True, slots=True)
class NotWanted:
    """`NOT_WANTED X`: no bounty of X."""

    nation: Nation


@immutable(frozen=True, slots=True)
class NonPirate:
    """`NON_PIRATE`: no bounty at all."""


@immutable(frozen=True, slots=True)
class Pirate:
    """`PIRATE`: at least one bounty."""


@immutable(frozen=True, slots=True)
class Pay:
    """`PAY n`."""

    gold: int


@immutable(frozen=True, slots=True)
class InfluenceRoll:
    """`ROLL infl`."""


Condition: TypeAlias = NoCondition | NotWanted | NonPirate | Pirate | Pay | InfluenceRoll


@immutable(frozen=True, slots=True)
class Deliver:
    """`DELIVER Z`: be in that port."""

    zone: Zone


@immutable(frozen=True, slots=True)
class DeliverGoods:
    """`GOODS g n Z`: bring goods to that port."""

    good: Good
    count: int
    zone: Zone


@immutable(frozen=True, slots=True)
class Persuade:
    """`PERSUADE Z`: an Influence roll in that port."""

    zone: Zone


@immutable(frozen=True, slots=True)
class Search:
    """`SEARCH Z`: a Scouting roll at sea there."""

    zone: Zone


@immutable(frozen=True, slots=True)
class DefeatPirate:
    """`DEFEAT pirate`: win a combat against a pirate NPC."""

    TAG: ClassVar[str] = "DefeatPirate"


@immutable(frozen=True, slots=True)
class DefeatNavy:
    """`DEFEAT navy`: win a combat against a naval ship."""

    TAG: ClassVar[str] = "DefeatNavy"


@immutable(frozen=True, slots=True)
class RaidNation:
    """`RAID X`: a successful raid on a merchant engaged as that nation's."""

    TAG: ClassVar[str] = "RaidNation"
    nation: Nation


@immutable(frozen=True, slots=True)
class Assault:
    """`ASSAULT Z c l`: a crew combat against the garrison of a town."""

    TAG: ClassVar[str] = "Assault"
    zone: Zone
    crew: int
    leadership: int


PortTask: TypeAlias = Deliver | DeliverGoods | Persuade
"""Tasks done in a port."""

SeaTask: TypeAlias = Search | Assault
"""Tasks done by scouting at sea."""

Deed: TypeAlias = DefeatPirate | DefeatNavy | RaidNation
"""Tasks that are done by a victory or a raid."""

MissionTask: TypeAlias = PortTask | SeaTask | Deed
