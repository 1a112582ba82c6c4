"""The special functions, against scipy."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from server.ratings.distributions import Z95, chi_square_above, elo_of, normal_below, share_of, t_below, t_quantile


@pytest.mark.parametrize("z", [-30, -8, -3.3, -1, -1e-9, 0, 0.5, 1.96, 4, 9])
def test_the_normal_tail_is_scipys(z: float) -> None:
    assert normal_below(z) == pytest.approx(stats.norm.cdf(z), rel=1e-13)


def test_a_95_percent_interval_is_as_wide_as_scipys() -> None:
    assert pytest.approx(stats.norm.ppf(0.975), rel=1e-14) == Z95


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 28, 190, 4950, 19900])
@pytest.mark.parametrize("factor", [0.01, 0.5, 0.9, 1, 1.001, 1.1, 1.5, 3, 8])
def test_the_chi_square_tail_is_scipys(degrees: int, factor: float) -> None:
    assert chi_square_above(degrees * factor, degrees) == pytest.approx(
        stats.chi2.sf(degrees * factor, degrees), rel=1e-9, abs=1e-14
    )


def test_the_chi_square_tail_at_its_ends() -> None:
    assert chi_square_above(0, 3) == 1
    assert chi_square_above(math.inf, 3) == 0
    with pytest.raises(ValueError, match="0 degrees"):
        chi_square_above(1, 0)


@pytest.mark.parametrize("degrees", [1, 2.5, 10, 37.2, 400, 1e5])
@pytest.mark.parametrize("t", [-40, -3, -0.1, 0, 0.7, 2, 6])
def test_the_t_tail_is_scipys(degrees: float, t: float) -> None:
    assert t_below(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("degrees", [1, 2.5, 10, 37.2, 400, 1e5])
@pytest.mark.parametrize("chance", [0.5, 0.9, 0.975, 0.9999])
def test_the_t_quantile_is_scipys(degrees: float, chance: float) -> None:
    assert t_quantile(chance, degrees) == pytest.approx(stats.t.ppf(chance, degrees), rel=1e-7, abs=1e-7)


def test_elo_and_share_are_inverse() -> None:
    assert share_of(400) == pytest.approx(10 / 11)
    assert elo_of(share_of(123.4)) == pytest.approx(123.4)
    assert (elo_of(0), elo_of(1)) == (-math.inf, math.inf)
