"""A tally: how often each score was seen, the basis of duel estimates and sequential tests.

An item is a game (scores 0, 1/2, 1) or a block of games played with the same luck and exchanged seats (for two seats
0, 1/4, 1/2, 3/4, 1: the classic pentanomial). Items are independent of each other; the games of an item need not be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

TRINOMIAL = (0.0, 0.5, 1.0)
PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """Scores in 0..1, ascending, and how often each was seen."""

    scores: tuple[float, ...]
    counts: tuple[float, ...]
    games: int = 1
    """Games per item."""

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.counts) or any(count < 0 for count in self.counts):
            raise ValueError(f"{len(self.scores)} scores, counts {self.counts}")
        if any(not 0 <= score <= 1 for score in self.scores) or list(self.scores) != sorted(set(self.scores)):
            raise ValueError(f"scores {self.scores} are not ascending in 0..1")
        if self.games < 1:
            raise ValueError(f"{self.games} games an item")

    @property
    def items(self) -> float:
        """How many items were counted."""
        return math.fsum(self.counts)

    @property
    def mean(self) -> float:
        """The mean score; 1/2 of nothing."""
        items = self.items
        return math.fsum(s * n for s, n in zip(self.scores, self.counts, strict=True)) / items if items else 0.5

    @property
    def variance(self) -> float:
        """The variance of an item's score, as seen (the divisor is the number of items)."""
        items, mean = self.items, self.mean
        if sum(count > 0 for count in self.counts) < 2:
            return 0.0  # exactly: the mean of equal scores may differ from them by rounding
        return math.fsum(n * (s - mean) ** 2 for s, n in zip(self.scores, self.counts, strict=True)) / items

    @property
    def shares(self) -> tuple[float, ...]:
        """The counts as shares, an unseen score counting 0.001 (as fishtest does), so that logarithms exist."""
        counts = [count or 1e-3 for count in self.counts]
        total = math.fsum(counts)
        return tuple(count / total for count in counts)


def of_games(wins: float, losses: float, ties: float) -> Tally:
    """Single games."""
    return Tally(scores=TRINOMIAL, counts=(losses, ties, wins))


def of_pairs(counts: Sequence[float]) -> Tally:
    """Pairs of games with exchanged seats: how many scored 0, 1/2, 1, 3/2 and 2 points."""
    return Tally(scores=PENTANOMIAL, counts=tuple(counts), games=2)


def of_scores(scores: Iterable[float], *, games: int) -> Tally:
    """Items given one by one."""
    return of_counts(Counter(rounded(score) for score in scores), games=games)


def of_counts(counts: Mapping[float, float], *, games: int) -> Tally:
    """Items counted already, by score."""
    scores = sorted(counts)
    return Tally(scores=tuple(scores), counts=tuple(counts[score] for score in scores), games=games)


def rounded(score: float) -> float:
    """The score without rounding errors, so that equal scores are equal numbers."""
    return round(score, 9)
