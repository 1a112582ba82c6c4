"""The sequential test: is B better than A, with as few blocks as possible?

docs/spec/ratings.md, section 3. H0 says B is `elo0` better, H1 says `elo1`. After every block the log-likelihood ratio
(LLR) of the two is compared with two bounds; crossing one is the verdict. Three models of what "Elo" means here, which
disagree strongly, so the model is part of every report:

- normalized: in units of a game's own spread; the one to use, because it means the same in every game;
- logistic: the Elo of the table;
- bayesian: BayesElo, with its draw model; single games only.

For two seats the LLR is exact (the generalized one of Van den Bergh: the nearest distribution that satisfies the
hypothesis, by likelihood). For blocks of 3 to 5 seats it is the normalized approximation, which needs no more than mean
and variance. An estimate after a test that stopped by itself is biased by stopping: print that beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from server.ratings.distributions import share_of
from server.ratings.duel import NORMALIZED, PENTANOMIAL, TRINOMIAL, ScoreTally, of_counts, rounded

BIASED = "biased by stopping"
"""What to print beside any estimate made from a test's blocks."""

WIDEST = 1000
"""The largest Elo of a hypothesis."""

FARTHEST = 0.9
"""The largest distance from even, in spreads, for the exact normalized form: its search starts at the uniform
distribution and fails beyond about 0.94."""


class SprtModel(StrEnum):
    """The meaning of elo0 and elo1."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"
    BAYESIAN = "bayesian"


class SprtVerdict(StrEnum):
    """The hypothesis that a test accepted."""

    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The limits of the LLR at which a test stops."""

    lower: float
    upper: float

    def verdict(self, llr: float) -> SprtVerdict | None:
        """Return H1 at the upper bound, H0 at the lower one, None between them."""
        return SprtVerdict.H1 if llr >= self.upper else SprtVerdict.H0 if llr <= self.lower else None


def bounds(alpha: float = 0.05, beta: float = 0.05) -> Bounds:
    """Return Wald's bounds: alpha is the risk of accepting H1 falsely, beta that of accepting H0 falsely."""
    if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
        raise ValueError(f"alpha {alpha}, beta {beta}: both in 0..1, their sum below 1")
    return Bounds(lower=math.log(beta / (1 - alpha)), upper=math.log((1 - beta) / alpha))


def llr(tally: ScoreTally, elo0: float, elo1: float, model: SprtModel = SprtModel.NORMALIZED) -> float:
    """Compute the exact LLR, by the distribution over the tally's own scores; 0 if there are no items."""
    if not tally.items:
        return 0.0
    match model:
        case SprtModel.NORMALIZED:
            return _generalized(tally, [_nearest_with_spread(tally, target(elo, tally.games)) for elo in (elo0, elo1)])
        case SprtModel.LOGISTIC:
            return _generalized(tally, [_nearest_with_mean(tally, share_of(elo)) for elo in (elo0, elo1)])
        case SprtModel.BAYESIAN:
            return _bayesian(tally, elo0, elo1)
        case _:
            assert_never(model)


def is_in_reach(elo0: float, elo1: float, games: int) -> bool:
    """Check that the exact normalized form covers both hypotheses; otherwise use the approximation."""
    return all(abs(target(elo, games)) <= FARTHEST for elo in (elo0, elo1))


def target(normalized: float, games: int) -> float:
    """Convert a normalized Elo to the distance from even of an item of this many games, in the item's own spread."""
    return normalized / NORMALIZED * math.sqrt(games)


def approximate(
    items: NDArray[np.float64], mean: NDArray[np.float64], variance: NDArray[np.float64], t0: float, t1: float
) -> NDArray[np.float64]:
    """Compute the LLR of the normalized model from mean and variance alone, for blocks of any size; t0, t1 from
    `target`. About one spread from even it reaches its peak, and beyond it *falls* while the evidence grows: a test
    whose blocks are all won would never end. So it is held at its peaks."""
    spread = np.sqrt(variance)
    lead = mean - 0.5
    t = np.where(spread > 0, lead / np.where(spread > 0, spread, 1.0), np.sign(lead) * 1e9)
    middle, peak = (t0 + t1) / 2, math.hypot(1.0, (t1 - t0) / 2)
    t = np.clip(t, middle - peak, middle + peak)
    return np.asarray(items / 2 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))


def approximate_logistic(tally: ScoreTally, elo0: float, elo1: float) -> float:
    """Compute the LLR of the logistic model from mean and variance alone."""
    s0, s1 = share_of(elo0), share_of(elo1)
    if tally.variance == 0:
        return 0.0
    return tally.items * (s1 - s0) * (2 * tally.mean - s0 - s1) / (2 * tally.variance)


@dataclass(kw_only=True, slots=True)
class Sprt:
    """A running test: feed it the score of each finished block, in 0..1 as B's, and read the verdict.

    With `exact` (two seats only) the blocks are games or pairs of games; otherwise the approximation for any block.
    The first verdict stands; blocks that were running at the verdict are still counted in the tally.
    """

    elo0: float
    elo1: float
    games: int
    """Games per block."""
    exact: bool = False
    model: SprtModel = SprtModel.NORMALIZED
    alpha: float = 0.05
    beta: float = 0.05
    llr: float = field(default=0.0, init=False)
    """The log-likelihood ratio of all blocks so far."""
    verdict: SprtVerdict | None = field(default=None, init=False)
    decided_after: int = field(default=0, init=False)
    """Number of blocks fed up to the verdict."""
    decided_by: ScoreTally | None = field(default=None, init=False)
    """The tally at the verdict; without one, the latest."""
    _counts: dict[float, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not -WIDEST <= self.elo0 < self.elo1 <= WIDEST:
            raise ValueError(f"elo0 {self.elo0} has to be below elo1 {self.elo1}, both from -{WIDEST} to {WIDEST}")
        if self.exact and self.games > 2:
            raise ValueError(f"the exact form is for one or two games a block, not {self.games}")
        if self.exact and self.model is SprtModel.NORMALIZED and not is_in_reach(self.elo0, self.elo1, self.games):
            raise ValueError(f"elo0 {self.elo0} or elo1 {self.elo1} is too far from even for the exact form")
        if not self.exact and self.model is not SprtModel.NORMALIZED:
            raise ValueError(f"blocks of any size are tested in normalized Elo, not {self.model}")
        if self.model is SprtModel.BAYESIAN and self.games != 1:
            raise ValueError("the bayesian model takes single games only")
        bounds(self.alpha, self.beta)
        if self.exact:
            self._counts |= dict.fromkeys(TRINOMIAL if self.games == 1 else PENTANOMIAL, 0)

    @property
    def bounds(self) -> Bounds:
        """Return the bounds of this test."""
        return bounds(self.alpha, self.beta)

    @property
    def blocks(self) -> int:
        """Return how many blocks were fed."""
        return sum(self._counts.values())

    @property
    def tally(self) -> ScoreTally:
        """Return the blocks so far, for `duel`."""
        return of_counts(self._counts, games=self.games)

    def feed(self, score: float) -> SprtVerdict | None:
        """Count one block; returns the verdict, if there is one."""
        return self.feed_many([score])

    def feed_many(self, scores: Sequence[float]) -> SprtVerdict | None:
        """Count blocks of which none but the last can end the test; returns the verdict, if there is one."""
        for score in scores:
            if not 0 <= score <= 1:
                raise ValueError(f"a block's score {score} is not in 0..1")
            key = rounded(score)
            if self.exact and key not in self._counts:
                raise ValueError(f"a block's score {score} is none of {sorted(self._counts)}")
            self._counts[key] = self._counts.get(key, 0) + 1
        tally = self.tally
        self.llr = self.ratio(tally)
        if self.verdict is None:
            self.verdict, self.decided_after, self.decided_by = self.bounds.verdict(self.llr), self.blocks, tally
        return self.verdict

    def ratio(self, tally: ScoreTally) -> float:
        """Compute the log-likelihood ratio of a tally, in the form that stops this test."""
        return llr(tally, self.elo0, self.elo1, self.model) if self.exact else self._approximate(tally)

    def _approximate(self, tally: ScoreTally) -> float:
        items, mean, variance = (np.array([value]) for value in (tally.items, tally.mean, tally.variance))
        t0, t1 = target(self.elo0, self.games), target(self.elo1, self.games)
        return float(approximate(items, mean, variance, t0, t1)[0])


def _generalized(tally: ScoreTally, nearest: Sequence[Sequence[float]]) -> float:
    """Compute the LLR of two distributions, each the nearest one that satisfies its hypothesis."""
    under0, under1 = nearest
    return tally.items * math.fsum(
        share * math.log(share1 / share0) for share, share0, share1 in zip(tally.shares, under0, under1, strict=True)
    )


def _nearest(shares: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """Find the distribution nearest by likelihood to the shares seen, of all those with a mean offset of 0."""
    low, high = -1 / max(offsets), -1 / min(offsets)
    if not low < 0 < high:
        raise ValueError("no distribution of these scores satisfies the hypothesis")

    def slope(t: float) -> float:
        return math.fsum(share * a / (1 + t * a) for share, a in zip(shares, offsets, strict=True))

    t = _root(slope, low, high)
    return [share / (1 + t * a) for share, a in zip(shares, offsets, strict=True)]


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Find where a falling function is 0, strictly between two poles."""
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _nearest_with_mean(tally: ScoreTally, mean: float) -> list[float]:
    return _nearest(tally.shares, [score - mean for score in tally.scores])


def with_mean(tally: ScoreTally, mean: float) -> ScoreTally:
    """Return the tally of as many items with another mean that is nearest to this one by likelihood."""
    nearest = _nearest_with_mean(tally, mean)
    return replace(tally, counts=tuple(tally.items * share for share in nearest))


def _nearest_with_spread(tally: ScoreTally, t: float) -> list[float]:
    """Find the nearest distribution whose mean is t spreads above even (normalized_elo_practical, section 4.1)."""
    nearest = [1 / len(tally.scores)] * len(tally.scores)
    for _ in range(100):
        mean = math.fsum(p * a for p, a in zip(nearest, tally.scores, strict=True))
        spread = math.sqrt(math.fsum(p * (a - mean) ** 2 for p, a in zip(nearest, tally.scores, strict=True)))
        offsets = [a - 0.5 - t * spread * (1 + ((a - mean) / spread) ** 2) / 2 for a in tally.scores]
        before, nearest = nearest, _nearest(tally.shares, offsets)
        if max(abs(p - q) for p, q in zip(before, nearest, strict=True)) < 1e-10:
            break
    return nearest


def _bayesian(tally: ScoreTally, elo0: float, elo1: float) -> float:
    """Compute the LLR of BayesElo: the chance of a draw is fixed by the data, both hypotheses share it."""
    if tally.scores != TRINOMIAL:
        raise ValueError("the bayesian model takes single games only")
    draw = draw_elo(tally)
    under0, under1 = (
        (share_of(-elo - draw), 1 - share_of(-elo - draw) - share_of(elo - draw), share_of(elo - draw))
        for elo in (elo0, elo1)
    )
    return _generalized(tally, (under0, under1))


def draw_elo(tally: ScoreTally) -> float:
    """Return BayesElo's draw parameter, as the data have it."""
    losses, _, wins = tally.shares
    return 200 * math.log10((1 - losses) / losses * (1 - wins) / wins)


def bayesian_scale(tally: ScoreTally) -> float:
    """Return what one BayesElo is worth in logistic Elo near even, at the data's chance of a draw (cutechess)."""
    x = 10 ** (-draw_elo(tally) / 400)
    return 4 * x / (1 + x) ** 2
