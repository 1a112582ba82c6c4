"""The live ladder and the quarantine of one contest: a fold over its results in schedule order.

Matches end in any order, but the live Elo moves in the order of the schedule: a block counts once all blocks before it
are over. So a ladder never depends on which worker was faster, and an event that was killed thirty times arrives at the
same numbers as one that was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from server.ratings import live
from server.tournament.summary import Result

QUARANTINE_MATCHES = 20
"""A bot is quarantined after this many matches at the earliest."""
NEVER = 2.0
"""A share of faults that no bot reaches: on an arena's ladders the hall suspends bots that fail too often."""


class RatingChange(NamedTuple):
    """How one match changed one seat's live Elo, in millionths."""

    match_id: str
    seat: int
    bot: str
    before: int
    change: int


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A bot that failed too often, and the block that decided it."""

    bot: str
    block: int
    stage: int
    faulted: int
    matches: int


@dataclass(slots=True)
class LiveLadder:
    """One contest so far. Feed it blocks in any order; it counts them in schedule order."""

    quarantine_share: float
    rated: bool = True
    """Whether to compute the live Elo, which is the larger part of the work."""
    next_block: int = 0
    elo: dict[str, int] = field(default_factory=dict)
    played: Counter[str] = field(default_factory=Counter)
    faulted: Counter[str] = field(default_factory=Counter)
    quarantined: dict[str, Quarantine] = field(default_factory=dict)
    _waiting: dict[int, Sequence[Result] | None] = field(default_factory=dict)

    def feed(self, block: int, matches: Sequence[Result] | None) -> list[RatingChange]:
        """Add the matches of a block, or None for a block that is not played; returns the changes this settles."""
        self._waiting[block] = matches
        changes: list[RatingChange] = []
        while self.next_block in self._waiting:
            for match in self._waiting.pop(self.next_block) or ():
                changes += self._count(match)
            self.next_block += 1
        return changes

    def feed_match(self, match: Result) -> list[RatingChange]:
        """Add a match of an arena's ladder, where each is a block of its own; missing numbers were lost."""
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
