"""How long a sequential test takes: expected beforehand, forecast while it runs, compared with simulated tests."""

from __future__ import annotations

import re

import numpy as np
import pytest

from server.ratings.sprt import Sprt, SprtModel, approximate, bounds, target
from server.ratings.sprt_forecast import expected_length, forecast, rough
from support.sizes import pick, sized


def test_the_default_test_needs_about_3200_blocks() -> None:
    found = expected_length(Sprt(elo0=0, elo1=10, games=2, exact=True))
    assert found.under_h1 == pytest.approx(3200, rel=0.015)
    assert found.under_h0 == pytest.approx(found.under_h1)
    assert found.between == pytest.approx(5231, rel=0.02)
    assert re.search(r"\b3 200 .*H1.*\b3 200 .*H0.*\b5 300 .*between", str(found))


def test_other_models_and_risks() -> None:
    loose = expected_length(Sprt(elo0=0, elo1=10, games=2, exact=True, alpha=0.1, beta=0.01))
    assert loose.under_h0 > loose.under_h1
    logistic = expected_length(Sprt(elo0=0, elo1=10, games=2, exact=True, model=SprtModel.LOGISTIC))
    assert logistic.under_h1 == pytest.approx(3200, rel=0.02), "near even, without ties, one Elo is one normalized Elo"


@sized
@pytest.mark.parametrize(("gap", "where"), [(0.0, "under_h0"), (20.0, "between"), (40.0, "under_h1")])
def test_simulated_tests_take_as_long_as_expected(gap: float, where: str) -> None:
    runs, games, most = pick(quick=300, ci=1000), 2, 4000
    rng = np.random.default_rng(6)
    scores = 0.5 + 0.35 * (target(gap, games) + rng.normal(size=(runs, most)))
    items = np.arange(1, most + 1, dtype=float)
    mean = scores.cumsum(axis=1) / items
    variance = np.maximum((scores**2).cumsum(axis=1) / items - mean**2, 0)
    llr = approximate(items, mean, variance, target(0, games), target(40, games))
    ended = (llr >= bounds().upper) | (llr <= bounds().lower)
    assert ended.any(axis=1).all()
    expected = getattr(expected_length(Sprt(elo0=0, elo1=40, games=games)), where)
    assert ended.argmax(axis=1).mean() == pytest.approx(expected, rel=0.12)


def test_before_the_first_block_the_forecast_is_near_the_expectation() -> None:
    test = Sprt(elo0=0, elo1=10, games=2, exact=True)
    found, before = forecast(test), expected_length(test)
    assert 0.5 * before.under_h1 < found.blocks < before.between
    assert found.accepts_h1 == pytest.approx(0.5)


def test_the_forecast_follows_what_was_played() -> None:
    test = Sprt(elo0=0, elo1=50, games=2, exact=True)
    for _ in range(4):
        for score in (1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 1.0):
            test.feed(score)
    assert test.verdict is None
    found = forecast(test)
    assert found.accepts_h1 > 0.6
    assert str(found).startswith("about ")
    while test.verdict is None:
        test.feed(1.0)
        test.feed(0.5)
    assert forecast(test).blocks == 0
    assert forecast(test).accepts_h1 == 1


def test_numbers_are_told_roughly() -> None:
    assert [rough(number) for number in (0.2, 7.4, 43.0, 187.0, 5231.0, 123_456.0)] == [
        *("0", "7", "43", "190", "5 200", "120 000"),
    ]
