"""Pages kept for a second: a crowd that reads the same page costs what one reader costs.

Only what everybody is shown alike is kept: a request with a cookie is always answered anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from referee import clock

KEPT_SECONDS = 1.0
MOST_PAGES = 256
"""Pages kept at once; further ones are made for each reader."""


class _Kept(NamedTuple):
    until: float
    page: asyncio.Task[Response]


class FreshPages:
    """The pages made in the last second, and those that are being made."""

    def __init__(self) -> None:
        self._pages: dict[str, _Kept] = {}

    async def answer(self, request: Request, make: Callable[[], Awaitable[Response]]) -> Response:
        """The page of a request: one made a moment ago for the same address and host, or a new one."""
        if request.method not in ("GET", "HEAD") or "cookie" in request.headers:
            return await make()
        key, now = str(request.url), clock.now()
        kept = self._pages.get(key)
        if kept is None or (kept.page.done() and now >= kept.until):
            self._pages = {one: old for one, old in self._pages.items() if not old.page.done() or now < old.until}
            if len(self._pages) >= MOST_PAGES:
                return await make()
            kept = self._pages[key] = _Kept(now + KEPT_SECONDS, asyncio.ensure_future(make()))
        try:
            found = await asyncio.shield(kept.page)  # a reader who leaves must not end it for the others
        except Exception:
            if self._pages.get(key) is kept:
                del self._pages[key]
            raise
        headers = {name: value for name, value in found.headers.items() if name != "content-length"}
        return Response(found.body, found.status_code, headers)
