"""Scores less luck: the same on average, less scattered, and the gain with its interval."""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.luck import LuckScores, adjust_scores, expected_scores, seat_scores
from server.ratings.matches import Floats
from server.ratings.scores import seat_scores as scores_of_one
from support.sizes import pick, sized

NAMES = ["ann", "bob", "cid", "dan"]


def season(seed: int, blocks: int, worth: float, seats: int = 2) -> LuckScores:
    """Equal bots at tables by lot; the better of skill and luck wins, and what luck is worth is known."""
    dice = np.random.RandomState(seed)
    bots = np.array([dice.permutation(len(NAMES))[:seats] for _ in range(blocks)])
    luck = dice.normal(size=bots.shape)
    ranks = (-(dice.normal(size=bots.shape) + worth * luck)).argsort(axis=1).argsort(axis=1) + 1
    # By regression on other seasons: 0.2 of a score for a luck that is as large as the rest, and a lead of one.
    owed = 0.2 * worth * (luck - luck.mean(axis=1, keepdims=True)) * seats / (seats - 1)
    return adjust_scores(
        NAMES, bots, ranks, np.arange(blocks), owed, ratings=np.zeros(len(NAMES)), seat_elo=np.zeros(seats)
    )


def test_scores_are_those_of_single_matches() -> None:
    ranks = np.array([[1, 2, 3], [1, 1, 3], [2, 2, 1]])
    assert seat_scores(ranks).tolist() == [list(scores_of_one(row)) for row in ranks.tolist()]


def test_equals_are_expected_to_score_a_half_and_who_is_400_above_ten_elevenths() -> None:
    assert expected_scores(np.zeros((1, 4))) == pytest.approx(np.full((1, 4), 0.5))
    assert expected_scores(np.array([[400.0, 0.0]])) == pytest.approx(np.array([[10 / 11, 1 / 11]]))


@pytest.mark.parametrize("seats", [2, 4])
def test_taking_luck_off_makes_scores_more_exact_and_says_by_how_much(seats: int) -> None:
    found = season(1, 2000, 1.0, seats)
    assert found.pays
    assert 1.05 < found.low < found.gain < found.high
    for row in found.rows:
        assert row.adjusted == pytest.approx(row.score - row.luck)
        assert row.adjusted_plus_minus < row.plus_minus
    assert [row.adjusted for row in found.rows] == sorted((row.adjusted for row in found.rows), reverse=True)


def test_luck_that_explains_nothing_is_left_off() -> None:
    found = season(1, 2000, 0.0)
    assert not found.pays
    assert found.gain == pytest.approx(1)


@pytest.mark.system
@sized
def test_the_interval_of_the_adjusted_score_holds_the_truth() -> None:
    seasons = pick(quick=100, ci=500)
    rows = [row for seed in range(seasons) for row in season(seed, 100, 1.0).rows]
    held = np.mean([abs(row.adjusted - 0.5) < row.adjusted_plus_minus for row in rows])
    plain = np.mean([abs(row.score - 0.5) < row.plus_minus for row in rows])
    assert held == pytest.approx(0.95, abs=0.03)
    assert plain == pytest.approx(0.95, abs=0.03)
    mean: Floats = np.array([row.adjusted for row in rows if row.name == "ann"])
    assert abs(mean.mean() - 0.5) < 4 * mean.std() / seasons**0.5


def test_a_bot_without_a_match_has_no_row_and_one_block_no_interval() -> None:
    found = adjust_scores(
        NAMES,
        np.array([[0, 1]]),
        np.array([[1, 2]]),
        np.array([7]),
        np.array([[0.1, -0.1]]),
        ratings=np.zeros(4),
        seat_elo=np.zeros(2),
    )
    assert [row.name for row in found.rows] == ["ann", "bob"]
    assert found.rows[0].plus_minus == np.inf
    assert not found.pays


def test_three_blocks_that_are_alike_do_not_tell_a_score() -> None:
    """75.0 % ± 3.4 was said after three blocks: the scatter of three numbers that luck had made alike."""
    bots = np.tile([[0, 1], [0, 1], [0, 1], [1, 0]], (3, 1))
    ranks = np.tile([[1, 2], [1, 2], [1, 2], [1, 2]], (3, 1))
    found = adjust_scores(
        ["ann", "bob"], bots, ranks, np.arange(12) // 4, np.zeros((12, 2)), ratings=np.zeros(2), seat_elo=np.zeros(2)
    )
    row = found.rows[0]
    assert (row.name, row.score) == ("ann", 0.75)
    assert 0.2 < row.plus_minus < 0.5


def test_the_interval_of_a_plain_score_holds_the_truth_after_few_blocks() -> None:
    """Equals, four bots, 8 blocks of two matches: 95 % is right."""
    dice = np.random.RandomState(7)
    held = []
    for _ in range(150):
        bots = np.repeat([dice.permutation(4)[:2] for _ in range(24)], 2, axis=0)
        ranks = dice.rand(48, 2).argsort(axis=1) + 1
        found = adjust_scores(
            NAMES, bots, ranks, np.arange(48) // 2, np.zeros((48, 2)), ratings=np.zeros(4), seat_elo=np.zeros(2)
        )
        held += [abs(row.score - 0.5) <= row.plus_minus for row in found.rows]
    assert 0.92 <= np.mean(held) <= 0.98
