"""Tokens: what a bot authenticates with, the hash that is kept of it, and a limit on wrong ones.

Wrong tokens are limited per network, which is read from the caller's gRPC peer address. A right token is never
throttled, so nobody can lock out a neighbour behind the same router.
"""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from referee.match import clock


def new_token() -> str:
    """Make a fresh token of 256 bits, fit for call metadata and for an environment variable."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """Return the hash under which a token is kept and looked up."""
    return hashlib.sha256(token.encode()).digest()


def network_of(peer: str) -> str:
    """Return the network of a gRPC peer (`ipv4:1.2.3.4:5`, `ipv6:%5B::1%5D:5`, `unix:`): its address without the
    port, and of an IPv6 address only the /64 that one household has to itself. Peers without an address are one
    network."""
    return network_of_host(unquote(peer.partition(":")[2]).rpartition(":")[0].strip("[]"))


@lru_cache(4096)
def network_of_host(host: str) -> str:
    """Return the network of an address without a port. Empty if it is no address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.IPv6Network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


MAX_FAILURES = 5
WINDOW_SECONDS = 60.0
MAX_PEERS = 4096
"""Most peers that are remembered. A new one displaces the one that began longest ago."""


@dataclass(slots=True)
class _Failures:
    began: float
    count: int = 0


class TokenThrottle:
    """Counts wrong tokens per network and minute."""

    def __init__(self) -> None:
        self._networks: OrderedDict[str, _Failures] = OrderedDict()

    def count_failure(self, peer: str) -> float:
        """Count a wrong token of this gRPC peer. Returns how many seconds it has to wait; 0: not yet."""
        network, now = network_of(peer), clock.now()
        failures = self._networks.get(network)
        if failures is None or now >= failures.began + WINDOW_SECONDS:
            self._networks.pop(network, None)
            failures = self._networks[network] = _Failures(now)
            if len(self._networks) > MAX_PEERS:
                self._networks.popitem(last=False)
        failures.count += 1
        return failures.began + WINDOW_SECONDS - now if failures.count > MAX_FAILURES else 0.0

    def __len__(self) -> int:
        return len(self._networks)
