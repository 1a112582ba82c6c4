"""Computes the live Elo (server/ratings/live.py) and the quarantine of one contest: a fold over its results in order.

Matches end in any order, but the live Elo moves in the order of the schedule: a block counts once all blocks before it
are over. So a ladder never depends on which worker was faster, and an event that was killed thirty times arrives at the
same numbers as one that was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Protocol

from server.play.summary import Result
from server.ratings import live

if TYPE_CHECKING:
    from server.tournament.result_columns import ResultColumns

QUARANTINE_MATCHES = 20
"""A bot is quarantined after this many matches at the earliest."""
NEVER = 2.0
"""A share of faults that no bot reaches: on an arena's ladders the hall suspends bots that fail too often."""


class RatedMatches(Protocol):
    """Says which matches are rated: see ruled_matches.py."""

    def touches(self, match_ids: Iterable[str]) -> bool:
        """Check whether one of these matches does not simply count as it ended."""
        ...

    def is_rated(self, match_id: str) -> bool:
        """Check whether a match counts in the ratings."""
        ...


class RatingChange(NamedTuple):
    """How one match changed the live Elo of its bots, in millionths."""

    contest: str
    match_id: str
    bots: tuple[str, ...]
    """In seat order, as are the following."""
    before: tuple[int, ...]
    change: tuple[int, ...]

    def of(self, bot: str) -> tuple[int, int]:
        """Return a bot's live Elo after the match, and its change."""
        seat = self.bots.index(bot)
        return self.before[seat] + self.change[seat], self.change[seat]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ChangeColumns:
    """The changes of many matches of a contest, in schedule order, as columns of numbers."""

    results: ResultColumns
    before: live.Columns
    change: live.Columns

    def __iter__(self) -> Iterator[RatingChange]:
        results = self.results
        for match_id, bots, before, change in zip(
            results.match_ids,
            results.bots.tolist(),
            zip(*self.before, strict=True),
            zip(*self.change, strict=True),
            strict=True,
        ):
            yield RatingChange(results.contest, match_id, tuple([results.names[bot] for bot in bots]), before, change)

    def last(self) -> dict[str, tuple[int, int]]:
        """Return by bot its live Elo after the last of these matches, and its last change."""
        places: dict[int, tuple[int, int]] = {}
        for seat, bots in enumerate(self.results.bots.T.tolist()):
            for bot, match in dict(zip(bots, range(len(bots)), strict=True)).items():
                places[bot] = max(places.get(bot, (-1, -1)), (match, seat))
        last_changes = {}
        for bot, (match, seat) in places.items():
            change = self.change[seat][match]
            last_changes[self.results.names[bot]] = self.before[seat][match] + change, change
        return last_changes


Changes = Sequence[RatingChange] | ChangeColumns


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
    ruled: RatedMatches | None = None
    """Which matches change the live Elo. None: all of them."""
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

    def skip_to_stage(self, stage: int) -> None:
        """Take every block that is missing up to the last one of this stage for one that is not played."""
        for block in sorted(self._waiting):
            matches = self._waiting.get(block, ())
            if not matches or matches[0].stage > stage:
                continue
            self.next_block = block
            self.feed(block, matches)

    def feed_match(self, match: Result) -> list[RatingChange]:
        """Add a match of an arena's ladder, where each is a block of its own; missing numbers were lost."""
        self._skip_to(match.block)
        return self.feed(match.block, [match])

    def feed_numbered(self, results: ResultColumns) -> Changes:
        """Do as `feed_match`, for many."""
        self._skip_to(int(results.blocks[0]))
        changes = self._count_columns(results)
        self.next_block = int(results.blocks[-1]) + 1
        return changes

    def _skip_to(self, block: int) -> None:
        if block < self.next_block:
            raise AssertionError(f"number {block} came where {self.next_block} was due")
        self.next_block = block

    def feed_columns(self, results: ResultColumns) -> Changes:
        """Add whole blocks, of which the first is the next one: as `feed` block by block, but much faster."""
        changes = self._count_columns(results)
        self.next_block += len(results) // results.seats
        return changes

    def _count_columns(self, results: ResultColumns) -> Changes:
        changes: Changes = ()
        if self.rated and self.ruled and self.ruled.touches(results.match_ids):
            return [change for match in results.rows() for change in self._count(match)]
        if self.rated:
            names = results.names
            elo = [self.elo.get(name, live.START) for name in names]
            played = [self.played[name] for name in names]
            before, change = live.fold(elo, played, results.bots.T.tolist(), results.ranks.T.tolist())
            self.elo.update(zip(names, elo, strict=True))
            changes = ChangeColumns(results=results, before=before, change=change)
        self._judge_columns(results)
        return changes

    def _judge_columns(self, results: ResultColumns) -> None:
        """Count matches and faults, and find out who failed too often, and when."""
        import numpy as np

        bots, failed = results.bots.ravel(), results.faults.ravel() > 0
        quarantines: list[tuple[int, Quarantine]] = []
        for number, faulted in enumerate(np.bincount(bots[failed], minlength=len(results.names)).tolist()):
            name = results.names[number]
            if (faulted or self.faulted[name]) and name not in self.quarantined:
                places = np.flatnonzero(bots == number)
                had = self.faulted[name] + np.cumsum(failed[places])
                matches = self.played[name] + np.arange(1, len(places) + 1)
                over = np.flatnonzero((matches >= QUARANTINE_MATCHES) & (had > self.quarantine_share * matches))
                if over.size:
                    at = over[0]
                    row = places[at] // results.seats
                    block, stage = int(results.blocks[row]), int(results.stages[row])
                    quarantines.append(
                        (int(places[at]), Quarantine(name, block, stage, int(had[at]), int(matches[at])))
                    )
            self.faulted[name] += faulted
        for name, count in zip(results.names, np.bincount(bots, minlength=len(results.names)).tolist(), strict=True):
            self.played[name] += count
        self.quarantined.update(
            (quarantine.bot, quarantine) for _, quarantine in sorted(quarantines, key=itemgetter(0))
        )

    def _count(self, match: Result) -> list[RatingChange]:
        bots = match.seated
        rated = self.rated and (self.ruled is None or self.ruled.is_rated(match.match_id))
        changes = [self._rate(match)] if rated else []
        for bot, faults in zip(bots, match.faults_by_seat, strict=True):
            self.played[bot] += 1
            self.faulted[bot] += faults > 0
        for bot in bots:
            if self.faulted[bot]:
                self._judge(bot, match)
        return changes

    def _rate(self, match: Result) -> RatingChange:
        bots, elo = match.seated, self.elo
        before = tuple([elo.setdefault(bot, live.START) for bot in bots])
        moved = live.changes(before, [self.played[bot] for bot in bots], match.ranks)
        for bot, change in zip(bots, moved, strict=True):
            elo[bot] += change
        return RatingChange(match.contest, match.match_id, bots, before, moved)

    def _judge(self, bot: str, match: Result) -> None:
        faulted, played = self.faulted[bot], self.played[bot]
        if bot not in self.quarantined and played >= QUARANTINE_MATCHES and faulted > self.quarantine_share * played:
            self.quarantined[bot] = Quarantine(bot, match.block, match.stage, faulted, played)
