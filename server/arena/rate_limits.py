"""Limits how often one address may call, and how much it may hold open at once. The web pages use the same two counts.

Each address has a token bucket that fills up with time. Memory is bounded: the addresses that were quiet longest are
forgotten first, which changes nothing once their bucket is full.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import grpc
import grpc.aio

from referee.door.tokens import network_of
from referee.match import clock
from server.arena.errors import RateLimited
from server.arena.interceptor import CallInterceptor, Context, Handler, begin_early, inside

MAX_PEERS = 10_000
MAX_OPEN = 50
"""Open calls of one address, at most, so that nobody takes all places of spectators or downloads."""


class RateLimiter:
    """One token bucket per key: an address, or a bot's name."""

    def __init__(
        self, per_second: float, burst: float, *, limit: int = MAX_PEERS, now: Callable[[], float] = clock.now
    ) -> None:
        self._per_second, self._burst, self._limit, self._now = per_second, burst, limit, now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._levels)

    def level(self, peer: str) -> float:
        """Return the present level of a bucket."""
        level, at = self._levels.get(peer, (self._burst, 0.0))
        return min(self._burst, level + (self._now() - at) * self._per_second)

    def take(self, peer: str, cost: float = 1.0) -> bool:
        """Take a token, or what something costs; False: that much is not left."""
        level = self.level(peer)
        if level < cost:
            return False
        self._levels[peer] = level - cost, self._now()
        self._levels.move_to_end(peer)
        if len(self._levels) > self._limit:
            self._levels.popitem(last=False)
        return True


class OpenPlaces:
    """Counts what each address holds open: calls, or live streams."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """What all addresses hold open together."""
        return self._open.total()

    def of(self, peer: str) -> int:
        """Return what an address holds open."""
        return self._open[peer]

    @contextmanager
    def hold(self, peer: str) -> Iterator[None]:
        """Hold one more place."""
        self._open[peer] += 1
        try:
            yield
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]


class RateLimitInterceptor(CallInterceptor):
    """Refuses callers who call too often, or have too many open calls."""

    def __init__(self, buckets: RateLimiter, max_open: int = MAX_OPEN) -> None:
        self._buckets, self._max_open = buckets, max_open
        self._open = OpenPlaces()

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap any call."""

        @asynccontextmanager
        async def around(context: Context) -> AsyncIterator[None]:
            peer = network_of(context.peer())
            if not self._buckets.take(peer):
                raise RateLimited("too many calls from your address; slow down and try again in a second")
            if self._open.of(peer) >= self._max_open:
                raise RateLimited(f"{self._max_open} calls from your address are open already; end one of them first")
            with self._open.hold(peer):
                yield

        return inside(begin_early(handler), around)
