"""Time and memory of a process, as the kernel counts them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

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
