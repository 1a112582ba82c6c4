"""What a captain does in its turn (5.1): `choose_ship`, `action`."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.engine import Seat
from referee.games.marauders.terms import (
    Entry,
    NpcKind,
    ShipType,
    Zone,
)
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class ChooseShip:
    """`sloop`, `flute`: the ship of a new captain."""

    ship: ShipType


@immutable(frozen=True, slots=True)
class End:
    """`end`: the turn is over."""


@immutable(frozen=True, slots=True)
class Retire:
    """`retire`: the captain leaves the game."""


@immutable(frozen=True, slots=True)
class Leave:
    """`leave`: out of the port, to sea."""


@immutable(frozen=True, slots=True)
class VisitPort:
    """`port`: the Port action."""


@immutable(frozen=True, slots=True)
class Move:
    """`move z`: from sea to sea."""

    zone: Zone


@immutable(frozen=True, slots=True)
class EnterPort:
    """`enter free|pay|roll`."""

    way: Entry


@immutable(frozen=True, slots=True)
class ScoutPlayer:
    """`scout player i`."""

    TAG: ClassVar[str] = "ScoutPlayer"
    seat: Seat


@immutable(frozen=True, slots=True)
class ScoutNpc:
    """`scout npc k`."""

    TAG: ClassVar[str] = "ScoutNpc"
    npc: NpcKind


@immutable(frozen=True, slots=True)
class ScoutMerchant:
    """`scout merchant`, and `scout merchant_auto` without a roll."""

    TAG: ClassVar[str] = "ScoutMerchant"
    auto: bool = False


@immutable(frozen=True, slots=True)
class ScoutRumor:
    """`scout rumor`."""

    TAG: ClassVar[str] = "ScoutRumor"


@immutable(frozen=True, slots=True)
class ScoutMission:
    """`scout mission`."""

    TAG: ClassVar[str] = "ScoutMission"


ScoutAction: TypeAlias = ScoutPlayer | ScoutNpc | ScoutMerchant | ScoutRumor | ScoutMission
"""The Scout actions."""


SpendingAction: TypeAlias = Leave | VisitPort | Move | EnterPort | ScoutAction
"""The entries of `action` that cost an action or a move."""

TurnAction: TypeAlias = End | Retire | SpendingAction
"""All entries of `action` but the cards."""
