"""The estimate after a sequential test stopped by itself.

A test stops when luck helps, so the plain mean of its blocks is too far out, by a fifth to a third at the usual bounds.
What remains sound is the order of the ways to end: at the upper bound the sooner the stronger, then at the lower bound
the later the stronger. The estimate is the strength under which ending at least this well is an even chance: half of
all estimates are then too high and half too low (median-unbiased), and the strengths under which it has a chance of
2.5 % and 97.5 % are the ends of a 95 % interval (Siegmund, Sequential Analysis, 1985, chapter III).

In units of a block's own spread, the test is a walk with steps of variance 1 between two parallel lines, and its end is
the first passage of a Brownian motion with drift. Blocks are steps, not a flow: a walk ends a little beyond a line, by
0.583 steps on average, and so the lines are moved by as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from server.ratings.distributions import elo_of, share_of
from server.ratings.duel import NORMALIZED
from server.ratings.sprt import Bounds, Sprt, SprtModel, SprtVerdict, bayesian_scale, target

OVERSHOOT = 0.5826
"""How far a walk of normal steps passes a line, in steps: -zeta(1/2) / sqrt(2 pi)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopped:
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float

    def through(self, scale: Callable[[float], float]) -> Stopped:
        """Return the same estimate on another scale, which must rise."""
        return Stopped(value=scale(self.value), low=scale(self.low), high=scale(self.high))


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterStopping:
    """What a finished test tells of the gap."""

    normalized: Stopped
    elo: Stopped


def estimate_after(sprt: Sprt) -> AfterStopping | None:
    """Estimate the gap from a test with a verdict; None without one."""
    if sprt.verdict is None:
        return None
    tally = sprt.tally
    spread = math.sqrt(tally.variance) or 0.5 / math.sqrt(sprt.games)
    if sprt.model is SprtModel.NORMALIZED:
        t0, t1 = target(sprt.elo0, sprt.games), target(sprt.elo1, sprt.games)
    else:
        scale = bayesian_scale(tally) if sprt.model is SprtModel.BAYESIAN else 1.0
        t0, t1 = ((share_of(scale * elo) - 0.5) / spread for elo in (sprt.elo0, sprt.elo1))
    drift = estimate_drift(sprt.verdict, sprt.decided_after, t0, t1, sprt.bounds)
    return AfterStopping(
        normalized=drift.through(lambda t: t / math.sqrt(sprt.games) * NORMALIZED),
        elo=drift.through(lambda t: elo_of(0.5 + t * spread)),
    )


def estimate_drift(verdict: SprtVerdict, blocks: int, t0: float, t1: float, bounds: Bounds) -> Stopped:
    """Estimate the distance from even, in spreads of a block, for a test of t0 against t1 that ended after so many
    blocks."""
    upper = _line(bounds.upper, blocks, t1 - t0) + OVERSHOOT
    lower = -_line(-bounds.lower, blocks, t1 - t0) - OVERSHOOT
    middle = (t0 + t1) / 2

    def at_least_this_well(drift: float) -> float:
        if verdict is SprtVerdict.H1:
            return passage(drift, blocks, upper, lower)
        return 1 - passage(-drift, blocks, -lower, -upper)

    value, low, high = (middle + _rising_root(at_least_this_well, chance) for chance in (0.5, 0.025, 0.975))
    return Stopped(value=value, low=low, high=high)


def _line(bound: float, blocks: int, step: float) -> float:
    """Return how far the walk was from the middle when the LLR reached the bound.

    The LLR of n blocks at x spreads is n step x / (1 + x²), which is a straight line only near even.
    """
    share = bound / (blocks * step)
    return blocks * (1 - math.sqrt(1 - 4 * share**2)) / (2 * share) if share < 0.5 else float(blocks)


def passage(drift: float, time: float, upper: float, lower: float) -> float:
    """Return the chance that a Brownian motion from 0 passes `upper` within `time`, and did not pass `lower` before.

    By reflection: a sum over images of the upper line, 2 (upper - lower) apart, each a first passage of a single
    line.
    """
    width, root = upper - lower, math.sqrt(time)
    images = math.ceil((8 * root + abs(drift) * time) / (2 * width)) + 1
    terms = []
    for image in range(-images, images + 1):
        place = upper + 2 * image * width
        away, pull = abs(place), abs(drift)
        there = math.exp(drift * upper - pull * away + _log_below((pull * time - away) / root))
        back = math.exp(drift * upper + pull * away + _log_below((-pull * time - away) / root))
        terms.append(math.copysign(there + back, place))
    return min(1.0, max(0.0, math.fsum(terms)))


def _log_below(z: float) -> float:
    """Return the logarithm of the chance that a standard normal value is below z; beyond 30 by its leading term."""
    if z > -30:
        return math.log(math.erfc(-z / math.sqrt(2)) / 2)
    return -z * z / 2 - math.log(-z * math.sqrt(2 * math.pi))


def _rising_root(rising: Callable[[float], float], level: float) -> float:
    """Find the drift at which a rising function reaches a level."""
    low, high = -1e-3, 1e-3
    while rising(low) > level and low > -20:
        low *= 2
    while rising(high) < level and high < 20:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
