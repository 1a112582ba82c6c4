"""Every option a bot can choose (section 5), as frozen values. Each docstring names its entry there.

Rules take them from rows and constants that are made once: the same option is mostly the same object and keeps its
bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from referee.games.marauders.actions.cards import CardAction
from referee.games.marauders.actions.combat import CombatAction
from referee.games.marauders.actions.port import Done, PickDemand, PlaceModification, PortAction
from referee.games.marauders.actions.raid import Engage, Jettison, LetGo, RaidAction
from referee.games.marauders.actions.turn import ChooseShip, TurnAction
from referee.rules.parts import interned

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

A = TypeVar("A")
T = TypeVar("T")


@interned
def each(kind: Callable[[T], A], things: tuple[T, ...]) -> tuple[A, ...]:
    """Return one option of a kind per thing."""
    return tuple(map(kind, things))
