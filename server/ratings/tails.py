"""The tails of two distributions, and the Elo scale: all the special functions the ratings need.

The tests check them against scipy, which is no dependency of the server.
"""

from __future__ import annotations

import math
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)
"""Half the width of a 95 % interval, in standard deviations."""

ELO = 400 / math.log(10)
"""One natural unit of strength (a logit) in Elo."""


def normal_below(z: float) -> float:
    """The chance that a standard normal value is below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


def chi_square_above(x: float, degrees: int) -> float:
    """The chance that a chi-square value with these degrees of freedom is above x.

    The regularised incomplete gamma function: its series below the mean, its continued fraction (Lentz) above.
    """
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom")
    if x <= 0:
        return 1.0
    if math.isinf(x):
        return 0.0
    a, y = degrees / 2, x / 2
    scale = math.exp(a * math.log(y) - y - math.lgamma(a))
    if y < a + 1:
        term = total = 1 / a
        k = a
        while term > total * 1e-17:
            k += 1
            term *= y / k
            total += term
        return max(0.0, 1 - scale * total)
    b = y + 1 - a
    c, d = math.inf, 1 / b
    fraction = d
    for k in range(1, 100_000):
        numerator = -k * (k - a)
        b += 2
        d = 1 / (numerator * d + b)
        c = b + numerator / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return min(1.0, scale * fraction)


def elo_of(share: float) -> float:
    """The rating difference at which this share is expected; infinite at 0 and 1."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return ELO * (math.log(share) - math.log1p(-share))


def share_of(elo: float) -> float:
    """The share expected at this rating difference."""
    return 1 / (1 + 10 ** (-elo / 400))
