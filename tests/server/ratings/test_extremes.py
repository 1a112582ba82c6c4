"""Bots that win or lose nearly everything are known from one side only."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.simulated.events import play_blocks
from server.ratings.fit import fit
from server.ratings.fitted_ratings import RatingRow

TRUTH = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0])


def rate(outlier: float, blocks: int, *, anchor: str = "bot1", seed: int = 1, seats: int = 2) -> dict[str, RatingRow]:
    """Six near equals, and bot6."""
    truth = np.append(TRUTH, outlier)
    names = [f"bot{number}" for number in range(7)]
    columns = play_blocks(np.random.default_rng(seed), truth, seats, blocks)
    anchors = {anchor: 1000 + truth[names.index(anchor)]}
    return {row.name: row for row in fit(names, *columns, anchors=anchors, claims=False).rows}


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("gap", [1200.0, -1200.0])
def test_a_bot_far_from_all_others_is_told_from_one_side(gap: float, seats: int) -> None:
    """A ± on both sides held in 2 % of such events: a virtual tie pulls the estimate hundreds of Elo inwards."""
    for seed in range(1, 9):
        row = rate(gap, 40, seed=seed, seats=seats)["bot6"]
        assert row.low < 1000 + gap < row.high
        assert math.isinf(row.high if gap > 0 else row.low)
        assert (row.low > 1100) if gap > 0 else (row.high < 1000)


def test_a_bot_that_loses_some_games_has_two_ends_as_before() -> None:
    for row in rate(250, 120).values():
        assert (row.low, row.high) == (row.rating - row.plus_minus, row.rating + row.plus_minus)


def test_relative_to_a_bot_that_loses_everything_all_others_are_open_upwards() -> None:
    rows = rate(-1500, 60, anchor="bot6")
    assert rows["bot6"].low == rows["bot6"].rating == rows["bot6"].high
    for name in ("bot0", "bot5"):
        assert math.isinf(rows[name].high)
        assert -500 < rows[name].low < 1000


def test_without_a_match_no_end_is_known() -> None:
    bots, ranks = np.array([(0, 1), (1, 0)] * 5), np.array([(1, 2), (1, 2)] * 5)
    [row] = [row for row in fit(["ann", "bob", "cid"], bots, ranks, np.arange(10)).rows if row.name == "cid"]
    assert (row.low, row.high) == (-math.inf, math.inf)
