"""A series: how matches are counted, and how sure we are of the score."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.chance import derive_secret
from referee.match import Match, MatchResult, Terms
from server.series import SeriesResult, Standing, count_match, wilson
from support import tortoise
from support.players import QuietHost, ScriptedPlayer
from support.virtual_time import run


def result(*ranks: int) -> MatchResult:
    terms = Terms(
        match_id="m",
        game=tortoise.GAME,
        wire=tortoise.WIRE,
        options=tortoise.GAME.info.read_options({"rounds": "1"}),
        secret=derive_secret("s"),
    )
    players = [ScriptedPlayer(lambda question: 0) for _ in ranks]
    return replace(run(Match(terms, players, QuietHost()).play()), ranks=ranks)


def counted(*ranks: int, order: list[int]) -> tuple[SeriesResult, list[list[float]]]:
    series = SeriesResult([Standing(f"bot {bot}", [], len(order)) for bot in order])
    block: list[list[float]] = [[] for _ in order]
    count_match(series, block, order, result(*ranks))
    return series, block


def test_points_belong_to_the_bot_not_to_the_seat() -> None:
    series, block = counted(1, 2, order=[1, 0])
    assert block == [[0.0], [1.0]]
    assert [standing.wins for standing in series.standings] == [0.0, 1.0]


def test_points_are_the_share_of_the_others_that_were_beaten_and_ties_count_half() -> None:
    series, block = counted(1, 1, 3, 4, order=[0, 1, 2, 3])
    assert [points[0] for points in block] == pytest.approx([2.5 / 3, 2.5 / 3, 1 / 3, 0.0])
    assert [standing.wins for standing in series.standings] == [0.5, 0.5, 0.0, 0.0]


def test_a_perfect_score_is_not_shown_as_certain() -> None:
    low, high = Standing("a", [1.0] * 10, 2).interval
    assert 0.8 < low < 0.9
    assert high == 1.0


def test_blocks_that_always_split_tell_more_than_their_number() -> None:
    split, coin = Standing("a", [0.5] * 20, 2), Standing("b", [0.0, 1.0] * 10, 2)
    assert split.interval[1] - split.interval[0] < coin.interval[1] - coin.interval[0]


def test_one_block_tells_nothing() -> None:
    assert Standing("a", [1.0], 2).interval == (0.0, 1.0)


def test_wilson_against_the_textbook() -> None:
    """Wilson's interval for 8 of 10, Brown, Cai and DasGupta (2001)."""
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
