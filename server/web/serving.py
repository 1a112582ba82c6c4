"""Serving the pages: uvicorn without its own handling of signals.

Ctrl-C ends at once, also with live streams open: streams wait for `app.state.stopping` and end with it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from referee.errors import ConfigError

BACKLOG = 1024
REQUEST_SECONDS = 20.0
"""How long a request may take to arrive."""
GRACE_SECONDS = 2
"""How long answers that are being written may take at the end."""


class TimedRequests(H11Protocol):
    """One connection. Its requests have to arrive in time: a byte a minute would hold it for ever.

    uvicorn ends connections that are idle between two requests, and has no limit for slow ones. The time counts from
    the moment of connecting, or from the end of the last answer, to the end of the request with its form. Answers, live
    streams among them, may take as long as they like.
    """

    _too_late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to count."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting."""
        super().connection_lost(exc)
        self._stop_watching()

    def handle_events(self) -> None:
        """Count on, or anew: something came, or an answer is complete."""
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


class QuietServer(uvicorn.Server):
    """uvicorn, whose signals are ours. It says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open the doors."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the doors, and end the app in order also when nobody is waited for: uvicorn would cancel it then."""
        await super().shutdown(sockets)
        await self.lifespan.shutdown()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: `serve` handles them."""
        yield


def listen(address: str) -> socket.socket:
    """Open a port. ConfigError: it cannot be opened."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--listen is {address!r}, expected HOST:PORT")
    opened: socket.socket | None = None
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, kind, protocol)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(place)
        opened.listen(BACKLOG)
    except OSError as error:
        if opened is not None:
            opened.close()
        raise ConfigError(
            f"{address} cannot be opened: {error.strerror or error}; choose another with --listen"
        ) from None
    return opened


def make_server(app: Starlette, ready: Callable[[], None]) -> QuietServer:
    """uvicorn with everything said: it would look for other loops and parsers, and log by its own rules."""
    config = uvicorn.Config(
        app,
        loop="none",
        http=TimedRequests,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_SECONDS,
        h11_max_incomplete_event_size=32 * 1024,
    )
    return QuietServer(config, ready)


async def serve(
    app: Starlette, sockets: list[socket.socket], *, ready: Callable[[], None], ends_with_stdin: bool = False
) -> None:
    """Serve until SIGINT or SIGTERM, or until whoever started us is gone."""
    server = make_server(app, ready)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if app.state.stopping.is_set():
            server.force_exit = True  # the second Ctrl-C waits for nobody
        app.state.stopping.set()
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    if ends_with_stdin:
        loop.add_reader(sys.stdin.fileno(), _stop_at_end, loop, stop)
    await server.serve(sockets=sockets)
    if not server.started:
        raise ConfigError("the pages could not be started")


def _stop_at_end(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Stop when stdin ends: whoever held the other end of it is gone."""
    try:
        more = os.read(sys.stdin.fileno(), 4096)
    except OSError:
        more = b""
    if not more:
        loop.remove_reader(sys.stdin.fileno())
        stop()
