"""Tables that may take a while: a page does not wait for them, and says that they are being computed.

A table over 500 bots takes a second to fit, on a busy machine many. It is computed all the same, so the next reader
finds it; the page reads itself again after a moment. Programs, who ask for the `.json`, wait for the whole answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from server.web.page import FRESH

T = TypeVar("T")

PATIENCE_SECONDS = 1.5
"""How long a page waits for a table."""
AGAIN_SECONDS = 2
"""When a page without its table reads itself again."""


class Soon:
    """The tables of one page."""

    def __init__(self, request: Request) -> None:
        is_for_programs = request.url.path.endswith(".json")
        self._patience = None if is_for_programs else PATIENCE_SECONDS
        self.is_late = False
        """Whether the page is shown without one of its tables."""

    async def get(self, answer: Coroutine[Any, Any, T]) -> T | None:
        """An answer. None: it is still being computed."""
        task = asyncio.ensure_future(answer)
        await asyncio.wait([task], timeout=self._patience)
        if task.done():
            return task.result()
        self.is_late = True
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody asks for it any more
        return None

    def refresh_seconds(self, usual: int) -> int:
        """How often the page is worth reading again."""
        return AGAIN_SECONDS if self.is_late else usual

    @property
    def cache(self) -> str:
        """A page without its tables is not kept."""
        return "no-store" if self.is_late else FRESH
