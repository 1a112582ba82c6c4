"""What a captain does in its turn (5.1): `choose_ship`, `action`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from referee.engine import Seat
from referee.games.marauders.terms import (
    Entry,
    NpcKind,
    ShipType,
    Zone,
)


@dataclass(frozen=True, slots=True)
class ChooseShip:
    """`sloop`, `flute`: the ship of a new captain."""

    ship: ShipType


@dataclass(frozen=True, slots=True)
class End:
    """`end`: the turn is over."""


@dataclass(frozen=True, slots=True)
class Retire:
    """`retire`: the captain leaves the game."""


@dataclass(frozen=True, slots=True)
class Leave:
    """`leave`: out of the port, to sea."""


@dataclass(frozen=True, slots=True)
class VisitPort:
    """`port`: the Port action."""


@dataclass(frozen=True, slots=True)
class Move:
    """`move z`: from sea to sea."""

    zone: Zone


@dataclass(frozen=True, slots=True)
class EnterPort:
    """`enter free|pay|roll`."""

    way: Entry


@dataclass(frozen=True, slots=True)
class ScoutPlayer:
    """`scout player i`."""

    TAG: ClassVar[str] = "ScoutPlayer"
    seat: Seat


@dataclass(frozen=True, slots=True)
class ScoutNpc:
    """`scout npc k`."""

    TAG: ClassVar[str] = "ScoutNpc"
    npc: NpcKind


@dataclass(frozen=True, slots=True)
class ScoutMerchant:
    """`scout merchant`, and `scout merchant_auto` without a roll."""

    TAG: ClassVar[str] = "ScoutMerchant"
    auto: bool = False


@dataclass(frozen=True, slots=True)
class ScoutRumor:
    """`scout rumor`."""

    TAG: ClassVar[str] = "ScoutRumor"


@dataclass(frozen=True, slots=True)
class ScoutMission:
    """`scout mission`."""

    TAG: ClassVar[str] = "ScoutMission"


ScoutAction: TypeAlias = ScoutPlayer | ScoutNpc | ScoutMerchant | ScoutRumor | ScoutMission
"""The Scout actions."""


SpendingAction: TypeAlias = Leave | VisitPort | Move | EnterPort | ScoutAction
"""The entries of `action` that cost an action or a move."""

TurnAction: TypeAlias = End | Retire | SpendingAction
"""All entries of `action` but the cards."""
