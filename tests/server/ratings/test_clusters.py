"""Means over blocks: against plain formulas, and how often their intervals hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.distributions import t_quantile
from server.ratings.scores import ClusterMean, wilson


def filled(values: list[float], games: float = 1.0) -> ClusterMean:
    found = ClusterMean()
    for value in values:
        found.add(value, games)
    return found


def test_blocks_of_one_game_give_the_textbook_interval() -> None:
    values = [3.0, 5.0, 4.0, 9.0]
    found = filled(values)
    half = t_quantile(0.975, 3) * float(np.std(values, ddof=1)) / 2
    assert found.mean == 5.25
    assert found.half_width == pytest.approx(half)
    assert found.interval == pytest.approx((5.25 - half, 5.25 + half))


def test_games_of_a_block_that_agree_are_no_further_evidence() -> None:
    once, twice = filled([0.0, 1.0, 1.0, 0.0, 1.0]), filled([0.0, 2.0, 2.0, 0.0, 2.0], games=2)
    assert twice.mean == once.mean
    assert twice.interval == pytest.approx(once.interval)
    assert twice.share_interval == pytest.approx(once.share_interval)


def test_mirrored_luck_that_cancels_narrows_the_interval() -> None:
    """Each block is a win and a loss but for a few: known far better than by coin tosses."""
    found = filled([1.0] * 90 + [2.0] * 10, games=2)
    low, high = found.share_interval
    coins = wilson(found.mean, 200)
    assert coins[0] < low < found.mean < high < coins[1]


def test_blocks_that_are_all_alike_tell_no_spread() -> None:
    found = filled([1.0] * 20, games=2)
    assert (found.variance, found.interval) == (0.0, None)
    assert found.share_interval == wilson(0.5, 20)
    assert filled([0.1 * 3] * 7).variance == 0.0
    assert filled([1.0]).interval is None
    assert (ClusterMean().mean, ClusterMean().share_interval) == (0.0, (0.0, 1.0))


def test_merged_runs_are_one_run() -> None:
    one, other, whole = filled([1.0, 2.0]), filled([4.0, 4.5, 5.0]), filled([1.0, 2.0, 4.0, 4.5, 5.0])
    one.merge(other)
    assert (one.mean, one.half_width) == pytest.approx((whole.mean, whole.half_width))


@pytest.mark.system
@pytest.mark.parametrize("share", [0.5, 0.9, 0.97])
def test_intervals_of_shares_hold_the_truth_as_often_as_they_say(share: float) -> None:
    dice = np.random.RandomState(3)
    held, runs = 0, 4000
    for _ in range(runs):
        found = ClusterMean()
        luck = dice.random_sample((40, 3))
        first = luck[:, 0] < share
        second = np.where(luck[:, 1] < 0.5, first, luck[:, 2] < share)  # mostly, both games of a block go the same way
        for wins in first.astype(float) + second:
            found.add(float(wins), 2)
        low, high = found.share_interval
        held += low <= share <= high
    assert 0.94 < held / runs < 0.98


def test_a_block_that_was_cut_short_counts_for_its_games() -> None:
    found = ClusterMean()
    found.add(2.0, 2)
    found.add(0.0, 1)
    assert found.mean == pytest.approx(2 / 3)
