"""Limits how often one peer may try wrong tokens.

A right token is never throttled, so that nobody can lock out a neighbour behind the same router.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from referee.door.peers import network_of
from referee.match import clock

MAX_FAILURES = 5
WINDOW_SECONDS = 60.0
MAX_PEERS = 4096
"""How many peers are remembered. A new one displaces the one that began longest ago."""


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
