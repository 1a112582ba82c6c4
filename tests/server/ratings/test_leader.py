"""The result in words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bench.simulated.events import play_blocks
from bench.simulated.forecasts import measure_forecasts
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.leader import blocks_to_tell, say_first

NAMES = ["gunner", "corsair", "trader"]


def rate(strengths: list[float], blocks: int, seed: int = 1) -> FittedRatings:
    return fit(NAMES, *play_blocks(np.random.default_rng(seed), np.array(strengths), 2, blocks))


def test_a_clear_winner_is_named() -> None:
    assert say_first(rate([400, 0, 0], 60)) == "gunner is first"


def test_those_who_may_be_first_are_named_with_a_range() -> None:
    table = rate([100, 0, -400], 100, seed=3)
    said = say_first(table)
    found = re.search(r"gunner or corsair; between ([\d ]+) and ([\d ]+) more blocks", said)
    assert found, said
    needed = blocks_to_tell(table, ["gunner", "corsair"])
    assert needed is not None
    assert needed.high is not None
    low, high = (int(end.replace(" ", "")) for end in found.groups())
    assert low == pytest.approx(needed.low, rel=0.05)
    assert high == pytest.approx(needed.high, rel=0.05)
    assert 2 * low < high < 20 * 100
    assert 0 < needed.twice < 1


def test_the_range_holds_for_some_who_are_far_apart() -> None:
    """80 % of ranges are to hold; the bench has more events (bench/simulated/forecasts.py)."""
    found = measure_forecasts("8 that scatter by 300", 30, 8)
    assert found.clear < 1
    assert found.held.share >= 0.6


def test_equals_get_no_forecast() -> None:
    bots, ranks = np.array([[0, 1], [1, 0]] * 10), np.array([[1, 1]] * 20)
    table = fit(NAMES, bots, ranks, np.arange(20) // 2)
    assert blocks_to_tell(table, ["corsair", "gunner"]) is None
    assert "corsair or gunner" in say_first(table)


def test_many_are_counted_and_groups_are_told_apart() -> None:
    names = [f"bot{number}" for number in range(8)]
    said = say_first(fit(names, *play_blocks(np.random.default_rng(1), np.zeros(8), 2, 56)))
    assert said.startswith("first is one of 8 bots; ")
    two = fit([*"abcd"], np.array([[0, 1], [2, 3]]), np.array([[1, 2], [1, 2]]), np.arange(2))
    assert re.match(r"nobody .*first: 2 groups", say_first(two))
    nothing = np.empty((0, 2), dtype=np.int64)
    assert say_first(fit([*"ab"], nothing, nothing, np.empty(0, dtype=np.int64))) == "nothing was played yet"
