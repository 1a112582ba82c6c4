"""The conditions and tasks of missions (cards file F)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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


@dataclass(frozen=True, slots=True)
class DefeatNavy:
    """`DEFEAT navy`: win a combat against a naval ship."""


@dataclass(frozen=True, slots=True)
class RaidNation:
    """`RAID X`: a successful raid on a merchant engaged as that nation's."""

    nation: Nation


@dataclass(frozen=True, slots=True)
class Assault:
    """`ASSAULT Z c l`: a crew combat against the garrison of a town."""

    zone: Zone
    crew: int
    leadership: int


MissionTask: TypeAlias = Deliver | DeliverGoods | Persuade | Search | DefeatPirate | DefeatNavy | RaidNation | Assault
