"""Every option a bot can choose (section 5), as frozen values. Each docstring names its entry there."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.actions.cards import CardAction
from referee.games.marauders.actions.combat import CombatAction
from referee.games.marauders.actions.port import Done, PickDemand, PlaceModification, PortAction
from referee.games.marauders.actions.raid import Engage, Jettison, LetGo, RaidAction
from referee.games.marauders.actions.turn import ChooseShip, TurnAction

Action: TypeAlias = (
    ChooseShip
    | TurnAction
    | Done
    | PortAction
    | PickDemand
    | PlaceModification
    | LetGo
    | Engage
    | RaidAction
    | Jettison
    | CombatAction
    | CardAction
)
