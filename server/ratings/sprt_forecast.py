"""How long a sequential test takes: expected beforehand, and forecast while it runs.

In units of a block's own spread, the log-likelihood ratio is a walk between two bounds whose steps have the mean
d (t - m) and the variance d^2: t is the true gap, m the middle of both hypotheses, d the distance between them
(docs/spec/ratings.md, section 3). Taken as a Brownian motion, its expected end is a formula (Wald). Blocks are steps,
not a flow: the walk ends a little beyond a bound, so the bounds are moved by as much.

The forecast does not know the gap. It takes what the blocks say, and before them what whoever chose the hypotheses
must think: a gap about halfway between them, give or take their distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from server.ratings.distributions import share_of
from server.ratings.sprt import Sprt, SprtModel, target

OVERSHOOT = 0.5826
"""How far a walk of normal steps passes a bound, in steps: -zeta(1/2) / sqrt(2 pi)."""

_SPREADS = [step / 5 for step in range(-20, 21)]
"""Points at which a normal distribution is looked at, in its own spreads."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedLength:
    """Blocks until the verdict, on average."""

    under_h0: float
    between: float
    """The number if the truth lies halfway: the longest."""
    under_h1: float

    def __str__(self) -> str:
        return (
            f"about {rough(self.under_h1)} blocks if H1 is true, {rough(self.under_h0)} if H0 is, "
            f"{rough(self.between)} if the truth lies between"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SprtForecast:
    """What to expect of a running test."""

    blocks: float
    """Further blocks until the verdict, on average."""
    accepts_h1: float
    """The probability that the verdict is H1."""

    def __str__(self) -> str:
        return f"about {rough(self.blocks)} more blocks, H1 with {self.accepts_h1:.0%}"


def expected_length(sprt: Sprt) -> ExpectedLength:
    """Estimate how many blocks a test needs, before the first is played."""
    t0, t1 = _targets(sprt)
    return ExpectedLength(
        under_h0=_passage(sprt, t0, t0, t1, 0.0)[0],
        between=_passage(sprt, (t0 + t1) / 2, t0, t1, 0.0)[0],
        under_h1=_passage(sprt, t1, t0, t1, 0.0)[0],
    )


def forecast(sprt: Sprt) -> SprtForecast:
    """Forecast how a running test will go on."""
    if sprt.verdict is not None:
        return SprtForecast(blocks=0.0, accepts_h1=float(sprt.verdict == "H1"))
    t0, t1 = _targets(sprt)
    tally, before = sprt.tally, 1 / (t1 - t0) ** 2
    spread = math.sqrt(tally.variance) or _usual_spread(sprt)
    seen = (tally.mean - 0.5) / spread
    precision = tally.items + before
    gap = (tally.items * seen + before * (t0 + t1) / 2) / precision
    blocks = up = total = 0.0
    for step in _SPREADS:
        weight = math.exp(-step * step / 2)
        length, chance = _passage(sprt, gap + step / math.sqrt(precision), t0, t1, sprt.llr)
        blocks, up, total = blocks + weight * length, up + weight * chance, total + weight
    return SprtForecast(blocks=blocks / total, accepts_h1=up / total)


def _targets(sprt: Sprt) -> tuple[float, float]:
    """Return both hypotheses in spreads of a block."""
    if sprt.model is SprtModel.NORMALIZED:
        return target(sprt.elo0, sprt.games), target(sprt.elo1, sprt.games)
    spread = math.sqrt(sprt.tally.variance) or _usual_spread(sprt)
    return (share_of(sprt.elo0) - 0.5) / spread, (share_of(sprt.elo1) - 0.5) / spread


def _usual_spread(sprt: Sprt) -> float:
    """Return the spread of a block's score before any was played: without ties, and games independent of each other."""
    return 0.5 / math.sqrt(sprt.games)


def _passage(sprt: Sprt, gap: float, t0: float, t1: float, llr: float) -> tuple[float, float]:
    """Return the number of blocks until the walk leaves the bounds, and the chance that it leaves at the upper one."""
    distance = t1 - t0
    drift, variance = distance * (gap - (t0 + t1) / 2), distance**2
    lower, upper = sprt.bounds.lower - OVERSHOOT * distance, sprt.bounds.upper + OVERSHOOT * distance
    here = min(max(llr, lower), upper)
    rate = 2 * drift / variance
    if abs(rate) * (upper - lower) < 1e-6:
        return (here - lower) * (upper - here) / variance, (here - lower) / (upper - lower)
    if rate > 0:
        up = -math.expm1(-rate * (here - lower)) / -math.expm1(-rate * (upper - lower))
    else:
        up = 1 - math.expm1(rate * (upper - here)) / math.expm1(rate * (upper - lower))
    return max(0.0, (lower + up * (upper - lower) - here) / drift), up


def rough(number: float) -> str:
    """Format a number with two digits that count, in groups of three."""
    if number < 1:
        return "0"
    digits = max(0, math.floor(math.log10(number)) - 1)
    return f"{round(number / 10**digits) * 10**digits:,}".replace(",", " ")
