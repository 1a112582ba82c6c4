"""The result in words."""

from __future__ import annotations

import re

import numpy as np

from bench.simulated.claims import play_blocks
from server.ratings.claims import blocks_to_tell, say_first
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings

NAMES = ["gunner", "corsair", "trader"]


def rate(strengths: list[float], blocks: int, seed: int = 1) -> FittedRatings:
    return fit(NAMES, *play_blocks(np.random.default_rng(seed), np.array(strengths), 2, blocks))


def test_a_clear_winner_is_named() -> None:
    assert say_first(rate([400, 0, 0], 60)) == "gunner is first"


def test_those_who_may_be_first_are_named_with_a_forecast_that_holds() -> None:
    """With as many more blocks as forecast and the same leads, the first is sure."""
    table = rate([80, 0, -400], 60)
    said = say_first(table)
    found = re.search(r"gunner or corsair;.*?(\d[\d ]*) more blocks", said)
    assert found, said
    needed = blocks_to_tell(table, ["gunner", "corsair"])
    assert needed is not None
    assert abs(int(found[1].replace(" ", "")) - needed) <= 0.05 * needed + 1
    lead, half = table.difference("gunner", "corsair")
    later = half * (60 / (60 + needed)) ** 0.5
    assert 1 < lead / later * 2 < 4, "about where the critical value of all pairs is"


def test_equals_get_no_forecast() -> None:
    bots, ranks = np.array([[0, 1], [1, 0]] * 10), np.array([[1, 1]] * 20)
    said = say_first(fit(NAMES, bots, ranks, np.arange(20) // 2))
    assert "corsair or gunner" in said
    assert "no forecast" in said


def test_many_are_counted_and_groups_are_told_apart() -> None:
    names = [f"bot{number}" for number in range(8)]
    said = say_first(fit(names, *play_blocks(np.random.default_rng(1), np.zeros(8), 2, 56)))
    assert said.startswith("first is one of 8 bots; ")
    two = fit([*"abcd"], np.array([[0, 1], [2, 3]]), np.array([[1, 2], [1, 2]]), np.arange(2))
    assert re.match(r"nobody .*first: 2 groups", say_first(two))
    nothing = np.empty((0, 2), dtype=np.int64)
    assert say_first(fit([*"ab"], nothing, nothing, np.empty(0, dtype=np.int64))) == "nothing was played yet"
