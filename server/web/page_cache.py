"""Pages kept for a second: a crowd that reads the same page costs what one reader costs.

Only what everybody is shown alike is kept: a request with a cookie is always answered anew. On a full machine a page
takes long to make, and is kept for longer: an older page now is better than a new one in a minute.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from referee.match import clock
from server.web.backend import Unavailable

KEPT_SECONDS = 1.0
KEPT_TIMES = 10.0
"""A page is kept for so many times the time that it took to make it,"""
MOST_KEPT_SECONDS = 15.0
"""but no longer than this."""
MOST_PAGES = 1024
"""Pages kept at once; further ones are made for each reader."""
MOST_BYTES = 16 * 1024 * 1024
"""What the kept pages may take together; further ones are shared by those who wait for them, and not kept."""
MOST_MAKING = 256
"""Pages rendered at once, at most. Further requests get 503."""

Key = tuple[str, bytes, str, bytes]


@dataclass(slots=True)
class _CachedPage:
    page: asyncio.Task[Response]
    began: float
    until: float = 0.0


class PageCache:
    """Keeps the pages made a moment ago, and those that are being made."""

    def __init__(self) -> None:
        self._pages: dict[Key, _CachedPage] = {}
        self._making = 0
        self._bytes = 0
        """Of the pages that are kept."""
        self._sweep_at = 0.0

    def find(self, scope: Scope) -> Response | None:
        """Return the page of a request, if it was made a moment ago."""
        cached = self._pages.get(_key(scope)) if _is_shared(scope) else None
        return cached.page.result() if cached is not None and clock.now() < cached.until else None

    async def answer(self, request: Request, make: Callable[[], Awaitable[Response]]) -> Response:
        """Return the page of a request: the one that is being made for somebody else, or a new one."""
        if not _is_shared(request.scope):
            return await self._make(make)
        key, now = _key(request.scope), clock.now()
        cached = self._pages.get(key)
        if cached is None or (cached.page.done() and now >= cached.until):
            self._sweep(now)
            if len(self._pages) >= MOST_PAGES:
                return await self._make(make)
            cached = self._pages[key] = _CachedPage(asyncio.ensure_future(self._make(make)), now)
        try:
            page = await asyncio.shield(cached.page)  # a reader who leaves must not end it for the others
        except Exception:
            if self._pages.get(key) is cached:
                del self._pages[key]
            raise
        if not cached.until:
            now = clock.now()
            is_lasting = page.headers.get("Cache-Control") != "no-store" and self._bytes < MOST_BYTES
            cached.until = now + (kept_seconds(now - cached.began) if is_lasting else 0.0)
            self._bytes += len(page.body)
        return page

    def _sweep(self, now: float) -> None:
        """Forget the pages that are too old, once a second: a crowd that reads many pages leaves many."""
        if now < self._sweep_at and len(self._pages) < MOST_PAGES:
            return
        self._sweep_at = now + KEPT_SECONDS
        self._pages = {key: old for key, old in self._pages.items() if not old.page.done() or now < old.until}
        self._bytes = sum(len(old.page.result().body) for old in self._pages.values() if old.page.done())

    async def _make(self, make: Callable[[], Awaitable[Response]]) -> Response:
        if self._making >= MOST_MAKING:
            raise Unavailable("too many pages are asked for at this moment")
        self._making += 1
        try:
            return await make()
        finally:
            self._making -= 1


class PageCacheMiddleware:
    """Answers with a page that was made a moment ago, before anything is done for it."""

    def __init__(self, app: ASGIApp, pages: PageCache) -> None:
        self._app, self._pages = app, pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        page = self._pages.find(scope) if scope["type"] == "http" else None
        await (self._app if page is None else page)(scope, receive, send)


def kept_seconds(took_seconds: float) -> float:
    """Return how long a page is good for that took so long to make."""
    return min(MOST_KEPT_SECONDS, max(KEPT_SECONDS, KEPT_TIMES * took_seconds))


def _is_shared(scope: Scope) -> bool:
    """Check that everybody who asks so is shown the same."""
    return scope["method"] in ("GET", "HEAD") and not any(name == b"cookie" for name, _ in scope["headers"])


def _key(scope: Scope) -> Key:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    return scope["scheme"], host, scope["path"], scope["query_string"]
