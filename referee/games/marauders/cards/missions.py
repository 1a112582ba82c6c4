"""The conditions and tasks of missions (cards file F)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    Zone,
)


@dataclass(frozen=True, slots=True)
class NoCondition:
    """`NONE`."""


@dataclass(frozen=True, slots=True)
class NotWanted:
    """`NOT_WANTED X`: no bounty of X."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class NonPirate:
    """`NON_PIRATE`: no bounty at all."""


@dataclass(frozen=True, slots=True)
class Pirate:
    """`PIRATE`: at least one bounty."""


@dataclass(frozen=True, slots=True)
class Pay:
    """`PAY n`."""

    gold: int


@dataclass(frozen=True, slots=True)
class InfluenceRoll:
    """`ROLL infl`."""


Condition: TypeAlias = NoCondition | NotWanted | NonPirate | Pirate | Pay | InfluenceRoll


@dataclass(frozen=True, slots=True)
class Deliver:
    """`DELIVER Z`: be in that port."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class DeliverGoods:
    """`GOODS g n Z`: bring goods to that port."""

    good: Good
    count: int
    zone: Zone


@dataclass(frozen=True, slots=True)
class Persuade:
    """`PERSUADE Z`: an Influence roll in that port."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class Search:
    """`SEARCH Z`: a Scouting roll at sea there."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class DefeatPirate:
    """`DEFEAT pirate`: win a combat against a pirate NPC."""

    TAG: ClassVar[str] = "DefeatPirate"


@dataclass(frozen=True, slots=True)
class DefeatNavy:
    """`DEFEAT navy`: win a combat against a naval ship."""

    TAG: ClassVar[str] = "DefeatNavy"


@dataclass(frozen=True, slots=True)
class RaidNation:
    """`RAID X`: a successful raid on a merchant engaged as that nation's."""

    TAG: ClassVar[str] = "RaidNation"
    nation: Nation


@dataclass(frozen=True, slots=True)
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
