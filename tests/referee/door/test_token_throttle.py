"""Wrong tokens are counted per address and minute, in bounded memory."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.token_throttle import MAX_FAILURES, MAX_PEERS, TokenThrottle, network_of

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


@pytest.mark.parametrize(
    ("peer", "place"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv6:%5B::1%5D:5000", "::/64"),
        ("ipv6:[2001:db8::1:2]:5000", "2001:db8::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
        ("ipv6:odd", ""),
        ("unix:", ""),
        ("", ""),
    ],
)
def test_a_place_is_an_address_without_its_port(peer: str, place: str) -> None:
    assert network_of(peer) == place
