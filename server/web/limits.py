"""How much one address may ask for, and how many live streams it may hold open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.arena.rate_limits import RateLimiter
from server.web.backend import BackendError
from server.web.settings import WebSettings


class TooMany(BackendError):
    """Too many pages, or too many streams: page 429."""


class Limits:
    """What is counted per address."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._pages = RateLimiter(settings.pages_per_second, settings.pages_burst)
        self._streams: Counter[str] = Counter()

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return self._streams.total()

    def count_page(self, network: str) -> None:
        """Raise TooMany if this address asked for too much."""
        if not self._pages.take(network):
            raise TooMany("too many pages were asked for from your address; wait a few seconds")

    @contextmanager
    def stream(self, network: str) -> Iterator[None]:
        """Hold a place for a live stream, or raise TooMany."""
        if self._streams[network] >= self._settings.streams_per_address:
            raise TooMany(
                f"{self._streams[network]} live matches are open from your address already; close one of them"
            )
        if self.streams >= self._settings.streams:
            raise TooMany(f"{self.streams} people are watching already; the replay is here after the match")
        self._streams[network] += 1
        try:
            yield
        finally:
            self._streams[network] -= 1
            if not self._streams[network]:
                del self._streams[network]
