"""A match of two: how often each score was seen, how far apart the two are, and how sure that is.

A tally counts items: games (scores 0, 1/2, 1) or blocks of games played with the same luck and exchanged seats (for two
seats 0, 1/4, 1/2, 3/4, 1: the classic pentanomial). Items are independent of each other; the games of an item need not
be. Sequential tests (sprt.py) are based on it, too.

docs/spec/ratings.md, section 3; the formulas of fastchess, cutechess and fishtest. From the mean and the variance of
the items' scores: logistic Elo, normalized Elo (in units of a game's own spread, so that it does not depend on how much
luck the game has), and the likelihood of superiority (LOS). Works for any number of seats once a block has one score in
0..1 (`scores.block_score`).

Of fewer than LARGE items the spread is not known but estimated, so Student's t is used, and n - 1.

If all items are equal, the spread is unknown rather than zero: then the Wilson interval is used, and a coin's spread
for the LOS. Only for a fixed number of items; after a sequential test these estimates are biased by stopping.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from server.ratings.distributions import ELO, Z95, elo_of, normal_below, t_below, t_quantile
from server.ratings.scores import wilson

NORMALIZED = 2 * ELO
"""800 / ln 10: a game's spread from even, in normalized Elo."""

LARGE = 200
"""From so many items on, the formulas are those of chess tools, which take the spread for known. Below, Student's t
with one degree of freedom less than there are items is used: up to 1 % wider there, a quarter at 8 items."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Duel:
    """The estimate of one side against the other; every interval is the 95 % one."""

    items: float
    games: float
    score: float
    """The mean score, in 0..1."""
    elo: float
    """Logistic Elo: infinite if nothing was lost, or nothing won."""
    low: float
    high: float
    """End of the interval: infinite where the data say nothing; then the estimate is one-sided."""
    plus_minus: float | None
    """Half of the interval; None if it is one-sided."""
    normalized: float
    normalized_plus_minus: float
    superiority: float
    """LOS: the likelihood that this side is the better one."""
    tally: ScoreTally

    def __str__(self) -> str:
        if self.plus_minus is not None:
            return f"{self.elo:+.1f} ± {self.plus_minus:.1f} Elo"
        return self.one_sided() + (" Elo" if math.isfinite(self.low) or math.isfinite(self.high) else "")

    def one_sided(self) -> str:
        """Return the one end of the interval that the data say something of; `unknown` if they say nothing."""
        if math.isfinite(self.low):
            return f"above {self.low:+.1f}"
        return f"below {self.high:+.1f}" if math.isfinite(self.high) else "unknown"


def duel(tally: ScoreTally) -> Duel:
    """Estimate one side's strength against the other's from its tally."""
    items, score, variance = tally.items, tally.mean, tally.variance
    few = 1 < items < LARGE
    half = t_quantile(0.975, items - 1) if few else Z95
    if variance > 0:
        error = math.sqrt(variance / (items - 1 if few else items))
        shares = score - half * error, score + half * error
        normalized = (score - 0.5) / math.sqrt(tally.games * variance) * NORMALIZED
        superiority = t_below((score - 0.5) / error, items - 1) if few else normal_below((score - 0.5) / error)
    else:
        error = 0.5 / math.sqrt(items) if items else math.inf
        shares = wilson(score, items)
        normalized = math.copysign(math.inf, score - 0.5) if score != 0.5 else 0.0
        superiority = normal_below((score - 0.5) / error)
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
        normalized_plus_minus=half / math.sqrt(items * tally.games) * NORMALIZED if items else math.inf,
        superiority=superiority,
        tally=tally,
    )


TRINOMIAL = (0.0, 0.5, 1.0)
PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreTally:
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
        """Return how many items were counted."""
        return math.fsum(self.counts)

    @property
    def mean(self) -> float:
        """Return the mean score; 1/2 if there are no items."""
        items = self.items
        return math.fsum(s * n for s, n in zip(self.scores, self.counts, strict=True)) / items if items else 0.5

    @property
    def variance(self) -> float:
        """Return the variance of an item's score, as seen (the divisor is the number of items)."""
        items, mean = self.items, self.mean
        if sum(count > 0 for count in self.counts) < 2:
            return 0.0  # exactly: the mean of equal scores may differ from them by rounding
        return math.fsum(n * (s - mean) ** 2 for s, n in zip(self.scores, self.counts, strict=True)) / items

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the counts as shares, an unseen score counting 0.001 (as fishtest does), so that logarithms exist."""
        counts = [count or 1e-3 for count in self.counts]
        total = math.fsum(counts)
        return tuple(count / total for count in counts)


def of_games(wins: float, losses: float, ties: float) -> ScoreTally:
    """Make a tally of single games."""
    return ScoreTally(scores=TRINOMIAL, counts=(losses, ties, wins))


def of_pairs(counts: Sequence[float]) -> ScoreTally:
    """Make a tally of pairs of games with exchanged seats, from how many scored 0, 1/2, 1, 3/2 and 2 points."""
    return ScoreTally(scores=PENTANOMIAL, counts=tuple(counts), games=2)


def of_scores(scores: Iterable[float], *, games: int) -> ScoreTally:
    """Make a tally of items given one by one."""
    return of_counts(Counter(rounded(score) for score in scores), games=games)


def of_counts(counts: Mapping[float, float], *, games: int) -> ScoreTally:
    """Make a tally of items that are counted already, by score."""
    scores = sorted(counts)
    return ScoreTally(scores=tuple(scores), counts=tuple(counts[score] for score in scores), games=games)


def rounded(score: float) -> float:
    """Return the score without rounding errors, so that equal scores are equal numbers."""
    return round(score, 9)
