"""What follows from the results when they are read in schedule order: the live ladder, and who is quarantined.

Matches end in whatever order the machine pleases. The live Elo moves in the order of the schedule instead: a block
counts as soon as all blocks before it are over. So a ladder never depends on which worker was quicker, and an event
that was killed thirty times comes to the same numbers as one that was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from server.ratings import live
from server.tournament.summary import MatchSummary

QUARANTINE_MATCHES = 20
"""Nobody is judged by fewer matches."""


@dataclass(frozen=True, slots=True)
class RatingChange:
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
class Fold:
    """One contest so far. Feed it blocks in any order; it takes them in order."""

    quarantine_share: float
    next_block: int = 0
    elo: dict[str, int] = field(default_factory=dict)
    played: Counter[str] = field(default_factory=Counter)
    faulted: Counter[str] = field(default_factory=Counter)
    quarantined: dict[str, Quarantine] = field(default_factory=dict)
    _waiting: dict[int, Sequence[MatchSummary] | None] = field(default_factory=dict)

    def feed(self, block: int, matches: Sequence[MatchSummary] | None) -> list[RatingChange]:
        """The matches of a block, or None for a block that is not played; gives the changes that are now settled."""
        self._waiting[block] = matches
        changes: list[RatingChange] = []
        while self.next_block in self._waiting:
            for match in self._waiting.pop(self.next_block) or ():
                changes += self._count(match)
            self.next_block += 1
        return changes

    def _count(self, match: MatchSummary) -> list[RatingChange]:
        bots = [seat.bot for seat in match.seats]
        before = [self.elo.setdefault(bot, live.START) for bot in bots]
        moved = live.changes(before, [self.played[bot] for bot in bots], match.ranks)
        for seat, change in zip(match.seats, moved, strict=True):
            self.elo[seat.bot] += change
            self.played[seat.bot] += 1
            self.faulted[seat.bot] += seat.faults > 0
            self._judge(seat.bot, match)
        return [
            RatingChange(match.match_id, seat, bot, was, change)
            for seat, (bot, was, change) in enumerate(zip(bots, before, moved, strict=True))
        ]

    def _judge(self, bot: str, match: MatchSummary) -> None:
        faulted, played = self.faulted[bot], self.played[bot]
        if bot not in self.quarantined and played >= QUARANTINE_MATCHES and faulted > self.quarantine_share * played:
            self.quarantined[bot] = Quarantine(bot, match.block, match.stage, faulted, played)
