"""What a table will tell, before anything is played."""

from __future__ import annotations

from itertools import combinations

import pytest

from bench.simulated.power import measure_power
from server.ratings.power import GOAL, POWER, Power, Tables, forecast_power


def everybody(bots: int, blocks: int) -> Tables:
    return dict.fromkeys(combinations(range(bots), 2), blocks)


def told(bots: int, tables: Tables) -> Power:
    forecast = forecast_power(bots, tables)
    assert forecast is not None
    return forecast


def test_two_bots_need_as_many_blocks_as_the_textbook_says() -> None:
    """k blocks are 2 k games of variance 1/4, so 50 Elo are 1.96 + 0.84 standard deviations at k = 190."""
    assert told(2, {(0, 1): 20}).blocks_for_goal == pytest.approx(190, rel=0.04)
    assert told(2, {(0, 1): 190}).gap == pytest.approx(GOAL, abs=1.5)


def test_the_blocks_for_the_goal_tell_it() -> None:
    few = told(6, everybody(6, 4))
    enough = told(6, everybody(6, round(few.blocks_for_goal / 15)))
    assert enough.gap == pytest.approx(GOAL, abs=1)
    assert enough.blocks_for_goal == pytest.approx(enough.blocks, rel=0.05)


def test_more_blocks_tell_less() -> None:
    gaps = [told(6, everybody(6, blocks)).gap for blocks in (4, 8, 16, 64)]
    assert None not in gaps
    assert gaps == sorted(gaps, key=lambda gap: -(gap or 0.0))


def test_a_table_of_four_tells_more_than_a_duel() -> None:
    duels, fours = told(6, everybody(6, 12)), told(6, dict.fromkeys(combinations(range(6), 4), 12))
    assert duels.blocks == fours.blocks == 180
    assert fours.blocks_for_goal < duels.blocks_for_goal / 3


def test_few_blocks_tell_nothing() -> None:
    few = told(6, everybody(6, 1))
    assert few.gap is None
    assert few.blocks_for_goal == pytest.approx(told(6, everybody(6, 8)).blocks_for_goal, rel=0.1)


@pytest.mark.parametrize(("bots", "tables"), [(4, {(0, 1): 5, (2, 3): 5}), (3, {(0, 1): 5}), (2, {})])
def test_bots_that_never_meet_have_no_forecast(bots: int, tables: Tables) -> None:
    assert forecast_power(bots, tables) is None


def test_the_forecast_comes_true() -> None:
    """In 0.71 to 0.84 of simulated events over all pools of the bench, which plays more."""
    row = measure_power(6, 2, 60, 40)
    assert row.told.share == pytest.approx(POWER, abs=0.1)
