"""Hold-ups: how long threads on this machine had to wait for their core. Measured by core_watch.py.

A `CoreWatch` starts that process and ends it; `HoldUps` reads what it notes, here or in another process that was given
the descriptor: all workers of an event read the notes of one watch.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from referee.match.clock import HOST_LATE_SECONDS
from server.hosting import core_watch
from server.hosting.bot_process import base_environment
from server.hosting.cores import available_cores
from server.hosting.launcher import KEEPERS
from server.system.logs import get_logger

LOST_SECONDS = 10.0
"""A thread of the watch that has not woken up for so long is not held up, but dead or stopped from outside."""

log = get_logger()


@dataclass(frozen=True, kw_only=True, slots=True)
class HoldUp:
    """Seconds for which a core kept the watch waiting while a question was open."""

    core: int
    seconds: float


class HoldUps:
    """Reads what a core watch notes about the cores that this process may use."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, 0)
        self._numbers = memoryview(self._memory).cast("d")
        mine = set(available_cores())
        self.rows = [
            self._numbers[start : start + core_watch.ROW]
            for start in range(0, len(self._numbers), core_watch.ROW)
            if int(self._numbers[start + core_watch.CORE]) in mine
        ]

    def longest(self, since: float, until: float) -> HoldUp | None:
        """Return the longest hold-up of one core, counting only what lies between two moments; the latter is the
        present."""
        hold_ups = [
            HoldUp(core=int(row[core_watch.CORE]), seconds=seconds)
            for row in self.rows
            for begin, end in self._hold_ups_of(row, until)
            if (seconds := min(end, until) - max(begin, since)) > 0
        ]
        return max(hold_ups, key=lambda hold_up: hold_up.seconds, default=None)

    def count(self) -> int:
        """Count the hold-ups since the watch was made."""
        return sum(int(row[core_watch.COUNT]) for row in self.rows)

    @staticmethod
    def _hold_ups_of(row: memoryview[float], now: float) -> Iterator[tuple[float, float]]:
        due = row[core_watch.DUE]
        if due and due < now < due + LOST_SECONDS:
            yield due, now  # one that has not ended
        for place in range(core_watch.FIRST, core_watch.ROW, 2):
            if row[place]:
                yield row[place], row[place + 1]

    def close(self) -> None:
        """Give the memory back."""
        for row in self.rows:
            row.release()
        self._numbers.release()
        self._memory.close()


class CoreWatch:
    """The process that watches the cores. Without it (it could not be started, or was killed) there are no hold-ups."""

    def __init__(self) -> None:
        cores = available_cores()
        size = len(cores) * core_watch.ROW * core_watch.BYTES
        self.descriptor = open_shared_memory(size)
        """Descriptor of the memory that HoldUps reads."""
        with mmap.mmap(self.descriptor, size) as memory, memoryview(memory).cast("d") as numbers:
            for place, core in enumerate(cores):
                numbers[place * core_watch.ROW + core_watch.CORE] = core
        self.hold_ups = HoldUps(self.descriptor)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, unless it runs: to be called again now and then, for it may have been killed."""
        if self._process is not None:
            if self._process.poll() is None:
                return
            log.warning("core_watch_ended", code=self._process.returncode)
            self._end()
        for row in self.hold_ups.rows:
            row[core_watch.DUE] = 0.0
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", core_watch.__file__),
                    *(str(self.descriptor), str(HOST_LATE_SECONDS)),
                ],
                stdin=subprocess.PIPE,
                pass_fds=(self.descriptor,),
                cwd="/",
                env=base_environment(),
                start_new_session=True,  # as the bots: Linux may divide the processor by sessions
            )
            KEEPERS.add(self._process.pid)
        except OSError as error:
            log.warning("core_watch_not_started", reason=str(error))

    @property
    def pid(self) -> int:
        """Return the number of the process; 0 if there is none."""
        return self._process.pid if self._process is not None else 0

    def close(self) -> None:
        """End the process."""
        self._end()
        self.hold_ups.close()
        os.close(self.descriptor)

    def _end(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            KEEPERS.discard(self._process.pid)
            self._process = None


def open_shared_memory(size: int) -> int:
    """Return a descriptor of so many zeros that no path leads to."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("tortuga-core-watch")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, size)
    return descriptor
