"""Limits the number of simultaneous matches: a semaphore whose size may change."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class TableLimit:
    """So many tables. Those who wait for one get it in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._used = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set(self, count: int) -> None:
        """Change the number of tables. Those in use stay so, even if they are more."""
        self._count = count
        self._hand_out()

    @asynccontextmanager
    async def table(self) -> AsyncIterator[None]:
        """A table, as soon as there is one."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._hand_out()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._used -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._used < self._count:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                turn.set_result(None)
                self._used += 1
