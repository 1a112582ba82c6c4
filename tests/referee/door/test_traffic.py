"""The counts of questions, batches and waits."""

from __future__ import annotations

import pytest

from referee.door.outbox import STEP_SECONDS, STEPS, Traffic


def test_quantiles_are_right_to_half_a_step() -> None:
    traffic = Traffic()
    traffic.add([0.0] * 50)
    traffic.add([0.002] * 49)
    traffic.add([0.0153])
    assert (traffic.questions, traffic.batches) == (100, 3)
    assert traffic.wait_quantile(0.5) == pytest.approx(0.0, abs=STEP_SECONDS)
    assert traffic.wait_quantile(0.51) == pytest.approx(0.002, abs=STEP_SECONDS)
    assert traffic.wait_quantile(0.99) == pytest.approx(0.002, abs=STEP_SECONDS)
    assert traffic.wait_quantile(1.0) == pytest.approx(0.0153, abs=STEP_SECONDS)


def test_a_wait_beyond_the_last_step_is_counted_there() -> None:
    traffic = Traffic()
    traffic.add([3600.0])
    assert traffic.wait_quantile(0.5) == pytest.approx(STEPS * STEP_SECONDS, abs=STEP_SECONDS)


def test_the_counts_of_several_sessions_can_be_merged_and_begun_anew() -> None:
    one, two = Traffic(), Traffic()
    one.add([0.001])
    two.add([0.004, 0.004])
    one.merge(two)
    assert (one.questions, one.batches) == (3, 2)
    assert one.wait_quantile(0.5) == pytest.approx(0.004, abs=STEP_SECONDS)
    one.clear()
    assert (one.questions, one.batches, one.wait_quantile(0.5)) == (0, 0, 0.0)
