"""When a bot that looks ahead has to stop."""

from __future__ import annotations

import time

from tortuga_bot.question import Question

LONGEST_SECONDS = 60.0
"""Without a clock: nobody waits longer."""


class Deadline:
    """Over after so much processor time of this thread, or when a share of the time for the answer is used up.

    Processor time, so that a bot thinks as much on a busy machine as on an idle one; the clock, so that it is not late.
    """

    def __init__(self, question: Question, seconds: float, share_of_clock: float = 0.2) -> None:
        self._processor = time.thread_time() + seconds
        self._clock = time.monotonic() + min(LONGEST_SECONDS, question.time_left() * share_of_clock)

    def is_over(self) -> bool:
        """Whether to answer now."""
        return time.thread_time() >= self._processor or time.monotonic() >= self._clock
