"""Against guessing: a peer that shows wrong tokens has to wait.

Whoever shows a right one never does, so that nobody can lock out a neighbour behind the same router.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass

from referee import clock

MAX_FAILURES = 5
WINDOW_SECONDS = 60.0
MAX_PEERS = 4096
"""How many peers are remembered; the one that began longest ago is forgotten for a new one."""


@dataclass(slots=True)
class _Tries:
    began: float
    count: int = 0


class TokenThrottle:
    """Counts wrong tokens per peer and minute."""

    def __init__(self) -> None:
        self._peers: OrderedDict[str, _Tries] = OrderedDict()

    def count(self, peer: str) -> float:
        """One more wrong token of this gRPC peer: how many seconds it has to wait now, 0 as long as it need not."""
        place, now = network_of(peer), clock.now()
        tries = self._peers.get(place)
        if tries is None or now >= tries.began + WINDOW_SECONDS:
            self._peers.pop(place, None)
            tries = self._peers[place] = _Tries(now)
            if len(self._peers) > MAX_PEERS:
                self._peers.popitem(last=False)
        tries.count += 1
        return tries.began + WINDOW_SECONDS - now if tries.count > MAX_FAILURES else 0.0

    def __len__(self) -> int:
        return len(self._peers)


def network_of(peer: str) -> str:
    """Where a gRPC peer (`ipv4:1.2.3.4:5`, `ipv6:%5B::1%5D:5`, `unix:`) sits: its address without the port, and of an
    IPv6 address the half that one household has to itself."""
    kind, _, rest = peer.partition(":")
    if kind == "ipv6":
        host = rest.replace("%5B", "[").replace("%5D", "]").rpartition("]")[0].removeprefix("[").partition("%")[0]
        try:
            return str(ipaddress.IPv6Network((host, 64), strict=False))
        except ValueError:
            return host
    return rest.rpartition(":")[0]
