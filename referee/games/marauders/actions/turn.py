"""What a captain does in its turn (5.1): `choose_ship`, `action`."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from referee.games.marauders.terms import (
    Entry,
    NpcKind,
    ShipType,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class ChooseShip(Part):
    """`sloop`, `flute`: the ship of a new captain."""

    ship: ShipType


@immutable(frozen=True, slots=True)
class End(Part):
    """`end`: the turn is over."""


@immutable(frozen=True, slots=True)
class Retire(Part):
    """`retire`: the captain leaves the game."""


@immutable(frozen=True, slots=True)
class Leave(Part):
    """`leave`: out of the port, to sea."""


@immutable(frozen=True, slots=True)
class VisitPort(Part):
    """`port`: the Port action."""


@immutable(frozen=True, slots=True)
class Move(Part):
    """`move z`: from sea to sea."""

    zone: Zone


@immutable(frozen=True, slots=True)
class EnterPort(Part):
    """`enter free|pay|roll`."""

    way: Entry


@immutable(frozen=True, slots=True)
class ScoutPlayer(Part):
    """`scout player i`."""

    TAG: ClassVar[str] = "ScoutPlayer"
    seat: Seat


@immutable(frozen=True, slots=True)
class ScoutNpc(Part):
    """`scout npc k`."""

    TAG: ClassVar[str] = "ScoutNpc"
    npc: NpcKind


@immutable(frozen=True, slots=True)
class ScoutMerchant(Part):
    """`scout merchant`, and `scout merchant_auto` without a roll."""

    TAG: ClassVar[str] = "ScoutMerchant"
    auto: bool = False


@immutable(frozen=True, slots=True)
class ScoutRumor(Part):
    """`scout rumor`."""

    TAG: ClassVar[str] = "ScoutRumor"


@immutable(frozen=True, slots=True)
class ScoutMission(Part):
    """`scout mission`."""

    TAG: ClassVar[str] = "ScoutMission"


END = End()
RETIRE = Retire()
LEAVE = Leave()
VISIT_PORT = VisitPort()
SCOUT_MERCHANT = ScoutMerchant()
AUTO_SCOUT_MERCHANT = ScoutMerchant(auto=True)
SCOUT_RUMOR = ScoutRumor()
SCOUT_MISSION = ScoutMission()

ScoutAction: TypeAlias = ScoutPlayer | ScoutNpc | ScoutMerchant | ScoutRumor | ScoutMission
"""The Scout actions."""


SpendingAction: TypeAlias = Leave | VisitPort | Move | EnterPort | ScoutAction
"""The entries of `action` that cost an action or a move."""

TurnAction: TypeAlias = End | Retire | SpendingAction
"""All entries of `action` but the cards."""
