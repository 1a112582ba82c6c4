"""The jobs that workers receive and the results they return: plain values, so that a block can be played anywhere.

A part of a block (block_parts.py) is a job with some of the rotations, and its result. The code that plays is imported
when it is needed: reading the progress of an event does without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from referee.games import find_game
from referee.match.clock import TimeControl
from referee.match.ids import event_match_id
from referee.match.notes import EVERYBODY
from server.bots.spec import BotSpec
from server.play.recorded_match import RecordedMatch, VoidMatch

if TYPE_CHECKING:
    from referee.match.match import Terms
    from tortuga.v1 import record_pb2

IDLE_LIMIT = 24
"""Idle bot processes that a worker keeps. An event of thirty bots on five seats would otherwise have hundreds."""

BlockKey = tuple[str, int]
"""The contest and the number of a block."""


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
    """The rotations to be played: all, those of a part, or those whose record was lost."""
    secrets: tuple[bytes, ...]
    """One per rotation; all the same in a mirrored block."""
    clock: TimeControl
    faults_allowed: int
    fresh: bool
    """Whether every match has processes of its own."""
    notes: str = EVERYBODY
    """Who may read what the bots note."""
    host: str = ""
    """The machine of a cluster that plays it. Empty: this one."""
    host_speed: int = 0
    """As in the record."""
    named: str = ""
    """The contest as records name it, where `contest` is only to tell jobs apart. Empty: `contest`."""
    excuses_left: Mapping[str, int] = field(default_factory=dict)
    """How often each of its bots may still be excused for running out of time; a bot that is not there, for ever."""
    only_match: str = ""
    """The name of its one match, on an arena's ladder. Empty: matches are named after their block."""

    @property
    def key(self) -> BlockKey:
        """Return the contest and the number of the block."""
        return self.contest, self.block

    @property
    def lanes(self) -> tuple[int, ...]:
        """Return for each rotation to be played how many before it have the same luck.

        A bot process that stays in one lane never meets the same luck twice.
        """
        secrets = [self.secrets[rotation] for rotation in self.rotations]
        return tuple(secrets[:place].count(secret) for place, secret in enumerate(secrets))

    def match_id(self, rotation: int) -> str:
        """Return the name of a match; its record and its logs are named after it."""
        named = event_match_id(self.named or self.contest, self.block, self.secrets[rotation], rotation)
        return self.only_match or named

    def seating(self, rotation: int) -> list[BotSpec]:
        """Return the bots in seat order."""
        seats = len(self.bots)
        return [self.bots[(seat - rotation) % seats] for seat in range(seats)]

    def terms(self, rotation: int) -> Terms:
        """Return what one match of the block is played under."""
        from referee.wire import make_terms

        game = find_game(self.game)
        return make_terms(
            game,
            game.info.read_variant(self.variant),
            self.secrets[rotation],
            match_id=self.match_id(rotation),
            clock=self.clock,
            faults_allowed=self.faults_allowed,
        )

    def place(self, rotation: int) -> record_pb2.RecordPlace | None:
        """Return where in the event a match belongs; None for a ladder's, which gets its number when it is stored."""
        from tortuga.v1 import record_pb2

        if self.only_match:
            return None
        return record_pb2.RecordPlace(
            event=self.event,
            contest=self.named or self.contest,
            block=self.block,
            stage=self.stage,
            label=self.label,
            bots=[bot.name for bot in self.bots],
            rotation=rotation,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedBlock:
    """What a comparison of two machines came to: they played the same block, and one of the results counts."""

    contest: str
    block: int
    hosts: tuple[str, str]
    """First the one whose result counts."""
    bots: tuple[str, ...]
    diverged: tuple[str, ...]
    """The bots that answered differently although all had been the same until then."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockResult:
    """The outcome of a job. Of a block: all of its matches, or none. Of a part: those that were not void."""

    contest: str
    block: int
    matches: tuple[RecordedMatch, ...]
    voids: tuple[VoidMatch, ...]
    """What had to be played again, or still has to be. Without any and without matches, it was handed back unplayed."""
    repeats: tuple[RepeatedBlock, ...] = ()
    """Comparisons of machines that have come in meanwhile, of whatever blocks."""

    @property
    def key(self) -> BlockKey:
        """Return the contest and the number of the block."""
        return self.contest, self.block
