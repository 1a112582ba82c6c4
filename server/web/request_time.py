"""A bound on how long a request may take to arrive: whoever sends one byte a minute would hold a connection for ever.

uvicorn ends connections that are idle between two requests, and has no limit for slow ones. The time counts from the
moment of connecting, or from the end of the last answer, to the end of the request with its form. Answers, live streams
among them, may take as long as they like.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 20.0


class TimedRequests(H11Protocol):
    """One connection."""

    _too_late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Somebody came."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        super().connection_lost(exc)
        self._stop_watching()

    def handle_events(self) -> None:
        """Something came, or an answer is complete."""
        super().handle_events()
        self._watch()

    def _watch(self) -> None:
        if self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_watching()  # all of it is there
        elif self._too_late is None:
            self._too_late = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop_watching(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None
