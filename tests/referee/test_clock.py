"""Clocks: what a user may write, and how the host's own lateness is noticed."""

from __future__ import annotations

import asyncio
import time

import pytest

from referee.errors import ConfigError
from referee.match.clock import HOST_LATE_SECONDS, LagMeter, TimeControl, now


def test_a_clock_is_read_from_bank_increment_and_cap() -> None:
    clock = TimeControl.read("90+0.5/2.25")
    assert (clock.bank_seconds, clock.increment_seconds, clock.cap_seconds) == (90.0, 0.5, 2.25)


def test_clocks_have_names() -> None:
    assert TimeControl.read("standard") == TimeControl()
    slow, person = TimeControl.read("slow"), TimeControl.read("person")
    assert (slow.bank_seconds, slow.increment_seconds, slow.cap_seconds) == (600, 30, 120)
    assert (person.bank_seconds, person.increment_seconds, person.cap_seconds) == (3600, 60, 900)


@pytest.mark.parametrize(
    "text", ["", "60", "60+1", "60/1", "-1+0/1", "60+0.1/0", "0+0/1", "1e3+0/1", "60+0.1/1s", "99999999+0/1"]
)
def test_a_bad_clock_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="the clock"):
        TimeControl.read(text)


async def test_a_loop_that_is_held_up_shows_it_and_forgets_what_lies_before() -> None:
    meter = LagMeter()
    meter.start()
    began = now()
    time.sleep(2 * HOST_LATE_SECONDS)  # noqa: ASYNC251 - the hold-up itself
    during = meter.longest_stall_since(began)
    await asyncio.sleep(0.1)
    after = meter.longest_stall_since(began)
    together = meter.stalled_since(began)
    later = meter.stalled_since(now() + 60)
    meter.stop()
    assert together >= after
    assert later == 0.0
    assert min(during, after) > HOST_LATE_SECONDS, "seen at once, while it lasts, and remembered afterwards"


async def test_a_hold_up_before_the_question_does_not_count() -> None:
    meter = LagMeter()
    meter.start()
    time.sleep(2 * HOST_LATE_SECONDS)  # noqa: ASYNC251 - the hold-up itself
    await asyncio.sleep(0)
    await asyncio.sleep(0.05)
    asked = now() + 60  # as if asked later
    found = meter.longest_stall_since(asked)
    meter.stop()
    assert found < 2 * HOST_LATE_SECONDS
