"""What follows from the results when they are read in schedule order: the live ladder, and who is quarantined.

Matches end in whatever order the machine pleases. The live Elo moves in the order of the schedule instead: a block
counts as soon as all blocks before it are over. So a ladder never depends on which worker was quicker, and an event
that was killed thirty times comes to the same numbers as one that was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from server.ratings import live
from server.tournament.summary import Result

QUARANTINE_MATCHES = 20
"""Nobody is judged by fewer matches."""
NEVER = 2.0
"""A share of faults that nobody reaches: on the ladders of an arena, who fails too often is suspended by the hall."""


class RatingChange(NamedTuple):
    """What one match did to one seat's live Elo, in millionths."""

    match_id: str
    seat: int
    bot: str
    before: int
    change: int


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A bot that failed too often, and the block at which that was so."""

    bot: str
    block: int
    stage: int
    faulted: int
    matches: int


@dataclass(slots=True)
class LiveLadder:
    """One contest so far. Feed it blocks in any order; it takes them in order."""

    quarantine_share: float
    rated: bool = True
    """Whether the live ladder is wanted too: it is the larger part of the work."""
    next_block: int = 0
    elo: dict[str, int] = field(default_factory=dict)
    played: Counter[str] = field(default_factory=Counter)
    faulted: Counter[str] = field(default_factory=Counter)
    quarantined: dict[str, Quarantine] = field(default_factory=dict)
    _waiting: dict[int, Sequence[Result] | None] = field(default_factory=dict)

    def feed(self, block: int, matches: Sequence[Result] | None) -> list[RatingChange]:
        """The matches of a block, or None for a block that is not played; gives the changes that are now settled."""
        self._waiting[block] = matches
        changes: list[RatingChange] = []
        while self.next_block in self._waiting:
            for match in self._waiting.pop(self.next_block) or ():
                changes += self._count(match)
            self.next_block += 1
        return changes

    def follow(self, match: Result) -> list[RatingChange]:
        """A match where there is no schedule and each is a block of its own; numbers that are left out were lost."""
        if match.block < self.next_block:
            raise AssertionError(f"{match.match_id}: number {match.block} came where {self.next_block} was due")
        for lost in range(self.next_block, match.block):
            self.feed(lost, None)
        return self.feed(match.block, [match])

    def _count(self, match: Result) -> list[RatingChange]:
        bots = match.seated
        changes = self._rate(match) if self.rated else []
        for bot, faults in zip(bots, match.faults_by_seat, strict=True):
            self.played[bot] += 1
            self.faulted[bot] += faults > 0
        for bot in bots:
            if self.faulted[bot]:
                self._judge(bot, match)
        return changes

    def _rate(self, match: Result) -> list[RatingChange]:
        bots, elo, match_id = match.seated, self.elo, match.match_id
        before = [elo.setdefault(bot, live.START) for bot in bots]
        moved = live.changes(before, [self.played[bot] for bot in bots], match.ranks)
        changes = []
        for seat, bot in enumerate(bots):
            change = moved[seat]
            elo[bot] += change
            changes.append(RatingChange(match_id, seat, bot, before[seat], change))
        return changes

    def _judge(self, bot: str, match: Result) -> None:
        faulted, played = self.faulted[bot], self.played[bot]
        if bot not in self.quarantined and played >= QUARANTINE_MATCHES and faulted > self.quarantine_share * played:
            self.quarantined[bot] = Quarantine(bot, match.block, match.stage, faulted, played)
