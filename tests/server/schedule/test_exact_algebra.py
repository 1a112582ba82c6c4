"""Products and inverses that are the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from server.schedule.exact_algebra import Floats, invert, invert_plainly, product


def matrices(seed: int, rows: int, inner: int, columns: int) -> tuple[Floats, Floats]:
    """Two, with rows and columns of very different sizes."""
    dice = np.random.RandomState(seed)
    left, right = dice.normal(size=(rows, inner)), dice.normal(size=(inner, columns))
    return left * 10.0 ** dice.uniform(-6, 6, (rows, 1)), right * 10.0 ** dice.uniform(-6, 6, columns)


def information(seed: int, count: int) -> Floats:
    """As of a field in which some pairs have met."""
    dice = np.random.RandomState(seed)
    each = np.triu(dice.poisson(2, (count, count)) * dice.uniform(0.01, 0.25, (count, count)), 1)
    each += each.T
    return np.diag(each.sum(axis=1) + 0.25) - each


@pytest.mark.parametrize("inner", [1, 7, 64, 500])
def test_a_product_is_the_same_in_whatever_order_it_is_added_up(inner: int) -> None:
    """That is what differs between machines. The library alone does not pass this."""
    left, right = matrices(inner, 40, inner, 30)
    found = product(left, right)
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(inner)
        assert np.array_equal(product(left[:, order], right[order]), found)
    by_columns = np.hstack([product(left, right[:, [at]]) for at in range(30)])
    assert np.array_equal(by_columns, found), "one column at a time, which a library does with another routine"


def test_no_sum_of_a_product_is_rounded() -> None:
    """Every partial sum is a whole number below 2^53, also where all numbers are as large as can be."""
    for inner in (1, 2, 3, 511, 512):
        ones = np.full((1, inner), np.nextafter(1.0, 0.0))
        assert product(ones, ones.T)[0, 0] == pytest.approx(inner, rel=1e-12)
        assert np.array_equal(product(ones, ones.T), product(-ones, -ones.T))


def test_a_product_is_one() -> None:
    left, right = matrices(3, 20, 90, 10)
    sizes = np.abs(left).max(axis=1, keepdims=True) * np.abs(right).max(axis=0)
    assert np.abs((product(left, right) - left @ right) / sizes).max() < 1e-10
    assert product(np.zeros((2, 3)), np.zeros((3, 2))) == pytest.approx(np.zeros((2, 2)))
    assert product(np.zeros((0, 0)), np.zeros((0, 0))).shape == (0, 0)


@pytest.mark.parametrize("count", [1, 9, 60, 61, 150])
def test_an_inverse_is_one_and_that_found_row_by_row(count: int) -> None:
    matrix = information(count, count)
    found = invert(matrix)
    assert found @ matrix == pytest.approx(np.eye(count), abs=1e-8)
    assert found == pytest.approx(invert_plainly(matrix), rel=1e-8, abs=1e-9 * np.abs(found).max())
