"""How often the estimate after a sequential test is right: tests of simulated blocks, fed as `tortuga sprt` feeds them.

Each side holds half of the seats, an odd one goes to a third; results follow Plackett-Luce, and a share of the games of
two is drawn. The true values come from many more blocks of the same kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np

from bench.simulated.shares import Share, share_of_events
from server.ratings.after_stopping import estimate_after
from server.ratings.distributions import ELO, elo_of
from server.ratings.duel import NORMALIZED, duel
from server.ratings.matches import Floats
from server.ratings.sprt import Sprt, SprtVerdict, approximate, target

KNOWN_BLOCKS = 100_000
"""Blocks from which the true values are taken."""

LONGEST = 30_000
"""Blocks of one test at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedPool:
    """One kind of test."""

    elo1: float
    """H1, in normalized Elo; H0 is 0."""
    gap: float
    """By how much the one side is stronger, in Elo of Plackett-Luce."""
    seats: int = 2
    draws: float = 0.0
    """Share of drawn games between equals of two."""
    limit: int = LONGEST
    """Blocks after which the test stops without a verdict."""


STOPPED_POOLS = (
    *(StoppedPool(elo1=10, gap=gap) for gap in (100.0, 300.0, 600.0)),
    *(StoppedPool(elo1=20, gap=gap) for gap in (0.0, 10.0, 20.0, 60.0, 200.0)),
    *(StoppedPool(elo1=80, gap=gap) for gap in (0.0, 40.0, 80.0, 160.0, 300.0, 600.0)),
    *(StoppedPool(elo1=40, gap=gap, draws=0.5) for gap in (0.0, 30.0, 120.0, 300.0)),
    *(StoppedPool(elo1=80, gap=gap, seats=3) for gap in (0.0, 60.0, 300.0)),
    *(StoppedPool(elo1=40, gap=gap, seats=4) for gap in (0.0, 20.0, 60.0, 150.0, 300.0)),
    *(StoppedPool(elo1=80, gap=gap, seats=5) for gap in (0.0, 40.0, 200.0)),
    *(StoppedPool(elo1=20, gap=gap, limit=150) for gap in (0.0, 20.0, 60.0)),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppedRow:
    """What came of the tests of a pool."""

    elo1: float
    gap: float
    seats: int
    draws: float
    limit: int
    tests: int
    true_elo: float
    true_normalized: float
    accepted: float
    """Share of H1."""
    undecided: float
    blocks: float
    """The mean."""
    plain: float
    """The mean of the plain normalized estimates at the verdict."""
    too_high: Share
    """Of the Elo estimates; a half is right."""
    covered: Share
    """The Elo interval held the true one."""
    covered_normalized: Share


def draw_blocks(luck: np.random.Generator, pool: StoppedPool, blocks: int) -> Floats:
    """Return the scores of the stronger side in this many blocks."""
    seats, half = pool.seats, pool.seats // 2
    strengths = np.zeros(seats)
    strengths[:half] = pool.gap / ELO
    if seats % 2:
        strengths[-1] = pool.gap / 2 / ELO
    merits = strengths + luck.gumbel(size=(blocks, seats, seats))
    if seats == 2:
        lead = merits[..., 0] - merits[..., 1]
        edge = np.log((1 + pool.draws) / (1 - pool.draws))
        games = np.where(np.abs(lead) < edge, 0.5, lead > 0)
        return np.asarray(games.mean(axis=1))
    beaten = (merits[..., :, None] > merits[..., None, :]).sum(axis=-1) / (seats - 1)
    lead = beaten[..., :half].mean(axis=(1, 2)) - beaten[..., half : 2 * half].mean(axis=(1, 2))
    return np.asarray(0.5 + lead / 2)


@cache
def true_values(pool: StoppedPool) -> tuple[float, float]:
    """Return the Elo and the normalized Elo of a pool."""
    scores = draw_blocks(np.random.default_rng(0), pool, KNOWN_BLOCKS)
    mean = float(scores.mean())
    return elo_of(mean), (mean - 0.5) / (float(scores.std()) * sqrt(pool.seats)) * NORMALIZED


def play_test(luck: np.random.Generator, pool: StoppedPool) -> Sprt:
    """Play one test to its end. Where both bounds are far, the exact ratio is not computed."""
    sprt = Sprt(elo0=0.0, elo1=pool.elo1, games=pool.seats, exact=pool.seats == 2)
    while sprt.verdict is None and sprt.blocks < pool.limit:
        scores = draw_blocks(luck, pool, min(500, pool.limit - sprt.blocks))
        before, past = sprt.tally, float(sprt.blocks)
        count = past + np.arange(1.0, len(scores) + 1)
        mean = (before.mean * past + scores.cumsum()) / count
        square = (before.variance + before.mean**2) * past + (scores**2).cumsum()
        variance = np.maximum(square / count - mean**2, 0)
        rough = approximate(count, mean, variance, 0.0, target(pool.elo1, pool.seats))
        near = (rough > 0.4 * sprt.bounds.upper) | (rough < 0.7 * sprt.bounds.lower)
        if pool.gap < 2 * pool.elo1:  # there both forms are nearly the same
            near = (rough > 0.8 * sprt.bounds.upper) | (rough < 0.8 * sprt.bounds.lower)
        near[-1] = True
        start = 0
        for stop in np.flatnonzero(near).tolist():
            sprt.feed_many(scores[start : stop + 1].tolist())
            start = stop + 1
            if sprt.verdict is not None:
                break
    return sprt


def measure_stopped(pool: StoppedPool, tests: int, seed: int = 5) -> StoppedRow:
    """Play so many tests of a pool."""
    luck = np.random.default_rng([seed, pool.seats, int(pool.gap), int(pool.elo1), int(10 * pool.draws), pool.limit])
    elo, normalized = true_values(pool)
    played = [play_test(luck, pool) for _ in range(tests)]
    estimates = [estimate_after(sprt) for sprt in played]
    return StoppedRow(
        elo1=pool.elo1,
        gap=pool.gap,
        seats=pool.seats,
        draws=pool.draws,
        limit=pool.limit,
        tests=tests,
        true_elo=elo,
        true_normalized=normalized,
        accepted=float(np.mean([sprt.verdict is SprtVerdict.H1 for sprt in played])),
        undecided=float(np.mean([sprt.verdict is None for sprt in played])),
        blocks=float(np.mean([sprt.blocks for sprt in played])),
        plain=float(np.mean([duel(sprt.decided_by or sprt.tally).normalized for sprt in played])),
        too_high=share_of_events([float(e is not None and e.elo.value > elo) for e in estimates]),
        covered=share_of_events([float(e is not None and e.elo.low <= elo <= e.elo.high) for e in estimates]),
        covered_normalized=share_of_events(
            [float(e is not None and e.normalized.low <= normalized <= e.normalized.high) for e in estimates]
        ),
    )
