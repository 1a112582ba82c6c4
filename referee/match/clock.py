"""The time a seat has: a bank, an increment per decision, a cap per decision, and a budget to get ready.

Only the monotonic clock counts, and only the one of the referee. `TimeControl` says what is allowed, `SeatClock` keeps
one seat's bank, and `LagMeter` watches the host, because an overrun that is the host's must not cost a bot anything.
"""

from __future__ import annotations

import re
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.errors import ConfigError
from referee.rules.engine import Seat

if TYPE_CHECKING:
    import asyncio

NAMED_CLOCKS = {"standard": "60+0.1/1", "slow": "600+30/120", "person": "3600+60/900"}
"""Names for clocks: `slow` suits language models, `person` people."""
HOST_LATE_SECONDS = 0.1
"""A referee that was held up longer than this during a question may not call a bot late."""


def now() -> float:
    """Return monotonic seconds: the clock on which all times of a match are measured.

    Not the event loop's own time, which under uvloop stands still during a turn of the loop and has steps of a
    millisecond.
    """
    return time.monotonic()


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeControl:
    """The time that a match allows each seat. `unlimited` is for debugging."""

    bank_seconds: float = 60.0
    increment_seconds: float = 0.1
    cap_seconds: float = 1.0
    start_seconds: float = 10.0
    unlimited: bool = False

    @classmethod
    def read(cls, text: str) -> TimeControl:
        """Read a control from a name, e.g. `slow`, or from `BANK+INCREMENT/CAP` in seconds, e.g. `60+0.1/1`."""
        number = r"(\d+(?:\.\d+)?)"
        parts = re.fullmatch(rf"{number}\+{number}/{number}", NAMED_CLOCKS.get(text, text))
        if not parts:
            names = ", ".join(NAMED_CLOCKS)
            raise ConfigError(
                f"the clock is {text!r}, expected BANK+INCREMENT/CAP in seconds, e.g. 60+0.1/1, or one of {names}"
            )
        bank, increment, cap = map(float, parts.groups())
        if cap <= 0 or bank + increment <= 0:
            raise ConfigError(f"the clock {text!r} leaves no time to answer")
        if max(bank, increment, cap) > 86_400:
            raise ConfigError(f"the clock {text!r} goes past a day; use --no-clock for a match without a clock")
        return cls(bank_seconds=bank, increment_seconds=increment, cap_seconds=cap)


class SeatClock:
    """One seat's bank over a match."""

    __slots__ = ("_control", "bank_seconds", "used_seconds")

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank_seconds = control.bank_seconds
        self.used_seconds = 0.0

    def begin_question(self) -> float | None:
        """Begin a question: add the increment and say how long the answer may take. None: as long as it likes."""
        if self._control.unlimited:
            return None
        self.bank_seconds += self._control.increment_seconds
        return min(self.bank_seconds, self._control.cap_seconds)

    def end_question(self, seconds: float) -> None:
        """End a question: take the time off the bank."""
        self.used_seconds += seconds
        if not self._control.unlimited:
            self.bank_seconds = max(0.0, self.bank_seconds - seconds)


def excuse_by_lag(lag: float) -> str:
    """Return the reason to blame a referee that was held up for so long for an overrun, or an empty string."""
    return f"the referee itself was held up for {lag:.2f} s" if lag > HOST_LATE_SECONDS else ""


class LagMeter:
    """Measures how late this process's own event loop is."""

    PERIOD_SECONDS = 0.02

    def __init__(self) -> None:
        self._late: deque[tuple[float, float]] = deque(maxlen=256)
        self._handle: asyncio.TimerHandle | None = None
        self._due = 0.0

    def start(self) -> None:
        """Start measuring the running loop."""
        import asyncio  # here: what only reads a TimeControl does without

        self._tick(asyncio.get_running_loop(), now())

    def stop(self) -> None:
        """Stop measuring."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def longest_stall_since(self, moment: float) -> float:
        """Return the longest stall that ended after that moment, or is still going on, in seconds."""
        present = now() - self._due if self._handle is not None else 0.0
        return max(0.0, present, *(lag for ended, lag in self._late if ended >= moment))

    def stalled_since(self, moment: float) -> float:
        """Add up the two longest stalls since that moment, in seconds, if they are longer than HOST_LATE_SECONDS: a
        question can have waited for the end of one, and its answer for that of another."""
        present = now() - self._due if self._handle is not None else 0.0
        stalls = [min(lag, ended - moment) for ended, lag in (*self._late, (now(), present)) if lag > HOST_LATE_SECONDS]
        return sum(sorted((stall for stall in stalls if stall > 0), reverse=True)[:2])

    def excuse_overrun(self, seat: Seat, asked_at: float) -> str:
        """Return the reason to blame the referee, or an empty string: for a Host that can only watch its own event
        loop."""
        return excuse_by_lag(self.longest_stall_since(asked_at))

    def _tick(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        ticked = now()
        lag = ticked - due
        if lag > self.PERIOD_SECONDS:
            self._late.append((ticked, lag))
        self._due = ticked + self.PERIOD_SECONDS
        self._handle = loop.call_later(self.PERIOD_SECONDS, self._tick, loop, self._due)
