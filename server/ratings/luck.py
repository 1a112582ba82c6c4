"""Scores less the luck that the bots had: as true as the plain ones on average, and less scattered.

What a seat owes to its luck is a sum of terms that are zero on average whatever anybody chooses, with weights fixed
beforehand (`Game.luck`). Taking it off leaves the mean of a score where it was, for any bots: nothing is fitted here.

**The gain** is how many times more matches would make the plain scores as exact: the squares of what each cluster
scored beyond what the ratings expect, divided by the same of the scores less luck. Its interval is a bootstrap over
clusters. Below `PAYS` it is not worth a second number, and the caller leaves it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.ratings.distributions import ELO, t_quantile
from server.ratings.matches import Floats, Ints, total
from server.ratings.spread import ASSUMED, MIXED

PAYS = 1.05
"""If the gain is smaller, a second score is not worth showing."""

DRAWS = 1000
"""Number of samples of the bootstrap."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LuckRow:
    """The scores of one bot, as mean shares of the other seats beaten."""

    name: str
    matches: int
    score: float
    plus_minus: float
    """Half of its 95 % interval, by clusters."""
    luck: float
    """The part that it owes to its luck; 0 on average."""
    adjusted: float
    """The score less the luck."""
    adjusted_plus_minus: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LuckScores:
    """The bots that played, in the order of their adjusted scores, and what the adjustment gains."""

    rows: tuple[LuckRow, ...]
    gain: float
    low: float
    high: float
    """The upper end of its 95 % interval."""

    @property
    def pays(self) -> bool:
        """Check that the adjusted scores are worth showing."""
        return self.gain >= PAYS


def adjust_scores(
    names: Sequence[str],
    bots: Ints,
    ranks: Ints,
    clusters: Ints,
    luck: Floats,
    *,
    ratings: Floats,
    seat_elo: Floats,
) -> LuckScores:
    """Compute the scores of all bots with and without luck. Arrays are as in `fit.fit`; `luck[i, s]` is what seat s
    of match i owes to its luck, `ratings` and `seat_elo` what was fitted to the matches."""
    scores = seat_scores(ranks)
    surprise = scores - expected_scores(ratings[bots] + seat_elo)
    _, place = np.unique(clusters, return_inverse=True)
    count = int(place.max(initial=-1)) + 1
    keys, entry = np.unique(place[:, None] * len(names) + bots, return_inverse=True)
    entry = entry.reshape(bots.shape)
    plain = total(entry.ravel(), surprise.ravel(), len(keys))
    less = total(entry.ravel(), (surprise - luck).ravel(), len(keys))
    hoped = total(entry.ravel(), expected_variances(ratings[bots] + seat_elo).ravel(), len(keys))
    gain, low, high = _gain(plain, less, keys // max(len(names), 1), count)
    usual = (bots.shape[1] + 1) / 3
    scatters = _Scatter(plain, hoped, count, usual), _Scatter(less, hoped, count, usual / gain)
    bot_of = keys % max(len(names), 1)
    rows = []
    for number, name in enumerate(names):
        at = bots == number
        if not at.any():
            continue
        own = bot_of == number
        score, share = float(scores[at].mean()), float(luck[at].mean())
        halves = [scatter.half(own, int(at.sum())) for scatter in scatters]
        rows.append(
            LuckRow(
                name=name,
                matches=int(at.sum()),
                score=score,
                plus_minus=halves[0],
                luck=share,
                adjusted=score - share,
                adjusted_plus_minus=halves[1],
            )
        )
    return LuckScores(rows=tuple(sorted(rows, key=lambda row: -row.adjusted)), gain=gain, low=low, high=high)


def seat_scores(ranks: Ints) -> Floats:
    """Return what every seat scored: the share of the other seats it beat, ties counting half."""
    beaten = (ranks[:, None, :] > ranks[:, :, None]).sum(axis=2)
    tied = (ranks[:, None, :] == ranks[:, :, None]).sum(axis=2) - 1
    return np.asarray((beaten + tied / 2) / (ranks.shape[1] - 1))


def expected_scores(strengths: Floats) -> Floats:
    """Return the scores expected by Bradley-Terry, from what every seat is rated, in Elo."""
    share = 1 / (1 + np.exp((strengths[:, None, :] - strengths[:, :, None]) / ELO))
    return np.asarray((share.sum(axis=2) - 0.5) / (strengths.shape[1] - 1))


def expected_variances(strengths: Floats) -> Floats:
    """Return the variances of the scores by Bradley-Terry, if the pairs of a match were independent."""
    share = 1 / (1 + np.exp((strengths[:, None, :] - strengths[:, :, None]) / ELO))
    return np.asarray(((share * (1 - share)).sum(axis=2) - 0.25) / (strengths.shape[1] - 1) ** 2)


def _gain(plain: Floats, less: Floats, cluster: Ints, count: int) -> tuple[float, float, float]:
    """Return how much less the adjusted scores scatter, and the 95 % interval of that; 1 if nothing scatters."""
    squares = np.array([total(cluster, sums**2, count) for sums in (plain, less)])
    whole = squares.sum(axis=1)
    if count < 2 or not whole.all():
        return 1.0, 0.0, np.inf
    dice = np.random.RandomState(0)  # its draws are promised to be the same in every version of numpy
    drawn = [squares[:, dice.randint(count, size=count)].sum(axis=1) for _ in range(DRAWS)]
    low, high = np.percentile([unadjusted / adjusted for unadjusted, adjusted in drawn if adjusted > 0], [2.5, 97.5])
    return float(whole[0] / whole[1]), float(low), float(high)


class _Scatter:
    """How far the sums of clusters scatter: the bot's own clusters, and all of them together where those are few.

    As for ratings (spread.py): three blocks of one bot that happen to be alike do not tell its score to 3 %.
    """

    def __init__(self, sums: Floats, hoped: Floats, clusters: int, usual: float) -> None:
        """Compare the sums with the variances that the model has for them; `usual` is what is known beforehand."""
        self._sums, self._hoped = sums, hoped
        self._degrees = ASSUMED + max(clusters - 1, 0)
        scattered = float((sums**2).sum()) / max(float(hoped.sum()), 1e-300) * max(clusters - 1, 0)
        self._dispersion = (ASSUMED * usual + scattered) / self._degrees

    def half(self, own: NDArray[np.bool_], matches: int) -> float:
        """Return half of the 95 % interval of the mean of one bot."""
        count = int(own.sum())
        if count < 2:
            return np.inf
        part = count / (count + MIXED)
        alone = part * float((self._sums[own] ** 2).sum()) * count / (count - 1)
        together = (1 - part) * self._dispersion * float(self._hoped[own].sum())
        share = alone / max(alone + together, 1e-300)
        degrees = 1 / ((1 - share) ** 2 / self._degrees + share**2 / (count - 1))
        return float(t_quantile(0.975, degrees) * np.sqrt(alone + together) / matches)
