"""Scores of seats and blocks, and their mean over games with its 95 % interval. docs/spec/ratings.md, section 4.

A seat's score is the share of the other seats it beat, ties counting half: the mean is 1/2 for any number of seats.

The games of a block share their luck, so they are no independent evidence: the block is the unit. Blocks may be of
different sizes (a run may be stopped within one), so the mean is a ratio: the sum over games by their number. Its
variance is that of what each block scored beyond the mean (the same sandwich as in spread.py, with a single parameter).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from server.ratings.distributions import Z95, t_quantile


def wilson(share: float, games: float) -> tuple[float, float]:
    """Return the 95 % interval of a share, sound also near 0 and 1."""
    if games <= 0:
        return 0.0, 1.0
    centre = (share + Z95 * Z95 / (2 * games)) / (1 + Z95 * Z95 / games)
    half = Z95 * math.sqrt(share * (1 - share) / games + Z95 * Z95 / (4 * games * games)) / (1 + Z95 * Z95 / games)
    # At the ends the bound is the end itself, which rounding misses by a hair: thousands of Elo instead of infinity.
    return max(0.0, centre - half) if share > 0 else 0.0, min(1.0, centre + half) if share < 1 else 1.0


def seat_scores(ranks: Sequence[int]) -> tuple[float, ...]:
    """Return what every seat of a match scored: (seats beaten + ties/2) / (seats - 1)."""
    others = len(ranks) - 1
    if others < 1:
        raise ValueError(f"a match of {len(ranks)} seats has no scores")
    return tuple((sum(other > rank for other in ranks) + (ranks.count(rank) - 1) / 2) / others for rank in ranks)


def block_score(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the score of one side of a block: our seats' mean against theirs, mapped to 0..1, even is 1/2.

    The scores are those of `seat_scores`, of all matches of the block. In two seats this is the plain mean of ours;
    in more, seats of neither side may be filled by others, whose scores are in neither list.
    """
    return 0.5 + (math.fsum(ours) / len(ours) - math.fsum(theirs) / len(theirs)) / 2


def says_nothing(interval: tuple[float, float] | None) -> bool:
    """Check whether the interval of a difference of two scores is unknown, or all that a difference can be: -1..1."""
    return interval is None or (interval[0] <= -1 and interval[1] >= 1)


def tell_difference(first: str, second: str, interval: tuple[float, float] | None) -> str:
    """Say whether the second of two is better, by the 95 % interval of its score less that of the first."""
    if interval is None or says_nothing(interval):
        return f"too few blocks to say whether {second} is better than {first}: play more blocks"
    low, high = (100 * end for end in interval)
    if 0 <= low < high:
        return f"{second} is better than {first}: by {low:.1f} to {high:.1f} points of a hundred"
    if low < high <= 0:
        return f"{second} is worse than {first}: by {-high:.1f} to {-low:.1f} points of a hundred"
    return f"which is better is not clear: {second} is somewhere from {low:+.1f} to {high:+.1f} points of a hundred"


_ROUNDING = 1e-12
"""A scatter below this share of the squares is a rounding error."""


@dataclass(slots=True)
class ClusterMean:
    """Sums over blocks. `add` takes one block at a time."""

    blocks: int = 0
    games: float = 0.0
    total: float = 0.0
    _games_squared: float = 0.0
    _total_squared: float = 0.0
    _crossed: float = 0.0

    def add(self, total: float, games: float = 1.0) -> None:
        """Add one more block: the sum over its games, and how many they were."""
        self.blocks += 1
        self.games += games
        self.total += total
        self._games_squared += games * games
        self._total_squared += total * total
        self._crossed += total * games

    def merge(self, other: ClusterMean) -> None:
        """Add the blocks of another run."""
        self.blocks += other.blocks
        self.games += other.games
        self.total += other.total
        self._games_squared += other._games_squared
        self._total_squared += other._total_squared
        self._crossed += other._crossed

    @property
    def mean(self) -> float:
        """Return the mean over games; 0 if there are none."""
        return self.total / self.games if self.games else 0.0

    @property
    def variance(self) -> float | None:
        """Return the variance of the mean; None if fewer than two blocks are known."""
        if self.blocks < 2:
            return None
        mean = self.mean
        scatter = self._total_squared - 2 * mean * self._crossed + mean * mean * self._games_squared
        if scatter <= _ROUNDING * (self._total_squared + mean * mean * self._games_squared):
            return 0.0
        return scatter / self.games**2 * self.blocks / (self.blocks - 1)

    @property
    def half_width(self) -> float | None:
        """Return half of the 95 % interval by Student's t. None: too few blocks, or all alike, which tells no
        spread."""
        variance = self.variance
        return t_quantile(0.975, self.blocks - 1) * math.sqrt(variance) if variance else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the mean of any quantity; None if unknown."""
        half = self.half_width
        return None if half is None else (self.mean - half, self.mean + half)

    @property
    def share_interval(self) -> tuple[float, float]:
        """Return the 95 % interval of a share, sound also near 0 and 1.

        Wilson's, with the number of independent games that would scatter as the blocks do (Korn and Graubard), or
        with the number of blocks where all of them are alike.
        """
        share, variance = min(max(self.mean, 0.0), 1.0), self.variance
        if not variance or not 0 < share < 1:
            return wilson(share, self.blocks)
        few = (Z95 / t_quantile(0.975, self.blocks - 1)) ** 2
        return wilson(share, share * (1 - share) / variance * few)
