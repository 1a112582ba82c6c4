"""A match of two: numbers of other tools, and what is said when there is little to say.

Vectors V1 to V4: fastchess (Disservin/fastchess), app/tests/elo_test.cpp; V1's Elo by fishtest's function. V19:
fastchess as printed in brunocodutra/cinder, pull requests. V27: cutechess, issue 543. V28: cutechess as printed in
cinder, pull request 570 (its inverse erf is approximate: it prints 7.7). V31b: fishtest, server/fishtest/stats. Taken
from the research note ratings.md, section 6.
"""

from __future__ import annotations

import math
import statistics

import pytest

from server.ratings.distributions import normal_below, share_of
from server.ratings.duel import LARGE, Duel, ScoreTally, duel, of_games, of_pairs, of_scores


def shown(found: Duel) -> tuple[float, float, float, float, float, float]:
    assert found.plus_minus is not None
    return (
        round(found.elo, 2),
        round(found.plus_minus, 2),
        round(found.normalized, 2),
        round(found.normalized_plus_minus, 2),
        round(100 * found.superiority, 2),
        round(found.score, 3),
    )


@pytest.mark.parametrize(
    ("tally", "numbers"),
    [
        pytest.param(of_games(76, 89, 123), (-15.69, 30.46, -20.76, 40.13, 15.53, 0.477), id="v1"),
        pytest.param(of_games(136, 96, 111), (40.70, 30.43, 49.77, 36.77, 99.60, 0.558), id="v2"),
        pytest.param(of_pairs([34, 54, 63, 64, 75]), (55.58, 27.65, 57.94, 28.28, 100.00, 0.579), id="v4"),
        pytest.param(of_pairs([244, 1980, 3630, 2067, 263]), (2.65, 3.24, 4.36, 5.32, 94.56, 0.504), id="v19"),
    ],
)
def test_v1_v2_v4_v19_fastchess(tally: ScoreTally, numbers: tuple[float, ...]) -> None:
    assert shown(duel(tally)) == numbers


def test_v3_a_lopsided_match() -> None:
    found = duel(of_games(34, 356, 0))
    assert (round(found.normalized, 2), round(found.normalized_plus_minus, 2)) == (-508.44, 34.48)
    assert round(found.score, 3) == 0.087


def test_v27_v28_cutechess() -> None:
    found, even = duel(of_games(880, 759, 1863)), duel(of_games(1038, 1037, 1925))
    assert str(found) == "+12.0 ± 7.9 Elo"
    assert round(100 * found.superiority, 1) == 99.9
    assert str(even) == "+0.1 ± 7.8 Elo"
    assert round(100 * even.superiority, 1) == 50.9


def test_v31b_fishtest() -> None:
    found = duel(of_pairs([10789, 19328, 33806, 19402, 10543]))
    assert found.elo == pytest.approx(-0.7735773, abs=1e-7)
    assert found.plus_minus == pytest.approx(1.2775799, abs=1e-7)
    assert found.superiority == pytest.approx(0.1176589, abs=1e-7)


def test_blocks_of_more_games_have_a_normalized_elo_per_game() -> None:
    """The same spread, once as pairs and once as blocks of four: half of the games' worth."""
    scores = [0.25, 0.5, 0.75, 0.75, 1.0]
    two, four = duel(of_scores(scores, games=2)), duel(of_scores(scores, games=4))
    assert four.normalized == pytest.approx(two.normalized / math.sqrt(2))
    assert four.elo == two.elo
    assert (two.items, two.games, four.games) == (5, 10, 20)


def test_scores_that_differ_by_rounding_are_one() -> None:
    assert of_scores([0.1 + 0.2, 0.3, 0.7], games=3).counts == (2, 1)


def test_nothing_played_is_unknown() -> None:
    found = duel(of_games(0, 0, 0))
    assert (str(found), found.superiority, found.score) == ("unknown", 0.5, 0.5)
    assert found.normalized_plus_minus == math.inf


def test_all_won_is_one_sided_and_never_certain() -> None:
    one, many = duel(of_games(1, 0, 0)), duel(of_games(100, 0, 0))
    assert one.plus_minus is None
    assert (one.elo, one.high, one.normalized) == (math.inf, math.inf, math.inf)
    assert -300 < one.low < 0 < 400 < many.low < 700
    assert 0.8 < one.superiority < 0.9
    assert str(many) == f"above {many.low:+.1f} Elo"
    lost = duel(of_games(0, 100, 0))
    assert lost.high == pytest.approx(-many.low)
    assert str(lost) == f"below {lost.high:+.1f} Elo"


def test_equal_blocks_are_never_certain_either() -> None:
    """The mean of 27 times 1/3 is not 1/3 by a last bit, which is no spread."""
    found = duel(of_scores([1 / 3] * 27, games=3))
    assert found.tally.variance == 0
    assert found.plus_minus is not None
    assert found.plus_minus > 50


def test_nearly_all_won_is_one_sided_too() -> None:
    found = duel(of_games(9, 1, 0))
    assert found.high == math.inf
    assert 0 < found.low < found.elo < math.inf
    assert found.plus_minus is None


def test_all_ties_are_even_with_doubt() -> None:
    found = duel(of_games(0, 0, 40))
    assert (found.elo, found.normalized, found.superiority) == (0, 0, 0.5)
    assert found.plus_minus is not None
    assert found.plus_minus > 50


@pytest.mark.parametrize(
    ("scores", "counts", "games", "words"),
    [
        ((0.0, 1.0), (1,), 1, "2 scores"),
        ((0.0, 1.0), (1, -1), 1, "counts"),
        ((1.0, 0.0), (1, 1), 1, "not ascending"),
        ((0.0, 1.5), (1, 1), 1, "not ascending in 0..1"),
        ((0.0, 1.0), (1, 1), 0, "0 games"),
    ],
)
def test_a_senseless_tally_is_refused(
    scores: tuple[float, ...], counts: tuple[float, ...], games: int, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ScoreTally(scores=scores, counts=counts, games=games)


@pytest.mark.parametrize(("blocks", "half"), [(4, 3.1824), (12, 2.2010), (150, 1.9760)])
def test_few_blocks_are_judged_by_students_t(blocks: int, half: float) -> None:
    """By z and n, an interval of four blocks of equals held in 75 %, and LOS was beyond 97.5 % in 25 %."""
    scores = [0.25, 0.5] * (blocks // 2)
    found = duel(of_scores(scores, games=2))
    error = statistics.stdev(scores) / math.sqrt(blocks)
    assert share_of(found.low) == pytest.approx(found.score - half * error, abs=1e-4)
    assert found.superiority > normal_below((found.score - 0.5) / error)


def test_of_many_blocks_the_formulas_are_those_of_chess_tools() -> None:
    """Vectors V1 to V4 have 226 items and more; the step is below 1 %."""
    below, above = (duel(of_scores([0.25, 0.75] * (count // 2), games=2)) for count in (LARGE - 2, LARGE))
    assert below.plus_minus is not None
    assert above.plus_minus is not None
    assert 1 < below.plus_minus / above.plus_minus < 1.02
