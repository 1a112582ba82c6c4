"""The cores of this machine: those that we may use, how much of them a bot's processes use, and how long they wait."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path


def available_cores() -> list[int]:
    """Return the numbers of the cores that we may use. If the system does not say which they are, as on macOS: all
    of them."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def core_count() -> int:
    """Return how many of the cores we can keep busy. A container sees every core, but may have a quota of processor
    time that pays for a few (`docker run --cpus`, the limit of a pod): a process that uses more is stopped for
    tenths of a second."""
    count = len(available_cores())
    return max(1, int(min([count, *own_quotas()])))


@cache
def own_quotas() -> tuple[float, ...]:
    """Return the quotas of this process: read once, because an arena asks for its limit at every table."""
    return tuple(cpu_quotas())


def cpu_quotas(root: Path = Path("/")) -> Iterator[float]:
    """Yield the quotas of our cgroup and of those around it, in cores; none where nothing is limited."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # no Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        tree = root / "sys/fs/cgroup"
        if controllers:  # cgroup v1: a tree for each controller
            if "cpu" not in controllers.split(","):
                continue
            tree /= "cpu"
        group = tree / path.lstrip("/")
        while group.is_relative_to(tree):
            with suppress(OSError, ValueError, ZeroDivisionError):  # in a container, folders of the host are not there
                yield _read_quota(group, is_v1=bool(controllers))
            group = group.parent


def _read_quota(group: Path, *, is_v1: bool) -> float:
    if is_v1:
        quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
    else:
        quota, period = (group / "cpu.max").read_text().split()
    if quota.strip() in {"-1", "max"}:
        raise ValueError("no limit")
    return int(quota) / int(period)


def pin_to_core(core: int) -> None:
    """Run this process, and all that it starts, on one core only, where the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


MAX_READINGS = 64


@dataclass(frozen=True, slots=True)
class Use:
    """Processor time that was used over some time."""

    used_seconds: float
    over_seconds: float
    waited_seconds: float | None = None
    """How long its threads were ready to run but had no core; None if that is not known."""

    def slept_seconds(self, within_seconds: float) -> float | None:
        """Return for how much of the latest time it neither ran nor waited for a core, at least; None if that is not
        known. Before that time it may have had nothing to do."""
        if self.waited_seconds is None:
            return None
        return max(0.0, min(self.over_seconds, within_seconds) - self.used_seconds - self.waited_seconds)

    @property
    def cores(self) -> float:
        """Return how many cores that is, on average."""
        return self.used_seconds / self.over_seconds


class ProcessorUse:
    """The latest readings of one bot's processor time, and of the time it waited for a core."""

    def __init__(self) -> None:
        self._readings: deque[tuple[float, float, float | None]] = deque(maxlen=MAX_READINGS)

    def add(self, at: float, seconds: float, waited_seconds: float | None = None) -> None:
        """Add a reading: the processor time that was used up to that moment, and the time waited for a core."""
        self._readings.append((at, seconds, waited_seconds))

    def since(self, moment: float, shortest_seconds: float) -> Use | None:
        """Return what was used up to the latest reading, from the reading nearest to that moment on; None if there
        is none that lies at least so far back."""
        if not self._readings:
            return None
        now, total, total_waited = self._readings[-1]
        earlier = [reading for reading in self._readings if now - reading[0] >= shortest_seconds]
        if not earlier:
            return None
        at, used, waited = min(earlier, key=lambda reading: abs(reading[0] - moment))
        if waited is None or total_waited is None:
            return Use(total - used, now - at)
        return Use(total - used, now - at, total_waited - waited)


@dataclass(frozen=True, slots=True)
class ThreadReading:
    """What the kernel says of a thread at one moment: nanoseconds that it ran and waited for a core, how often it got
    one, and whether it wants one now."""

    at: int
    ran: int
    waited: int
    turns: int
    is_ready: bool
    pending: int = 0
    """Time added to what it waited before the kernel counted it: the kernel does so when the thread gets its core."""


def waited_between(before: ThreadReading | None, after: ThreadReading) -> tuple[int, ThreadReading]:
    """Return how long a thread waited for a core between two readings, and the later one with what is pending.

    A thread that wants a core at both moments and got none in between can only have waited: to sleep, it has to run.
    """
    if before is None:
        return after.waited, after
    counted = after.waited - before.waited
    if counted <= 0 and before.is_ready and after.is_ready and before.turns == after.turns:
        waiting = max(0, after.at - before.at - (after.ran - before.ran))
        return waiting, replace(after, pending=before.pending + waiting)
    pending = before.pending if counted <= 0 else 0
    return max(0, counted - before.pending), replace(after, pending=pending)


class RunDelay:
    """Adds up how long the threads of a bot had to wait for a core, also of those that have ended."""

    def __init__(self) -> None:
        self._latest: dict[tuple[int, int], ThreadReading] = {}
        self._nanoseconds = 0

    def read(self, pid: int) -> float | None:
        """Return what the threads below a process have waited so far, in seconds; None where the kernel does not
        count it (/proc/PID/task/TID/schedstat)."""
        latest, was_counted = {}, False
        for thread in _threads(pid):
            process, number = thread
            if process == pid:
                continue  # the keeper, which is ours
            try:
                with open(f"/proc/{process}/task/{number}/schedstat", "rb") as file:
                    ran, waited, turns = map(int, file.read().split())
                is_ready = _wants_to_run(process, number)
            except (OSError, ValueError):
                continue
            was_counted |= turns > 0
            reading = ThreadReading(time.monotonic_ns(), ran, waited, turns, is_ready)
            nanoseconds, latest[thread] = waited_between(self._latest.get(thread), reading)
            self._nanoseconds += nanoseconds
        self._latest = latest
        return self._nanoseconds / 1e9 if was_counted else None


def count_running_threads(pid: int) -> int:
    """Count the threads of a process and of all below it that run at this moment, or wait for a core. 0 without
    /proc."""
    count = 0
    for process, thread in _threads(pid):
        with suppress(OSError):  # it has just ended
            count += _wants_to_run(process, thread)
    return count


def _wants_to_run(process: int, thread: int) -> bool:
    with open(f"/proc/{process}/task/{thread}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] == b"R"


def _threads(pid: int) -> Iterator[tuple[int, int]]:
    """Yield every thread of a process and of all below it, with its process."""
    unvisited = [pid]
    while unvisited:
        process = unvisited.pop()
        try:
            threads = list(map(int, os.listdir(f"/proc/{process}/task")))
        except OSError:
            continue
        for thread in threads:
            yield process, thread
            try:
                with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                    unvisited += map(int, file.read().split())
            except OSError:
                continue
