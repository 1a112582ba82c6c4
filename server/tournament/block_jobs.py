"""What a worker is handed, and what it gives back: plain values, so that where it is played is a detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.clock import TimeControl
from referee.match_ids import event_match_id
from server.bots.spec import BotSpec
from server.tournament.summary import MatchSummary

IDLE_LIMIT = 24
"""Idle bot processes that a worker keeps. An event of thirty bots on five seats would otherwise have hundreds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockJob:
    """One block to be played: the same bots in every rotation of the seats."""

    event: str
    contest: str
    game: str
    variant: Mapping[str, str]
    block: int
    stage: int
    label: str
    bots: tuple[BotSpec, ...]
    """In the order of rotation 0; in rotation k, seat s is held by bots[(s - k) % seats]."""
    rotations: tuple[int, ...]
    """Those to be played: all of them, or those of which the record was lost."""
    secrets: tuple[bytes, ...]
    """One per rotation; all the same in a mirrored block."""
    clock: TimeControl
    faults_allowed: int
    fresh: bool
    """Every match has processes of its own."""

    @property
    def key(self) -> tuple[str, int]:
        """Which block of which contest."""
        return self.contest, self.block

    def match_id(self, rotation: int) -> str:
        """The match's name, from which its record and its logs have theirs."""
        return event_match_id(self.contest, self.block, self.secrets[rotation], rotation)

    def seating(self, rotation: int) -> list[BotSpec]:
        """The bots in seat order."""
        seats = len(self.bots)
        return [self.bots[(seat - rotation) % seats] for seat in range(seats)]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """One match: its row, its record, and the logs of the bots that failed in it, by seat."""

    summary: MatchSummary
    packed: bytes
    logs: Mapping[int, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockResult:
    """What became of an order: all of its matches, or none and why."""

    contest: str
    block: int
    matches: tuple[RecordedMatch, ...]
    voids: tuple[str, ...]
    """Why matches had to be played again, or why the whole block has to be."""

    @property
    def key(self) -> tuple[str, int]:
        """Which block of which contest."""
        return self.contest, self.block
