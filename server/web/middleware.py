"""What holds for every request: how much one address may ask for and send, and security headers for the answer.

Limits are counted by the address of the reader. What a proxy says about it (X-Forwarded-For, X-Forwarded-Proto) is
believed only from a configured one: anybody can write that header. Plain ASGI, so streams pass through untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.door.tls import is_loopback
from referee.door.tokens import network_of_host
from server.arena.rate_limits import OpenPlaces, RateLimiter
from server.web.backend import BackendError

MEGABYTE = 1024 * 1024
EMBED = "/embed/"
"""Pages below this path may be shown inside other sites. They can change nothing."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSettings:
    """What the organiser decides, and the limits that keep one reader from taking it all."""

    bots_address: str = ""
    """What a bot dials, as shown on "enter a bot". Empty: unknown."""
    proxies: tuple[str, ...] = ()
    """Addresses whose X-Forwarded-For and X-Forwarded-Proto are believed. Empty: nobody's."""
    pages_per_second: float = 20.0
    """What one address may ask for in the long run."""
    pages_burst: float = 120.0
    """What one address may ask for at once."""
    streams_per_address: int = 4
    streams: int = 1000
    """Live streams of everybody."""
    body_bytes: int = 16 * 1024
    """The longest form that is read."""
    document_bytes: int = 64 * MEGABYTE
    """Documents that are kept to be shown again, at most."""
    document_workers: int = 1
    """Processes that make documents of records."""


class TooMany(BackendError):
    """Too many pages, or too many streams: page 429."""


class Limits:
    """What each address asks for, and the live streams that it holds open."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._pages = RateLimiter(settings.pages_per_second, settings.pages_burst)
        self._streams = OpenPlaces()

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return self._streams.total

    def count_page(self, network: str) -> None:
        """Raise TooMany if this address asked for too much."""
        if not self._pages.take(network):
            raise TooMany("too many pages were asked for from your address; wait a few seconds")

    @contextmanager
    def stream(self, network: str) -> Iterator[None]:
        """Hold a place for a live stream, or raise TooMany."""
        count = self._streams.of(network)
        if count >= self._settings.streams_per_address:
            raise TooMany(f"{count} live matches are open from your address already; close one of them")
        if self.streams >= self._settings.streams:
            raise TooMany(f"{self.streams} people are watching already; the replay is here after the match")
        with self._streams.hold(network):
            yield


class BodyTooLong(BackendError):
    """More was sent than any form of ours has: page 413."""


def security_headers(path: str) -> dict[str, str]:
    """Return the headers that an answer has unless it says otherwise."""
    return _security_headers(path.startswith(EMBED))


@cache
def _security_headers(embedded: bool) -> dict[str, str]:
    headers = {
        "Content-Security-Policy": _POLICY.format(ancestors="*" if embedded else "'none'"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }
    return headers if embedded else {**headers, "X-Frame-Options": "DENY"}


class SecurityHeaders:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in security_headers(scope["path"]).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class RequestLimits:
    """Refuses addresses that ask too often, and bodies that are too long."""

    def __init__(
        self,
        app: ASGIApp,
        settings: WebSettings,
        limits: Limits,
        explain: Callable[[Request, Exception], Response],
    ) -> None:
        self._app, self._settings, self._limits, self._explain = app, settings, limits, explain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        try:
            self._limits.count_page(client_network(scope, self._settings.proxies))
            if not length.isdecimal() or int(length) > self._settings.body_bytes:
                raise BodyTooLong(f"at most {self._settings.body_bytes} bytes can be sent here")
        except (TooMany, BodyTooLong) as error:
            await self._explain(Request(scope), error)(scope, receive, send)
            return
        await self._app(scope, _limited(receive, self._settings.body_bytes), send)


def _limited(receive: Receive, most: int) -> Receive:
    """Receive the same body, but raise once it is longer than that: its length need not have been said."""
    got = 0

    async def receive_limited() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise BodyTooLong(f"at most {most} bytes can be sent here")
        return message

    return receive_limited


def is_same_site(request: Request) -> bool:
    """Check that a form was sent from a page of ours, as far as the browser says."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def client_address(scope: Scope, proxies: Collection[str]) -> str:
    """Return the address of the reader, as text. Empty: unknown."""
    client = scope.get("client")
    address = str(client[0]) if client else ""
    if address in proxies:
        # The last address that was not written by a proxy of ours: the ones before it are anybody's words.
        hops = [hop.strip() for hop in Headers(scope=scope).get("x-forwarded-for", "").split(",")]
        address = next((hop for hop in reversed(hops) if hop and hop not in proxies), address)
    return address


def client_network(scope: Scope, proxies: Collection[str]) -> str:
    """Return what limits are counted by: an IPv4 address, or the /64 of an IPv6 address."""
    return network_of_host(client_address(scope, proxies))


def is_secure(scope: Scope, proxies: Collection[str]) -> bool:
    """Check that nobody in between can read: HTTPS, or a reader on this machine that no proxy stands before."""
    client = scope.get("client")
    if client and str(client[0]) in proxies:
        return Headers(scope=scope).get("x-forwarded-proto", "") == "https"
    return scope.get("scheme") == "https" or bool(client and is_loopback(f"{client[0]}:0"))
