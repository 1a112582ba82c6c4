"""Scores of seats and blocks, and the interval of a share."""

from __future__ import annotations

import pytest
from scipy import stats

from server.ratings.scores import block_score, seat_scores, wilson


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (3, 10), (10, 10), (500, 1000)])
def test_wilson_is_scipys(wins: int, games: int) -> None:
    interval = stats.binomtest(wins, games).proportion_ci(method="wilson")
    assert wilson(wins / games, games) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_wilson_of_all_or_nothing_reaches_the_end() -> None:
    assert {wilson(1.0, games)[1] for games in range(1, 200)} == {1.0}
    assert {wilson(0.0, games)[0] for games in range(1, 200)} == {0.0}


def test_wilson_of_no_games_is_everything() -> None:
    assert wilson(0.5, 0) == (0, 1)


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ((1, 2), (1, 0)),
        ((1, 1), (0.5, 0.5)),
        ((2, 1, 3), (0.5, 1, 0)),
        ((1, 1, 3, 4), (5 / 6, 5 / 6, 1 / 3, 0)),
        ((2, 2, 1, 2, 2), (3 / 8, 3 / 8, 1, 3 / 8, 3 / 8)),
    ],
)
def test_a_seat_scores_the_share_it_beat(ranks: tuple[int, ...], scores: tuple[float, ...]) -> None:
    assert seat_scores(ranks) == pytest.approx(scores)
    assert sum(seat_scores(ranks)) == pytest.approx(len(ranks) / 2)


def test_a_match_of_one_has_no_scores() -> None:
    with pytest.raises(ValueError, match="1 seats"):
        seat_scores((1,))


def test_a_blocks_score_is_ours_less_theirs() -> None:
    assert block_score([1, 0.5], [0, 0.5]) == 0.75
    assert block_score([0.3] * 4, [0.3] * 4) == 0.5
    assert block_score([0, 1 / 3], [2 / 3, 1]) == pytest.approx(1 / 6)
