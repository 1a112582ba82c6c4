"""What holds for every answer: security headers, limits per address, a limit for what is sent to us.

Plain ASGI, so streams pass through untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.addresses import client_network
from server.web.backend import BackendError
from server.web.limits import Limits, TooMany
from server.web.settings import WebSettings

EMBED = "/embed/"
"""Pages below this path may be shown inside other sites. They can change nothing."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors {ancestors}"
)


class BodyTooLong(BackendError):
    """More was sent than any form of ours has: page 413."""


def security_headers(path: str) -> dict[str, str]:
    """The headers that an answer has unless it says otherwise."""
    return _security_headers(path.startswith(EMBED))


@cache
def _security_headers(embedded: bool) -> dict[str, str]:
    found = {
        "Content-Security-Policy": _POLICY.format(ancestors="*" if embedded else "'none'"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-cache",
    }
    return found if embedded else {**found, "X-Frame-Options": "DENY"}


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
    """The same body, but an error once it is longer than that: its length need not have been said."""
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
    """Whether a form was sent from a page of ours, as far as the browser says."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
