"""Measures the processor time of a bot's processes, and how many of its threads are ready to run."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

MAX_READINGS = 64


@dataclass(frozen=True, slots=True)
class Use:
    """Processor time that was used over some time."""

    used_seconds: float
    over_seconds: float

    @property
    def cores(self) -> float:
        """How many cores that is, on average."""
        return self.used_seconds / self.over_seconds


class ProcessorUse:
    """The latest readings of one bot's processor time."""

    def __init__(self) -> None:
        self._readings: deque[tuple[float, float]] = deque(maxlen=MAX_READINGS)

    def add(self, at: float, seconds: float) -> None:
        """Add a reading: the processor time that was used up to that moment."""
        self._readings.append((at, seconds))

    def since(self, moment: float, shortest_seconds: float) -> Use | None:
        """What was used up to the latest reading, from the reading nearest to that moment on; None if there is none
        that lies at least so far back."""
        if not self._readings:
            return None
        now, total = self._readings[-1]
        earlier = [(at, used) for at, used in self._readings if now - at >= shortest_seconds]
        if not earlier:
            return None
        at, used = min(earlier, key=lambda reading: abs(reading[0] - moment))
        return Use(total - used, now - at)


def count_running_threads(pid: int) -> int:
    """How many threads of a process and of all below it run at this moment, or wait for a core. 0 without /proc."""
    count = 0
    for process, thread in _threads(pid):
        try:
            with open(f"/proc/{process}/task/{thread}/stat", "rb") as file:
                count += file.read().rpartition(b")")[2].split()[0] == b"R"
        except OSError:
            continue
    return count


def _threads(pid: int) -> Iterator[tuple[int, int]]:
    """Every thread of a process and of all below it, with its process."""
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
