"""Wrong tokens are counted per address and minute, in bounded memory."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.tokens import MAX_FAILURES, MAX_PEERS, TokenThrottle

pytestmark = pytest.mark.virtual_time


async def test_more_than_five_wrong_tokens_in_a_minute_have_to_wait() -> None:
    throttle = TokenThrottle()
    for port in range(MAX_FAILURES):
        assert throttle.count_failure(f"ipv4:10.0.0.1:{port}") == 0
    await asyncio.sleep(20)
    assert throttle.count_failure("ipv4:10.0.0.1:99") == pytest.approx(40)
    assert throttle.count_failure("ipv4:10.0.0.2:99") == 0, "the neighbour"
    await asyncio.sleep(40)
    assert throttle.count_failure("ipv4:10.0.0.1:99") == 0, "the minute is over"


async def test_only_so_many_peers_are_remembered() -> None:
    throttle = TokenThrottle()
    for number in range(2 * MAX_PEERS):
        throttle.count_failure(f"ipv4:10.{number >> 16}.{number >> 8 & 255}.{number & 255}:1")
    assert len(throttle) == MAX_PEERS
