"""Callers are counted by the network they call from."""

from __future__ import annotations

import pytest

from referee.door.tokens import network_of


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("ipv4:127.0.0.1:5000", "127.0.0.1"),
        ("ipv6:%5B::1%5D:5000", "::/64"),
        ("ipv6:[2001:db8::1:2]:5000", "2001:db8::/64"),
        ("ipv6:%5B2001:db8::ffff%5D:1", "2001:db8::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:5000", "fe80::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:5000", "192.0.2.7"),
        ("ipv6:odd", ""),
        ("unix:", ""),
        ("", ""),
    ],
)
def test_a_network_is_an_address_without_its_port(peer: str, network: str) -> None:
    assert network_of(peer) == network
