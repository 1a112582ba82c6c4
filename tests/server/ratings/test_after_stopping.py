"""The estimate after a sequential test: its formula against simulated walks, and against a test that was fed.

How often it is right is measured in test_coverage.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.after_stopping import estimate_after, passage
from server.ratings.sprt import Sprt, SprtModel, SprtVerdict


@pytest.mark.few(2)
@pytest.mark.parametrize(("drift", "upper", "lower"), [(0.0, 8, -8), (0.1, 12, -6), (-0.1, 6, -12), (0.3, 20, -10)])
def test_first_passages_against_walks(drift: float, upper: float, lower: float) -> None:
    """Fine steps, so that the walks hardly pass a line by more than they should."""
    luck, steps, fine = np.random.default_rng(1), 100, 20
    moves = drift / fine + luck.standard_normal((4000, steps * fine)) / fine**0.5
    walks = moves.cumsum(axis=1)
    over, under = (walks >= upper).argmax(axis=1), (walks <= lower).argmax(axis=1)
    for time in (25, 100):
        end = time * fine
        passed = (walks[:, :end] >= upper).any(axis=1) & ~((walks[:, :end] <= lower).any(axis=1) & (under < over))
        assert passage(drift, time, upper + 0.5826 / fine**0.5, lower - 0.5826 / fine**0.5) == pytest.approx(
            passed.mean(), abs=0.025
        )


def test_a_line_is_always_passed_in_the_end() -> None:
    for drift in (-0.5, -0.01, 0.0, 0.01, 0.5):
        upper, lower = passage(drift, 1e5, 5, -7), passage(-drift, 1e5, 7, -5)
        assert upper + lower == pytest.approx(1)


@pytest.mark.parametrize("model", [SprtModel.NORMALIZED, SprtModel.LOGISTIC])
def test_a_finished_test_is_estimated_nearer_than_plainly(model: SprtModel) -> None:
    sprt = Sprt(elo0=0, elo1=40, games=2, exact=True, model=model)
    assert estimate_after(sprt) is None
    luck = np.random.default_rng(3)
    while sprt.verdict is None:
        sprt.feed(float((luck.random(2) < 0.56).mean()))
    assert sprt.verdict is SprtVerdict.H1
    ended = sprt.blocks
    found = estimate_after(sprt)
    assert found is not None
    for one in (found.elo, found.normalized):
        assert one.low < one.value < one.high
    sprt.feed(0.5)  # was running at the verdict
    assert (sprt.decided_after, sprt.blocks) == (ended, ended + 1)
