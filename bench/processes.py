"""Processes that are measured: their time and memory, and how they are ended.

Time and memory are as the kernel counts them. SIGTERM acts like Ctrl-C, which reaches `with` blocks as an exception, so
they end their processes and delete their folders. Without that, SIGTERM would end us on the spot, and the arena that we
started would keep running. No process is waited for without limit.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

CPUCLOCK_SCHED = 2
"""Linux: the number of a process's CPU clock is made of its pid and this. /proc would tell ticks of 10 ms."""


@dataclass(slots=True)
class Cost:
    """What a piece of work took."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    """The most memory while it ran, beyond what was held before."""


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the cost of what is done inside the `with` block, known at its end."""
    cost = Cost()
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    held, wall, cpu = resident_bytes(), time.perf_counter(), time.process_time()
    yield cost
    cost.seconds, cost.cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
    cost.peak_bytes = max(0, resident_bytes(peak=True) - held)


def resident_bytes(pid: int | None = None, *, peak: bool = False) -> int:
    """Return the memory of a process (None: of this one), or the most it had; 0 if it is gone."""
    try:
        lines = Path(f"/proc/{pid or 'self'}/status").read_text().splitlines()
    except OSError:
        return 0
    wanted = "VmHWM:" if peak else "VmRSS:"
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(wanted)), 0)


def cpu_seconds(pid: int) -> float:
    """Return the processor time a process has used, to the microsecond; 0 if it is gone."""
    with suppress(OSError):
        return time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)
    return 0.0


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Raise KeyboardInterrupt at the first SIGTERM. Later ones are ignored, also by what is left of the command."""
    has_come = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal has_come
        if not has_come:
            has_come = True
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN if has_come else before)


@contextmanager
def sigterm_held() -> Iterator[None]:
    """Delay SIGTERM while a process is started or ended: an exception halfway would leave it running."""
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if came:
            signal.raise_signal(signal.SIGTERM)


def wait_or_kill(process: subprocess.Popen[Any], seconds: float) -> None:
    """Wait for a process that was told to end, and kill it if that takes too long."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
