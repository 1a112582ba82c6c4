"""The estimate after a sequential test, with a verdict or without one.

A test stops when luck helps, so the plain mean of its blocks is too far out, by a fifth to a third at the usual bounds.
What remains sound is the order of the ways to end: at the upper bound the sooner the stronger; then without a verdict;
then at the lower bound the later the stronger; and after as many blocks, the higher the score. The estimate is the
strength under which ending at least this well is an even chance: half of all estimates are then too high and half too
low (median-unbiased), and the strengths under which it has a chance of 2.5 % and 97.5 % are the ends of a 95 % interval
(Siegmund, Sequential Analysis, 1985, chapter III).

The sum of the block scores is a walk between two bounds, taken as a Brownian motion. Where the walk met its bound is
seen, not computed: it is where the test ended. How steep the bound is there follows from the log-likelihood ratio that
stopped the test, exact or approximate: with it, scores are as likely as under the nearest distribution of another
mean. Near even that is a straight line that every strength meets at a time of its own. Far from even the ratio hardly
grows with the score, all strengths end at nearly the same block, and the score says the rest, as in a test of a fixed
length.

The spread of a block becomes smaller towards a score of 0 or 1, as p (1 - p) does, and it is known from few blocks: so
the chances are those of Student's t. Where all blocks are alike, Wilson's interval is taken, and an end that the blocks
say nothing of is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from server.ratings.distributions import elo_of, normal_below, t_quantile
from server.ratings.duel import NORMALIZED, ScoreTally
from server.ratings.scores import wilson
from server.ratings.sprt import Sprt, SprtVerdict, with_mean

OVERSHOOT = 0.5826
"""How far a walk of normal steps passes a line, in steps: -zeta(1/2) / sqrt(2 pi)."""

_NEAR = 1e-3
"""By how much a mean score is moved to see how the ratio grows with it."""

_STEEP = 20.0
"""A line that falls by more spreads of a block in a block is taken for upright: the test has a fixed length."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopped:
    """An estimate with its 95 % interval; an end is infinite where the blocks say nothing of it."""

    value: float
    low: float
    high: float

    def through(self, scale: Callable[[float], float]) -> Stopped:
        """Return the same estimate on another scale, which must rise."""
        return Stopped(value=scale(self.value), low=scale(self.low), high=scale(self.high))

    def __str__(self) -> str:
        if math.isinf(self.high):
            return "unknown" if math.isinf(self.low) else f"above {self.low:+.1f}"
        if math.isinf(self.low):
            return f"below {self.high:+.1f}"
        return f"{self.value:+.1f} (95 %: {self.low:+.1f} to {self.high:+.1f})"


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterStopping:
    """What a test tells of the gap."""

    normalized: Stopped
    elo: Stopped


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """Two parallel lines that a walk of block scores, less even, runs between, and where it ended."""

    upper: float
    lower: float
    slope: float
    end: float
    """At the last block, above a line through 0 of this slope."""


def estimate_after(sprt: Sprt) -> AfterStopping | None:
    """Estimate the gap from the blocks up to the verdict, or from all of them if there is none; None without two."""
    tally = sprt.decided_by
    if tally is None or tally.items < 2:
        return None
    if tally.variance == 0:
        low, high = wilson(tally.mean, tally.items)
        score = Stopped(value=tally.mean, low=low, high=high)
        effect = 1.0 / sprt.games
    else:
        score = estimate_score(tally, sprt.verdict, find_strip(sprt, tally))
        effect = design_effect(tally)

    def normalized(mean: float) -> float:
        if not 0 < mean < 1:
            return math.copysign(math.inf, mean - 0.5)
        return (mean - 0.5) / math.sqrt(effect * mean * (1 - mean) * sprt.games) * NORMALIZED

    wider = doubt_of_spread(tally)
    units = score.through(normalized)
    widened = Stopped(
        value=units.value,
        low=units.value - wider * (units.value - units.low) if math.isfinite(units.value) else units.low,
        high=units.value + wider * (units.high - units.value) if math.isfinite(units.value) else units.high,
    )
    return AfterStopping(normalized=widened, elo=score.through(elo_of))


def design_effect(tally: ScoreTally) -> float:
    """Return the variance of a block's score as a share of that of a coin with the same mean."""
    return tally.variance * tally.items / (tally.items - 1) / (tally.mean * (1 - tally.mean))


def doubt_of_spread(tally: ScoreTally) -> float:
    """Return by how much the interval of a gap counted in spreads is wider than that of the mean score.

    The spread is estimated from the same blocks. By the delta method on the mean and the variance, whose errors are
    correlated where scores are skewed; far from even, most of the doubt is about the spread.
    """
    mean, spread = tally.mean, math.sqrt(tally.variance)
    if spread == 0:
        return 1.0
    third, fourth = (
        math.fsum(n * ((s - mean) / spread) ** power for s, n in zip(tally.scores, tally.counts, strict=True))
        / tally.items
        for power in (3, 4)
    )
    gap = (mean - 0.5) / spread
    counted = 1 + gap * spread * (mean - 0.5) / (mean * (1 - mean))
    return max(1.0, math.sqrt(max(1 - gap * third + gap**2 * (max(fourth, 3.0) - 1) / 4, 0.0)) / counted)


def find_strip(sprt: Sprt, tally: ScoreTally) -> Strip | None:
    """Return the lines of a test about where it ended; None where its length says nothing of the gap."""
    blocks, lead, llr = tally.items, tally.mean - 0.5, sprt.ratio(tally)
    near = with_mean(tally, tally.mean - math.copysign(_NEAR, lead))
    growth = (llr - sprt.ratio(near)) / (tally.mean - near.mean)
    if abs(llr) >= _STEEP * growth * math.sqrt(tally.variance):
        return None
    slope = lead - llr / growth
    end = blocks * (lead - slope)
    over = OVERSHOOT * math.sqrt(tally.variance)
    upper = end + blocks * (sprt.bounds.upper - llr) / growth + over
    lower = end + blocks * (sprt.bounds.lower - llr) / growth - over
    if sprt.verdict is SprtVerdict.H1:
        upper = end
    elif sprt.verdict is SprtVerdict.H0:
        lower = end
    return Strip(upper=upper, lower=lower, slope=slope, end=end) if lower < 0 < upper else None


def estimate_score(tally: ScoreTally, verdict: SprtVerdict | None, strip: Strip | None) -> Stopped:
    """Estimate the true mean score of a block."""
    blocks, effect = tally.items, design_effect(tally)
    end = blocks * (tally.mean - 0.5)

    def at_least_this_well(mean: float) -> float:
        spread = math.sqrt(effect * mean * (1 - mean))
        if strip is None:
            return normal_below((blocks * (mean - 0.5) - end) / (spread * math.sqrt(blocks)))
        drift = (mean - 0.5 - strip.slope) / spread
        upper, lower, last = (line / spread for line in (strip.upper, strip.lower, strip.end))
        if verdict is SprtVerdict.H1:
            return passage(drift, blocks, upper, lower)
        if verdict is SprtVerdict.H0:
            return 1 - passage(-drift, blocks, -lower, -upper)
        return passage(drift, blocks, upper, lower) + still_above(drift, blocks, upper, lower, last)

    few = normal_below(-t_quantile(0.975, blocks - 1))
    value, low, high = (_rising_root(at_least_this_well, chance) for chance in (0.5, few, 1 - few))
    return Stopped(value=value, low=low, high=high)


def passage(drift: float, time: float, upper: float, lower: float) -> float:
    """Return the chance that a Brownian motion from 0 passes `upper` within `time`, and did not pass `lower` before.

    By reflection: a sum over images of the upper line, 2 (upper - lower) apart, each a first passage of a single
    line.
    """
    width, root = upper - lower, math.sqrt(time)
    terms = []
    # A strong drift meets one line only, and the terms of the other images would overflow.
    images = range(1) if abs(drift) * min(upper, -lower) > 20 else _images(drift, time, width)
    for image in images:
        place = upper + 2 * image * width
        away, pull = abs(place), abs(drift)
        there = _weigh(drift * upper - pull * away, (pull * time - away) / root)
        back = _weigh(drift * upper + pull * away, (-pull * time - away) / root)
        terms.append(math.copysign(there + back, place))
    return min(1.0, max(0.0, math.fsum(terms)))


def still_above(drift: float, time: float, upper: float, lower: float, place: float) -> float:
    """Return the chance that a Brownian motion from 0 has passed neither line within `time`, and is then above a
    place."""
    width, root = upper - lower, math.sqrt(time)

    def between(shift: float) -> float:
        """Return the weight of the image that starts at `shift`."""
        from_place, from_upper = ((shift + drift * time - line) / root for line in (place, upper))
        return _weigh(drift * shift, from_place) - _weigh(drift * shift, from_upper)

    return min(
        1.0,
        max(
            0.0,
            math.fsum(
                between(2 * image * width) - between(2 * upper - 2 * image * width)
                for image in _images(drift, time, width)
            ),
        ),
    )


def _images(drift: float, time: float, width: float) -> range:
    """Return the numbers of the images that count."""
    most = math.ceil((8 * math.sqrt(time) + abs(drift) * time) / (2 * width)) + 1
    return range(-most, most + 1)


def _weigh(exponent: float, z: float) -> float:
    return math.exp(min(exponent + _log_below(z), 700.0))


def _log_below(z: float) -> float:
    """Return the logarithm of the chance that a standard normal value is below z; beyond 30 by its leading term."""
    if z > -30:
        return math.log(math.erfc(-z / math.sqrt(2)) / 2)
    return -z * z / 2 - math.log(-z * math.sqrt(2 * math.pi))


def _rising_root(rising: Callable[[float], float], level: float) -> float:
    """Find the mean score at which a rising function reaches a level."""
    low, high = 1e-9, 1 - 1e-9
    for _ in range(50):
        middle = (low + high) / 2
        if rising(middle) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2
