"""Rounds and turns: what happens on the board, and the dice that are rolled."""

from __future__ import annotations

from typing import TypeAlias

from referee.games.marauders.terms import (
    Good,
    Nation,
    NpcKind,
    Roll,
    ShipType,
    Side,
    Zone,
)
from referee.rules.engine import Seat
from referee.rules.parts import Part, immutable


@immutable(frozen=True, slots=True)
class TurnOrderDrawn(Part):
    """The order of turns for the whole game."""

    seats: tuple[Seat, ...]


@immutable(frozen=True, slots=True)
class CaptainArrived(Part):
    """A seat has a captain and a ship in its home port."""

    seat: Seat
    captain: str
    ship: ShipType
    zone: Zone
    gold: int


@immutable(frozen=True, slots=True)
class RoundBegan(Part):
    """An event card is in force."""

    round: int
    card: str


@immutable(frozen=True, slots=True)
class MerchantsPlaced(Part):
    """Merchant tokens came from the track to these zones."""

    zones: tuple[Zone, ...]


@immutable(frozen=True, slots=True)
class NpcMoved(Part):
    """An NPC sailed; `zone` is where it is now."""

    npc: NpcKind
    zone: Zone


@immutable(frozen=True, slots=True)
class NpcEntered(Part):
    """An NPC appeared, or its captain was replaced. No card: a war admiral."""

    npc: NpcKind
    card: str | None
    zone: Zone


@immutable(frozen=True, slots=True)
class NpcLeft(Part):
    """An NPC left the board, beaten or because its war ended."""

    npc: NpcKind


@immutable(frozen=True, slots=True)
class WarDeclared(Part):
    """Two nations are at war."""

    nations: tuple[Nation, Nation]


@immutable(frozen=True, slots=True)
class PeaceMade(Part):
    """The war is over."""


@immutable(frozen=True, slots=True)
class PortsClosed(Part):
    """The plague closed ports for the round."""

    zones: tuple[Zone, ...]


@immutable(frozen=True, slots=True)
class MarqueIssued(Part):
    """Captains of `nation` may engage those of `target` without bounty."""

    nation: Nation
    target: Nation


@immutable(frozen=True, slots=True)
class DemandChanged(Part):
    """A port wants something else."""

    zone: Zone
    good: Good


@immutable(frozen=True, slots=True)
class TurnBegan(Part):
    """A seat is active."""

    seat: Seat
    actions: int
    free_moves: int


@immutable(frozen=True, slots=True)
class GameEnded(Part):
    """`ten`, `events`, `captains` or `cap`."""

    reason: str


@immutable(frozen=True, slots=True)
class DiceRolled(Part):
    """Dice on the table; after a re-roll the whole pool as it lies now. 5 and 6 are skulls."""

    side: Side
    roll: Roll
    dice: tuple[int, ...]


RoundEvent: TypeAlias = (
    TurnOrderDrawn
    | CaptainArrived
    | RoundBegan
    | MerchantsPlaced
    | NpcMoved
    | NpcEntered
    | NpcLeft
    | WarDeclared
    | PeaceMade
    | PortsClosed
    | MarqueIssued
    | DemandChanged
    | TurnBegan
    | GameEnded
    | DiceRolled
)
