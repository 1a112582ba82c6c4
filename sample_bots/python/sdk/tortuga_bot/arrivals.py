"""When a question came, though nobody looked: `choose` keeps the client from reading, and its clock was running."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import islice

IDLE_SECONDS = 0.02
"""A batch that we waited for this long had not been there before."""
MOST_TABLES = 64


class Arrivals:
    """The earliest time at which each question can have come. Exact whenever the bot was idle before.

    A question waits while we answer those that came before it, and these are of other tables, one each. So it waited
    no longer than the answers to that many latest questions took; and it came after our last answer at its own table.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._last_words: dict[int, float] = {}
        """When we last said something at each table."""
        self._busy: deque[float] = deque(maxlen=MOST_TABLES)
        """How long the latest answers took, the last one first."""
        self._idle_since = self._batch = self._asked = 0.0

    def read(self, tables: int) -> None:
        """A batch is there, and the bot sits at that many tables."""
        self._batch = self._now()
        if self._batch - self._idle_since < IDLE_SECONDS:
            self._batch -= sum(islice(self._busy, max(0, tables - 1)))

    def ready(self, table: int) -> None:
        """A match begins at that table."""
        self._last_words[table] = self._now()

    def ask(self, table: int) -> float:
        """`choose` is called for a question of that table in this batch. Gives the earliest time it can have come."""
        self._asked = self._now()
        return max(self._batch, self._last_words.get(table, 0.0))

    def answered(self, table: int) -> None:
        """`choose` has answered it."""
        now = self._last_words[table] = self._now()
        self._busy.appendleft(now - self._asked)

    def done(self) -> None:
        """All of the batch is answered: from now on we wait."""
        self._idle_since = self._now()
