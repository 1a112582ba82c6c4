"""When a bot that looks ahead has to stop."""

from __future__ import annotations

import math
import os
import time

from tortuga_bot.question import Question

PARAMETER = "TORTUGA_PARAM_"
"""What the names of a bot's parameters begin with in its environment."""
LONGEST_SECONDS = 60.0
"""Without a clock: nobody waits longer."""


def read_budget() -> int | None:
    """Return the bot's parameter `budget`, the trials it may make for a decision; None if it was not given one."""
    given = os.environ.get(f"{PARAMETER}budget")
    return None if given is None else int(float(given))


class Deadline:
    """Over after so much processor time of this thread, or when a share of the time for the answer is used up.

    Processor time, so that a bot thinks as much on a busy machine as on an idle one; the clock, so that it is not late.
    With `trials` it is over after so many of them instead, whatever they take: the same question gets the same answer.
    """

    def __init__(
        self, question: Question, seconds: float, share_of_clock: float = 0.2, *, trials: int | None = None
    ) -> None:
        self._trials_left = trials
        self._processor = time.thread_time() + seconds if trials is None else math.inf
        self._clock = time.monotonic() + min(LONGEST_SECONDS, question.time_left() * share_of_clock)

    def count_trial(self) -> None:
        """Note that an option was tried to the end."""
        if self._trials_left is not None:
            self._trials_left -= 1

    def is_over(self) -> bool:
        """Whether to answer now."""
        if self._trials_left is not None and self._trials_left <= 0:
            return True
        return time.thread_time() >= self._processor or time.monotonic() >= self._clock
