"""The cores of this machine: those that we may use, and how much of them a bot's processes use."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
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

    @property
    def cores(self) -> float:
        """Return how many cores that is, on average."""
        return self.used_seconds / self.over_seconds


class ProcessorUse:
    """The latest readings of one bot's processor time."""

    def __init__(self) -> None:
        self._readings: deque[tuple[float, float]] = deque(maxlen=MAX_READINGS)

    def add(self, at: float, seconds: float) -> None:
        """Add a reading: the processor time that was used up to that moment."""
        self._readings.append((at, seconds))

    def since(self, moment: float, shortest_seconds: float) -> Use | None:
        """Return what was used up to the latest reading, from the reading nearest to that moment on; None if there
        is none that lies at least so far back."""
        if not self._readings:
            return None
        now, total = self._readings[-1]
        earlier = [(at, used) for at, used in self._readings if now - at >= shortest_seconds]
        if not earlier:
            return None
        at, used = min(earlier, key=lambda reading: abs(reading[0] - moment))
        return Use(total - used, now - at)


def count_running_threads(pid: int) -> int:
    """Count the threads of a process and of all below it that run at this moment, or wait for a core. 0 without
    /proc."""
    count = 0
    for process, thread in _threads(pid):
        try:
            with open(f"/proc/{process}/task/{thread}/stat", "rb") as file:
                count += file.read().rpartition(b")")[2].split()[0] == b"R"
        except OSError:
            continue
    return count


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
