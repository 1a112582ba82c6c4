"""Shares of a table: what a seat scored, what a block came to, and the interval of a share.

docs/spec/ratings.md, section 4. A seat's score is the share of the other seats it beat, ties counting half: its mean is
1/2 whatever the number of seats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from server.ratings.distributions import Z95


def wilson(share: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a share, sound also near 0 and 1."""
    if games <= 0:
        return 0.0, 1.0
    centre = (share + Z95 * Z95 / (2 * games)) / (1 + Z95 * Z95 / games)
    half = Z95 * math.sqrt(share * (1 - share) / games + Z95 * Z95 / (4 * games * games)) / (1 + Z95 * Z95 / games)
    # At the ends the bound is the end itself, which rounding misses by a hair: thousands of Elo instead of infinity.
    return max(0.0, centre - half) if share > 0 else 0.0, min(1.0, centre + half) if share < 1 else 1.0


def seat_scores(ranks: Sequence[int]) -> tuple[float, ...]:
    """What every seat of a match scored: (seats beaten + ties/2) / (seats - 1)."""
    others = len(ranks) - 1
    if others < 1:
        raise ValueError(f"a match of {len(ranks)} seats has no scores")
    return tuple((sum(other > rank for other in ranks) + (ranks.count(rank) - 1) / 2) / others for rank in ranks)


def block_score(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The score of one side of a block: our seats' mean against theirs, mapped to 0..1, even is 1/2.

    The scores are those of `seat_scores`, of all matches of the block. In two seats this is the plain mean of ours; in
    more, seats of neither side may be filled by others, whose scores are in neither list.
    """
    return 0.5 + (math.fsum(ours) / len(ours) - math.fsum(theirs) / len(theirs)) / 2
