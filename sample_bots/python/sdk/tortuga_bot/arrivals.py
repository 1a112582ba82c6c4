"""When a question came, though nobody looked: `choose` keeps the client from reading, and its clock was running."""

from __future__ import annotations

import time
from collections import deque

IDLE_SECONDS = 0.005
"""A batch that we waited for this long had not been there before."""
MOST_TABLES = 64


class Arrivals:
    """The earliest time at which each question can have come. Exact whenever the bot was idle before.

    A question comes after our last answer at its table. Those that were read before it and not yet answered are of
    other tables, one each; so it came after `choose` was called for the first of that many latest questions.
    """

    def __init__(self) -> None:
        self._last_words: dict[int, float] = {}
        """When we last said something at each table."""
        self._starts: deque[float] = deque(maxlen=MOST_TABLES)
        """When `choose` was called for the latest questions."""
        self._batch = 0.0

    def read(self, began: float, tables: int) -> None:
        """A batch was read, after waiting since `began`, by a bot that sits at that many tables."""
        self._batch = time.monotonic()
        others = min(tables - 1, len(self._starts))
        if others > 0 and self._batch - began < IDLE_SECONDS:
            self._batch = self._starts[-others]

    def ask(self, table: int) -> float:
        """`choose` is called for a question of that table in this batch. Gives the earliest time it can have come."""
        self._starts.append(time.monotonic())
        return max(self._batch, self._last_words.get(table, 0.0))

    def say(self, tables: set[int]) -> None:
        """We are about to say something at these tables."""
        self._last_words.update(dict.fromkeys(tables, time.monotonic()))
