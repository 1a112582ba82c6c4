"""The live number: zero sum to the last bit, and within a rounding of the formula."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.ratings.distributions import share_of
from server.ratings.live import MICRO, START, changes, fold

RATINGS = st.integers(min_value=-1000 * MICRO, max_value=4000 * MICRO)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Ratings, matches played and ranks of one match."""
    seats = draw(st.integers(min_value=2, max_value=5))
    columns = [RATINGS, st.integers(min_value=0, max_value=40), st.integers(min_value=1, max_value=5)]
    ratings, played, ranks = (draw(st.lists(column, min_size=seats, max_size=seats)) for column in columns)
    return ratings, played, ranks


def by_the_formula(ratings: list[int], played: list[int], ranks: list[int]) -> list[float]:
    found = [0.0] * len(ratings)
    for i, j in combinations(range(len(ratings)), 2):
        k = sum(40 if played[seat] < 20 else 16 for seat in (i, j)) / 2 / (len(ratings) - 1)
        score = 1 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0
        change = k * (score - share_of((ratings[i] - ratings[j]) / MICRO))
        found[i] += change
        found[j] -= change
    return found


def test_the_example_of_the_definition() -> None:
    """ratings.md, section 3: K 32 gives +16, +5.3333 and so on; ours is K 16."""
    assert changes([1500 * MICRO] * 4, [20] * 4, [1, 2, 3, 4]) == (8000001, 2666667, -2666667, -8000001)


@settings(deadline=None, derandomize=True)
@given(tables())
def test_a_match_sums_to_nought_and_follows_the_formula(match: tuple[list[int], list[int], list[int]]) -> None:
    found = changes(*match)
    assert sum(found) == 0
    for change, expected in zip(found, by_the_formula(*match), strict=True):
        assert change / MICRO == pytest.approx(expected, abs=0.6e-6 * len(found))


@settings(deadline=None, derandomize=True)
@given(tables(), st.integers(min_value=-(10**9), max_value=10**9))
def test_neither_a_constant_nor_the_seats_matter(match: tuple[list[int], list[int], list[int]], constant: int) -> None:
    ratings, played, ranks = match
    found = changes(*match)
    assert changes([rating + constant for rating in ratings], played, ranks) == found
    assert changes(ratings[::-1], played[::-1], ranks[::-1]) == found[::-1]


def test_the_expectation_is_exact_enough_at_every_gap() -> None:
    for gap in range(0, 4000 * MICRO, 1_234_567):
        ours = changes([0, gap], [20, 20], [1, 2])[0]
        assert abs(ours - 16 * MICRO * (1 - share_of(-gap / MICRO))) < 0.51


def test_the_expectations_are_plain_arithmetic() -> None:
    """No power of the C library: one of the table, by the exact arithmetic of fractions."""
    power = Fraction(1.0057730630017383) ** 100
    assert changes([0, 100 * MICRO], [20, 20], [1, 2])[0] == round(16 * MICRO * (1 - 1 / (1 + power)))


def test_a_gap_beyond_the_table_counts_as_its_end() -> None:
    assert changes([0, 9000 * MICRO], [20, 20], [1, 2]) == changes([0, 4000 * MICRO], [20, 20], [1, 2])


def test_a_newcomer_moves_faster_until_its_twentieth_match() -> None:
    assert changes([START] * 2, [19, 19], [1, 2]) == (20 * MICRO, -20 * MICRO)
    assert changes([START] * 2, [19, 20], [1, 2]) == (14 * MICRO, -14 * MICRO)
    assert changes([START] * 2, [20, 20], [2, 1]) == (-8 * MICRO, 8 * MICRO)


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\b2 ratings\b.*\b1 counts\b.*\b2 ranks"):
        changes([START] * 2, [0], [1, 2])


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_many_matches_at_once_are_what_they_are_one_by_one(seats: int) -> None:
    luck = random.Random(seats)
    # Some so far apart that the gap is cut, on either side of the edge; some level; some new.
    start = [luck.choice((0, 1000, 1001, 5000, 5001, 9000)) * MICRO + luck.randrange(MICRO) for _ in range(8)]
    bots = [luck.sample(range(8), seats) for _ in range(2000)]
    ranks = [[luck.randint(1, seats) for _ in range(seats)] for _ in bots]
    elo, played = start[:], [0] * 8
    expected = []
    for seated, placed in zip(bots, ranks, strict=True):
        before = tuple(elo[bot] for bot in seated)
        moved = changes(before, [played[bot] for bot in seated], placed)
        expected.append((before, moved))
        for bot, change in zip(seated, moved, strict=True):
            elo[bot] += change
            played[bot] += 1
    found, counts = start[:], [0] * 8
    by_seat = [[list(column) for column in zip(*rows, strict=True)] for rows in (bots, ranks)]
    columns = fold(found, counts, *by_seat)
    assert list(zip(*(zip(*seats, strict=True) for seats in columns), strict=True)) == expected
    assert (found, counts) == (elo, played)
