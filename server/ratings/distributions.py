"""The tails of three distributions, and the Elo scale: all the special functions the ratings need.

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
    """Return the chance that a standard normal value is below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


def chi_square_above(x: float, degrees: int) -> float:
    """Return the chance that a chi-square value with these degrees of freedom is above x.

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


def t_below(t: float, degrees: float) -> float:
    """Return the chance that a Student t value with these degrees of freedom is below t: the incomplete beta
    function."""
    if math.isinf(t):
        return 1.0 if t > 0 else 0.0
    tail = _beta_below(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def t_quantile(chance: float, degrees: float) -> float:
    """Return the t value that is not exceeded with this chance, from 1/2 up."""
    low, high = 0.0, 1.0
    while t_below(high, degrees) < chance:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_below(middle, degrees) < chance else (low, middle)
    return high


def _beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz)."""
    if not 0 < x < 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # there the fraction of the other end converges
        return 1 - _beta_below(1 - x, b, a)
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for k in range(1, 100_000):
        for numerator in (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)),
        ):
            d = 1 / (1 + numerator * d)
            c = 1 + numerator / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return scale * fraction / a


def elo_of(share: float) -> float:
    """Return the rating difference at which this share is expected; infinite at 0 and 1."""
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return ELO * (math.log(share) - math.log1p(-share))


def share_of(elo: float) -> float:
    """Return the share expected at this rating difference."""
    return 1 / (1 + 10 ** (-elo / 400))
