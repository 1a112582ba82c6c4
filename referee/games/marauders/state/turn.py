"""The turn, the Port action and the raid under way."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.actions.turn import ScoutAction
from referee.games.marauders.terms import (
    Activity,
    Good,
    Nation,
    Weapon,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class Turn(Part):
    """The turn under way."""

    TAG: ClassVar[str] = "Turn"

    seat: Seat
    actions: int
    free_moves: int
    acted: bool = False
    """An action was taken; glory cards do not count."""
    port_used: bool = False
    tried: tuple[ScoutAction, ...] = ()
    """Players, NPCs and the mission already scouted for."""
    tried_merchants: tuple[Zone, ...] = ()


@immutable(frozen=True, slots=True)
class Visit(Part):
    """The Port action under way (5.2)."""

    TAG: ClassVar[str] = "Visit"

    open: Activity | None = None
    used: tuple[Activity, ...] = ()
    """Activities opened so far, the open one among them."""
    sell_closed: bool = False
    sold: tuple[Good, ...] = ()
    sold_demand: bool = False
    offer: tuple[str, ...] = ()
    """Cards drawn by Buy goods and not bought; the buyer's secret."""
    prices: tuple[tuple[Good, int], ...] = ()
    """Unit price of each good drawn and not yet bought."""
    weapons: tuple[Weapon, ...] = ()
    """Bought or sold in this Port action."""
    ship_bought: bool = False
    recruit_failed: bool = False
    stashed: bool = False
    withdrew: bool = False
    vault: bool = False
    """`STASH_HERE` is in force."""
    tested_rumor: bool = False
    did_mission: bool = False
    tried_cards: tuple[str, ...] = ()
    """Specialists whose roll failed in this Port action."""
    played: tuple[str, ...] = ()
    """Cards whose `PORT_MOD` is in force."""


@immutable(frozen=True, slots=True)
class Raid(Part):
    """The merchant raid under way (6.8)."""

    TAG: ClassVar[str] = "Raid"

    nation: Nation
    table: tuple[str, ...] = ()
    dice: tuple[int, ...] = ()
    free: int = 0
    """Successes without a die: `raid.free`, and failed dice turned by weapons."""
    turned: int = 0
    """Failed dice turned by weapons."""
    spent: int = 0
