"""A cgroup for one bot: its keeper creates it, puts the bot's first process into it, and removes it at the end.

Used by the keeper, so it needs the standard library alone. Where the group lies is found by cgroup.py, in the server.
Under cgroup v2 it is one folder; under v1 there is one folder for each controller.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping

PREFIX = "tortuga-bot-"
"""Name of each group, followed by the number of its keeper: while that one lives, the group is in use."""
PERIOD_MICROSECONDS = 100_000
KILL_SECONDS = 5.0


class Cgroup:
    """The cgroup of the bot of one keeper."""

    def __init__(self, folders: Mapping[str, str], keeper: int, *, unified: bool) -> None:
        self._unified = unified
        self._paths = {controller: f"{folder}/{PREFIX}{keeper}" for controller, folder in folders.items()}
        self.folders = [*dict.fromkeys(self._paths.values())]

    def make(self, memory_bytes: int, tasks: int) -> None:
        """Make it, with these limits. One of the same name is a dead keeper's, for its number is now ours."""
        for folder in self.folders:
            if os.path.isdir(folder):
                self.remove()
        for folder in self.folders:
            os.mkdir(folder, 0o755)
        self._write("pids", "pids.max", tasks)
        if self._unified:
            self._write("memory", "memory.max", memory_bytes)
            self._write_if_there("memory", "memory.swap.max", 0)
            self._write_if_there("memory", "memory.oom.group", 1)
        else:
            self._write("memory", "memory.limit_in_bytes", memory_bytes)
            self._write_if_there("memory", "memory.memsw.limit_in_bytes", memory_bytes)

    def limit_cpu(self, cores: float) -> None:
        """Limit its processor time per second."""
        quota = max(1000, int(cores * PERIOD_MICROSECONDS))
        if self._unified:
            self._write("cpu", "cpu.max", f"{quota} {PERIOD_MICROSECONDS}")
        else:
            self._write("cpu", "cpu.cfs_period_us", PERIOD_MICROSECONDS)
            self._write("cpu", "cpu.cfs_quota_us", quota)

    @property
    def doors(self) -> list[str]:
        """Return the files into which a process writes its number to become a member."""
        return [f"{folder}/cgroup.procs" for folder in self.folders]

    def crossed(self) -> dict[str, int | str] | None:
        """Return the limit that the bot tried to cross, with its use; None if it did not."""
        if self._count("memory", "memory.events" if self._unified else "memory.oom_control", "oom_kill"):
            peak, limit = (
                ("memory.peak", "memory.max")
                if self._unified
                else ("memory.max_usage_in_bytes", "memory.limit_in_bytes")
            )
            allowed = self._number("memory", limit)
            # Before Linux 5.19 there is no memory.peak. Whoever was killed had used it all.
            return {"limit": "memory", "used": self._number("memory", peak) or allowed, "allowed": allowed}
        if self._count("pids", "pids.events", "max"):
            allowed = self._number("pids", "pids.max")
            return {"limit": "tasks", "used": allowed + 1, "allowed": allowed}
        return None

    def cpu_seconds(self) -> float | None:
        """Return the processor time of all that were ever in it; None if that is not known."""
        if self._unified:
            used = self._count("cpu", "cpu.stat", "usage_usec")
            return used / 1e6 if used else None
        used = self._number("cpuacct", "cpuacct.usage")
        return used / 1e9 if used else None

    def waited_seconds(self) -> float | None:
        """Return how long any of its threads was ready to run but had no core; None if that is not known."""
        some = self._read("cpu", "cpu.pressure").partition("\n")[0] if self._unified else ""
        total = some.rpartition("total=")[2]
        return int(total) / 1e6 if total.isdigit() else None

    def members(self) -> set[int]:
        """Return the processes in it. 0 stands for one in a pid namespace that we cannot see."""
        pids: set[int] = set()
        for door in self.doors:
            with contextlib.suppress(OSError), open(door, "rb") as file:
                pids.update(map(int, file.read().split()))
        return pids

    def kill(self) -> None:
        """Kill all that are in it. No fork slips through: first, nothing more may be started in it."""
        with contextlib.suppress(OSError):
            self._write("pids", "pids.max", 0)
        with contextlib.suppress(OSError):
            self._write("pids", "cgroup.kill", 1)  # cgroup v2 since Linux 5.14
            return
        for pid in self.members() - {0}:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)

    def remove(self, seconds: float = KILL_SECONDS) -> bool:
        """Remove it with all that are in it. The killed take a moment to leave. False if some would not in time."""
        deadline = time.monotonic() + seconds
        while True:
            for folder in self.folders:
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
            if not any(map(os.path.isdir, self.folders)):
                return True
            self.kill()
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.002)

    def _write(self, controller: str, name: str, value: object) -> None:
        # Without O_CREAT: where the kernel has no such file, there is nothing to write.
        file = os.open(f"{self._paths[controller]}/{name}", os.O_WRONLY)
        try:
            os.write(file, str(value).encode())
        finally:
            os.close(file)

    def _write_if_there(self, controller: str, name: str, value: object) -> None:
        with contextlib.suppress(OSError):
            self._write(controller, name, value)

    def _read(self, controller: str, name: str) -> str:
        with contextlib.suppress(OSError), open(f"{self._paths[controller]}/{name}", encoding="ascii") as file:
            return file.read()
        return ""

    def _number(self, controller: str, name: str) -> int:
        text = self._read(controller, name).strip()
        return int(text) if text.isdigit() else 0

    def _count(self, controller: str, name: str, word: str) -> int:
        """Read a counter from a file with one counter per line."""
        for line in self._read(controller, name).splitlines():
            key, _, value = line.partition(" ")
            if key == word and value.isdigit():
                return int(value)
        return 0
