"""A match of two: how far apart they are, and how sure that is.

docs/spec/ratings.md, section 3; the formulas of fastchess, cutechess and fishtest. From the mean and the variance of
the items' scores: logistic Elo, normalized Elo (in units of a game's own spread, so that it does not depend on how much
luck the game has), and the likelihood of superiority (LOS). Works for any number of seats once a block has one score in
0..1 (`share.block_score`).

If all items are equal, the spread is unknown rather than zero: then the Wilson interval is used, and a coin's spread
for the LOS. Only for a fixed number of items; after a sequential test these estimates are biased by stopping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from server.ratings.distributions import ELO, Z95, elo_of, normal_below
from server.ratings.score_share import wilson
from server.ratings.tally import Tally

NORMALIZED = 2 * ELO
"""800 / ln 10: a game's spread from even, in normalized Elo."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Duel:
    """The estimate of one side against the other; every interval is the 95 % one."""

    items: float
    games: float
    score: float
    """The mean, in 0..1."""
    elo: float
    """Infinite if nothing was lost, or nothing won."""
    low: float
    high: float
    """Infinite where the data say nothing; then the estimate is one-sided."""
    plus_minus: float | None
    """Half of the interval; None if it is one-sided."""
    normalized: float
    normalized_plus_minus: float
    superiority: float
    """LOS: the likelihood that this side is the better one."""
    tally: Tally

    def __str__(self) -> str:
        if self.plus_minus is not None:
            return f"{self.elo:+.1f} ± {self.plus_minus:.1f} Elo"
        if math.isfinite(self.low):
            return f"above {self.low:+.1f} Elo"
        if math.isfinite(self.high):
            return f"below {self.high:+.1f} Elo"
        return "unknown"


def duel(tally: Tally) -> Duel:
    """Estimate one side's strength against the other's from its tally."""
    items, score, variance = tally.items, tally.mean, tally.variance
    if variance > 0:
        error = math.sqrt(variance / items)
        shares = score - Z95 * error, score + Z95 * error
        normalized = (score - 0.5) / math.sqrt(tally.games * variance) * NORMALIZED
    else:
        error = 0.5 / math.sqrt(items) if items else math.inf
        shares = wilson(score, items)
        normalized = math.copysign(math.inf, score - 0.5) if score != 0.5 else 0.0
    low, high = (elo_of(share) for share in shares)
    return Duel(
        items=items,
        games=items * tally.games,
        score=score,
        elo=elo_of(score),
        low=low,
        high=high,
        plus_minus=(high - low) / 2 if math.isfinite(high - low) else None,
        normalized=normalized,
        normalized_plus_minus=Z95 / math.sqrt(items * tally.games) * NORMALIZED if items else math.inf,
        superiority=normal_below((score - 0.5) / error),
        tally=tally,
    )
