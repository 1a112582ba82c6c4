"""What a run of simulated games came to: counts of all kinds, and results with their intervals.

Results are counted by block: the games of a block share their luck, so only blocks are independent evidence.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.rules.engine import Outcome
from server.ratings.scores import ClusterMean, seat_scores

Key = tuple[int | None, int | None]
"""A bot (its number among the different bots) and a seat; None: any."""

_BINS_PER_DOUBLING = 16
"""Times are kept in bins: a percentile is known within 4 %."""


@dataclass(slots=True)
class Sizes:
    """How long the legal lists of one kind of decision were."""

    count: int = 0
    total: int = 0
    max: int = 0

    def add(self, size: int) -> None:
        """Add one more list."""
        self.count += 1
        self.total += size
        self.max = max(self.max, size)

    def merge(self, other: Sizes) -> None:
        """Add the lists of another run."""
        self.count += other.count
        self.total += other.total
        self.max = max(self.max, other.max)


@dataclass(slots=True)
class Times:
    """How long a bot thought per decision, in seconds."""

    count: int = 0
    total: float = 0.0
    max: float = 0.0
    _bins: Counter[int] = field(default_factory=Counter)

    def add(self, seconds: float) -> None:
        """Add one more decision."""
        self.count += 1
        self.total += seconds
        self.max = max(self.max, seconds)
        self._bins[math.floor(math.log2(max(seconds, 1e-9)) * _BINS_PER_DOUBLING)] += 1

    def merge(self, other: Times) -> None:
        """Add the decisions of another run."""
        self.count += other.count
        self.total += other.total
        self.max = max(self.max, other.max)
        self._bins.update(other._bins)

    @property
    def mean(self) -> float:
        """Return the mean."""
        return self.total / self.count if self.count else 0.0

    def percentile(self, percent: float) -> float:
        """Return the time that this share of the decisions took at most."""
        left = self.count * percent / 100
        for place, count in sorted(self._bins.items()):
            left -= count
            if left <= 0:
                return min(self.max, 2 ** ((place + 1) / _BINS_PER_DOUBLING))
        return self.max


@dataclass(slots=True)
class Results:
    """The results of a bot, of a seat, or of a bot on a seat."""

    wins: ClusterMean = field(default_factory=ClusterMean)
    """Games won; a shared first place counts in equal parts."""
    score: ClusterMean = field(default_factory=ClusterMean)
    """The share of the other seats beaten, ties counting half."""
    points: ClusterMean = field(default_factory=ClusterMean)
    """The game's own points."""
    margin: ClusterMean = field(default_factory=ClusterMean)
    """Points more than the best of the other seats."""

    def merge(self, other: Results) -> None:
        """Add the results of another run."""
        self.wins.merge(other.wins)
        self.score.merge(other.score)
        self.points.merge(other.points)
        self.margin.merge(other.margin)


class BlockResults:
    """The results of one block, before they count as one."""

    def __init__(self) -> None:
        self._sums: dict[Key, list[float]] = {}
        self._games: Counter[Key] = Counter()

    def add(self, outcome: Outcome, bots: Sequence[int]) -> None:
        """Add one game; `bots` says who sat where and may be empty."""
        scores, best = seat_scores(outcome.ranks), outcome.ranks.count(1)
        played: set[Key] = set()
        for seat, rank in enumerate(outcome.ranks):
            others = outcome.scores[:seat] + outcome.scores[seat + 1 :]
            won = 1 / best if rank == 1 else 0.0
            values = (won, scores[seat], outcome.scores[seat], outcome.scores[seat] - max(others), 1.0)
            keys: list[Key] = [(None, seat)]
            if bots:
                keys += [(bots[seat], None), (bots[seat], seat)]
            played.update(keys)
            for key in keys:
                sums = self._sums.setdefault(key, [0.0] * len(values))
                self._sums[key] = [total + value for total, value in zip(sums, values, strict=True)]
        self._games.update(played)

    def count_in(self, results: dict[Key, Results]) -> None:
        """Count them as one block. Wins are per game, everything else per seat held."""
        for key, (won, score, points, margin, seats) in self._sums.items():
            tally = results.setdefault(key, Results())
            tally.wins.add(won, self._games[key])
            tally.score.add(score, seats)
            tally.points.add(points, seats)
            tally.margin.add(margin, seats)


@dataclass(slots=True)
class Tally:
    """What a run of games came to."""

    game: str
    seats: int
    games: int = 0
    seconds: float = 0.0
    decisions: list[int] = field(default_factory=list)
    lists: dict[str, Sizes] = field(default_factory=dict)
    ends: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    results: dict[Key, Results] = field(default_factory=dict)
    times: dict[int, Times] = field(default_factory=dict)
    """By the number of the bot among the different ones; `random` is not measured."""
    losses: list[str] = field(default_factory=list)
    """The files of the records of games that the first bot did not win."""

    @property
    def wins(self) -> list[float]:
        """Return how many games each seat has won."""
        return [self.results[None, seat].wins.total if self.games else 0.0 for seat in range(self.seats)]

    def merge(self, other: Tally) -> None:
        """Add the games of another run."""
        self.games += other.games
        self.decisions += other.decisions
        self.ends.update(other.ends)
        self.fired.update(other.fired)
        self.losses += other.losses
        for kind, sizes in other.lists.items():
            self.lists.setdefault(kind, Sizes()).merge(sizes)
        for key, results in other.results.items():
            self.results.setdefault(key, Results()).merge(results)
        for bot, times in other.times.items():
            self.times.setdefault(bot, Times()).merge(times)
