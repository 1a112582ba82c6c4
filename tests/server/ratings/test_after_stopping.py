"""The estimate after a sequential test: its formula against simulated walks, and against a test that was fed.

How often it is right is measured in test_coverage.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.simulated.stopping import StoppedPool, play_test, true_values
from server.ratings.after_stopping import AfterStopping, estimate_after, passage, still_above
from server.ratings.duel import duel
from server.ratings.sprt import Sprt, SprtModel, SprtVerdict


@pytest.mark.few(2)
@pytest.mark.parametrize(("drift", "upper", "lower"), [(0.0, 8, -8), (0.1, 12, -6), (-0.1, 6, -12), (0.3, 20, -10)])
def test_first_passages_against_walks(drift: float, upper: float, lower: float) -> None:
    """Fine steps, so that the walks hardly pass a line by more than they should."""
    luck, steps, fine = np.random.default_rng(1), 100, 20
    moves = drift / fine + luck.standard_normal((4000, steps * fine)) / fine**0.5
    walks = moves.cumsum(axis=1)
    over, under = (walks >= upper).argmax(axis=1), (walks <= lower).argmax(axis=1)
    for time in (25, 100):
        end = time * fine
        passed = (walks[:, :end] >= upper).any(axis=1) & ~((walks[:, :end] <= lower).any(axis=1) & (under < over))
        assert passage(drift, time, upper + 0.5826 / fine**0.5, lower - 0.5826 / fine**0.5) == pytest.approx(
            passed.mean(), abs=0.025
        )


def test_a_line_is_always_passed_in_the_end() -> None:
    for drift in (-0.5, -0.01, 0.0, 0.01, 0.5):
        upper, lower = passage(drift, 1e5, 5, -7), passage(-drift, 1e5, 7, -5)
        assert upper + lower == pytest.approx(1)


@pytest.mark.parametrize("model", [SprtModel.NORMALIZED, SprtModel.LOGISTIC])
def test_a_finished_test_is_estimated_nearer_than_plainly(model: SprtModel) -> None:
    sprt = Sprt(elo0=0, elo1=40, games=2, exact=True, model=model)
    assert estimate_after(sprt) is None, "nothing was played"
    luck = np.random.default_rng(3)
    while sprt.verdict is None:
        sprt.feed(float((luck.random(2) < 0.56).mean()))
    assert sprt.verdict is SprtVerdict.H1
    ended = sprt.blocks
    found = estimate_after(sprt)
    assert found is not None
    for one in (found.elo, found.normalized):
        assert one.low < one.value < one.high
    sprt.feed(0.5)  # was running at the verdict
    assert (sprt.decided_after, sprt.blocks) == (ended, ended + 1)
    after = estimate_after(sprt)
    assert after == found, "blocks that were running at the verdict are not part of the estimate"


def test_a_test_of_a_far_better_side_says_how_far() -> None:
    """It said 191 Elo of a true 301, for it inverted another likelihood ratio than the one that stopped the test."""
    pool = StoppedPool(elo1=10, gap=300.0)
    true, _ = true_values(pool)
    luck = np.random.default_rng(8)
    held = [estimate.elo.low <= true <= estimate.elo.high for _ in range(6) if (estimate := _played(luck, pool))]
    assert len(held) == 6
    assert sum(held) >= 5


def _played(luck: np.random.Generator, pool: StoppedPool) -> AfterStopping | None:
    return estimate_after(play_test(luck, pool))


def test_all_games_won_is_one_sided() -> None:
    """68 games won were told as +272 (154 to 390) nElo: of the upper end they say nothing."""
    sprt = Sprt(elo0=0, elo1=10, games=2, exact=True)
    for _ in range(34):
        sprt.feed(1.0)
    found = estimate_after(sprt)
    assert found is not None
    assert (found.elo.value, found.elo.high, found.normalized.high) == (math.inf, math.inf, math.inf)
    assert 250 < found.elo.low < 500
    assert str(found.elo).startswith("above")


def test_a_test_without_a_verdict_is_estimated_like_one_of_fixed_length() -> None:
    sprt = Sprt(elo0=0, elo1=5, games=2, exact=True)
    for number in range(60):
        sprt.feed((0.25, 0.5, 0.75, 1.0)[number % 4])
    found, plain = estimate_after(sprt), duel(sprt.tally)
    assert sprt.verdict is None
    assert found is not None
    assert found.elo.value == pytest.approx(plain.elo, abs=2)
    assert (found.elo.low, found.elo.high) == pytest.approx((plain.low, plain.high), abs=6)


def test_who_neither_passed_nor_stayed_below_is_counted() -> None:
    """The three ways to end are all there are."""
    for drift in (-0.2, 0.0, 0.1):
        above, below = still_above(drift, 30, 6, -5, -5), passage(drift, 30, 6, -5)
        assert above + below + passage(-drift, 30, 5, -6) == pytest.approx(1)
        assert 0 < still_above(drift, 30, 6, -5, 2) < above
