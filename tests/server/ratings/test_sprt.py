"""The sequential test: the LLR of other tools, how a test runs, and how often it errs.

Vectors V7 to V14: fastchess (Disservin/fastchess), app/tests/sprt_test.cpp. V19: fastchess as printed in
brunocodutra/cinder. V24 to V26: cutechess, projects/lib/tests/sprt; V27: its issue 543; V28: cinder, pull request 570;
cutechess adds half a game to each class and rescales Elo to BayesElo. V31a: fishtest, server/fishtest/stats. Taken from
the research note ratings.md, section 6.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from server.ratings.duel import PENTANOMIAL, TRINOMIAL, ScoreTally, duel, of_games, of_pairs
from server.ratings.sprt import (
    FARTHEST,
    Sprt,
    SprtModel,
    SprtVerdict,
    approximate,
    approximate_logistic,
    bayesian_scale,
    bounds,
    is_in_reach,
    llr,
    target,
)


@pytest.mark.parametrize(
    ("model", "elo0", "elo1", "wins", "losses", "ties", "expected"),
    [
        pytest.param("normalized", 0, 2, 36433, 36027, 68692, 0.9233, id="v7"),
        pytest.param("normalized", -1.75, 0.25, 10871, 10650, 20431, 2.2975, id="v8"),
        pytest.param("normalized", 0, 10, 4250, 0, 0, 120.548, id="v9"),
        pytest.param("logistic", 0.5, 2.5, 21404, 21184, 40708, -1.5719, id="v10"),
        pytest.param("logistic", 0, 2, 57433, 57030, 106593, -2.5930, id="v11"),
        pytest.param("bayesian", 0, 2, 68965, 68526, 128429, -1.2622, id="v12"),
        pytest.param("bayesian", 0.5, 2.5, 21629, 21484, 41111, -1.1306, id="v13"),
    ],
)
def test_v7_to_v13_fastchess_by_games(
    model: str, elo0: float, elo1: float, wins: int, losses: int, ties: int, expected: float
) -> None:
    assert llr(of_games(wins, losses, ties), elo0, elo1, SprtModel(model)) == pytest.approx(expected, rel=1e-4)


def test_v14_v19_fastchess_by_pairs() -> None:
    assert llr(of_pairs([365, 16618, 36229, 16974, 390]), 0, 2) == pytest.approx(2.2504, abs=1e-4)
    wild = of_pairs([244, 1980, 3630, 2067, 263])
    assert round(llr(wild, -3, 1), 2) == 2.90
    assert round(llr(wild, -3, 1, SprtModel.LOGISTIC), 2) == 5.34


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "elo0", "elo1", "expected"),
    [
        pytest.param(1477, 1351, 2942, 0, 10, 2.5236, id="v24"),
        pytest.param(555, 555, 298, 0, 10, -0.7406, id="v25"),
        pytest.param(3, 149, 1, 0, 10, -4.690, id="v26"),
        pytest.param(880, 759, 1863, 0, 5, 2.9509, id="v27"),
        pytest.param(1038, 1037, 1925, -5, 5, 0.0555, id="v28"),
    ],
)
def test_v24_to_v28_cutechess(wins: int, losses: int, ties: int, elo0: float, elo1: float, expected: float) -> None:
    tally = of_games(wins + 0.5, losses + 0.5, ties + 0.5)
    scale = bayesian_scale(tally)
    assert llr(tally, elo0 / scale, elo1 / scale, SprtModel.BAYESIAN) == pytest.approx(expected, abs=1e-4)


def test_v27_with_the_bounds_as_bayeselo() -> None:
    assert round(llr(of_games(880, 759, 1863), 0, 5, SprtModel.BAYESIAN), 2) == 2.27


def test_v31a_fishtest() -> None:
    tally = of_pairs([10789, 19328, 33806, 19402, 10543])
    assert llr(tally, -3, 1, SprtModel.LOGISTIC) == pytest.approx(2.1310678, abs=1e-7)
    assert approximate_logistic(tally, -3, 1) == pytest.approx(2.1312449, abs=1e-7)


def test_the_bounds_are_walds() -> None:
    assert bounds().lower == pytest.approx(-2.9444, abs=1e-4)
    assert bounds().upper == pytest.approx(2.9444, abs=1e-4)
    assert bounds(0.01, 0.01).upper == pytest.approx(4.5951, abs=1e-4)
    assert (round(bounds(0.05, 0.1).lower, 2), round(bounds(0.05, 0.1).upper, 2)) == (-2.25, 2.89)
    with pytest.raises(ValueError, match=r"alpha 0\.6"):
        bounds(0.6, 0.5)


MOST_BLOCKS = 2000


def near(tally: ScoreTally, elo0: float, elo1: float) -> float:
    """The approximation, for one tally."""
    items, mean, variance = (np.array([value]) for value in (tally.items, tally.mean, tally.variance))
    found = approximate(items, mean, variance, target(elo0, tally.games), target(elo1, tally.games))
    return float(found[0])


def test_the_approximation_is_near_the_exact_form() -> None:
    for counts in (
        [244, 1980, 3630, 2067, 263],
        [365, 16618, 36229, 16974, 390],
        [5, 40, 90, 60, 12],
        [1, 9, 20, 9, 2],
    ):
        for elo0, elo1 in ((0, 2), (-3, 1), (0, 20)):
            exact = llr(of_pairs(counts), elo0, elo1)
            assert near(of_pairs(counts), elo0, elo1) == pytest.approx(exact, rel=0.02, abs=0.02)


def test_more_wins_never_tell_against_h1() -> None:
    """The bare approximation would: beyond one spread from even it falls again."""
    found = [near(of_games(wins, 100 - wins, 0), 0, 50) for wins in range(101)]
    assert found == sorted(found)
    assert found[100] > bounds().upper


def test_a_test_stops_at_the_bound_and_stays() -> None:
    test = Sprt(elo0=0, elo1=50, games=4)
    verdicts = [test.feed(score) for score in [0.75, 0.5, 0.75, 1.0] * 40]
    first = verdicts.index(SprtVerdict.H1)
    assert verdicts == [None] * first + [SprtVerdict.H1] * (160 - first)
    assert test.llr > test.bounds.upper
    assert test.blocks == 160
    assert duel(test.tally).games == 640
    assert test.feed(0) is SprtVerdict.H1


@pytest.mark.parametrize("games", [1, 2])
def test_an_exact_test_is_the_exact_llr(games: int) -> None:
    test = Sprt(elo0=0, elo1=30, games=games, exact=True)
    for score in [0.5, 1.0, 0.0, 1.0, 0.5]:
        test.feed(score)
    assert test.llr == llr(of_games(2, 1, 2) if games == 1 else of_pairs([1, 0, 2, 0, 2]), 0, 30)


@pytest.mark.parametrize("exact", [False, True])
def test_tests_without_any_spread_end(exact: bool) -> None:
    for score, verdict in ((1.0, SprtVerdict.H1), (0.0, SprtVerdict.H0), (0.5, SprtVerdict.H0)):
        test = Sprt(elo0=0, elo1=50, games=2, exact=exact)
        assert test.llr == 0
        while test.verdict is None and test.blocks < 2000:
            test.feed(score)
        assert test.verdict is verdict
        assert test.blocks > 3


@pytest.mark.parametrize("games", [1, 2])
def test_the_exact_form_reaches_as_far_as_it_says(games: int) -> None:
    edge = FARTHEST / target(1, games)
    assert is_in_reach(-edge * 0.999, edge * 0.999, games)
    assert not is_in_reach(-edge * 1.001, 0, games)
    for score in TRINOMIAL if games == 1 else PENTANOMIAL:
        test = Sprt(elo0=-edge * 0.999, elo1=edge * 0.999, games=games, exact=True)
        for _ in range(20):
            test.feed(score)
        assert (test.llr > 0, test.llr < 0) == (score > 0.5, score < 0.5) or abs(test.llr) < 1e-6


def test_senseless_tests_are_refused() -> None:
    with pytest.raises(ValueError, match="below elo1"):
        Sprt(elo0=5, elo1=5, games=2)
    for elo1 in (1001, math.inf, math.nan):
        with pytest.raises(ValueError, match="from -1000 to 1000"):
            Sprt(elo0=0, elo1=elo1, games=2)
    with pytest.raises(ValueError, match="too far from even"):
        Sprt(elo0=0, elo1=300, games=2, exact=True)
    with pytest.raises(ValueError, match="one or two games"):
        Sprt(elo0=0, elo1=5, games=4, exact=True)
    with pytest.raises(ValueError, match="in normalized Elo"):
        Sprt(elo0=0, elo1=5, games=4, model=SprtModel.LOGISTIC)
    with pytest.raises(ValueError, match="single games"):
        Sprt(elo0=0, elo1=5, games=2, exact=True, model=SprtModel.BAYESIAN)
    with pytest.raises(ValueError, match="single games"):
        llr(of_pairs([1, 1, 1, 1, 1]), 0, 5, SprtModel.BAYESIAN)
    with pytest.raises(ValueError, match="a block's score"):
        Sprt(elo0=0, elo1=5, games=4).feed(1.1)
    with pytest.raises(ValueError, match="none of"):
        Sprt(elo0=0, elo1=5, games=2, exact=True).feed(0.3)


def distribution(scores: NDArray[np.float64], base: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """The base tilted until its mean is t spreads above even."""
    low, high = -20.0, 20.0
    for _ in range(100):
        tilt = (low + high) / 2
        shares = base * np.exp(tilt * scores)
        shares /= shares.sum()
        mean = shares @ scores
        if (mean - 0.5) / math.sqrt(shares @ (scores - mean) ** 2) < t:
            low = tilt
        else:
            high = tilt
    return np.asarray(shares)


@pytest.mark.system
@pytest.mark.parametrize(
    ("games", "scores", "base"),
    [
        pytest.param(2, PENTANOMIAL, [0.06, 0.2, 0.48, 0.2, 0.06], id="blocks of 2"),
        pytest.param(4, [k / 24 for k in range(25)], [math.comb(24, k) ** 0.5 for k in range(25)], id="blocks of 4"),
    ],
)
def test_a_test_errs_as_seldom_as_it_says(games: int, scores: list[float], base: list[float]) -> None:
    """2 000 tests at each hypothesis: type I at most 6 %, power at least 94 %."""
    elo0, elo1 = 0.0, 45.0
    t0, t1 = target(elo0, games), target(elo1, games)
    rng = np.random.default_rng(20 + games)
    accepted = []
    for t in (t0, t1):
        drawn = rng.choice(scores, size=(2000, MOST_BLOCKS), p=distribution(np.array(scores), np.array(base), t))
        items = np.arange(1.0, MOST_BLOCKS + 1)
        mean = np.cumsum(drawn, axis=1) / items
        variance = np.maximum(np.cumsum(drawn**2, axis=1) / items - mean**2, 0)
        ratios = approximate(items, mean, variance, t0, t1)
        out = (ratios >= bounds().upper) | (ratios <= bounds().lower)
        assert out.any(axis=1).all(), "so many blocks have to be enough"
        accepted.append(float((ratios[np.arange(2000), out.argmax(axis=1)] > 0).mean()))
    assert accepted[0] <= 0.06
    assert accepted[1] >= 0.94
