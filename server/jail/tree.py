"""Measures what the processes of a bot use together, at intervals, where no cgroup counts it.

Used by the keeper, so it needs the standard library alone. rlimits hold each process by itself; this is for what they
miss: many processes, shared memory, many files. It looks once in a while, so a bot can cross a limit for a moment; then
it is ended.
"""

from __future__ import annotations

import contextlib
import errno
import os

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SMALLEST_FILE_BYTES = 1024
"""An empty file counts as this much: it takes an inode."""
JAIL_FOLDERS = ("/scratch", "/tmp", "/dev/shm")
"""Folders that a jailed bot may write to."""


class Tree:
    """The processes below a keeper and the scratch folder they write to."""

    def __init__(self, keeper: int, scratch: str, *, memory_bytes: int, tasks: int, scratch_bytes: int) -> None:
        self._keeper = keeper
        self._scratch = scratch
        self._memory_bytes, self._tasks, self._scratch_bytes = memory_bytes, tasks, scratch_bytes

    def crossed(self) -> dict[str, int | str] | None:
        """Return the limit that the bot has crossed, with its use; None if it has crossed none."""
        pids = find_below(self._keeper, self._tasks)
        tasks, memory = map(sum, zip((0, 0), *map(read_use, pids), strict=True))
        if tasks > self._tasks:
            return {"limit": "tasks", "used": tasks, "allowed": self._tasks}
        if memory > self._memory_bytes:  # with programs and libraries, and with what is shared counted several times
            memory = sum(map(read_share, pids))
            if memory > self._memory_bytes:
                return {"limit": "memory", "used": memory, "allowed": self._memory_bytes}
        used = max(measure_folder(self._scratch, self._scratch_bytes), measure_jail(pids, self._scratch_bytes))
        if used > self._scratch_bytes:
            return {"limit": "scratch", "used": used, "allowed": self._scratch_bytes}
        return None

    def kill(self) -> None:
        """Do nothing: without a cgroup the keeper has to find the processes itself."""

    def remove(self) -> None:
        """Do nothing: nothing was made."""


def find_below(pid: int, enough: int = 1 << 20) -> list[int]:
    """Return all processes below one, without itself; stop looking somewhat above `enough`."""
    pids: list[int] = []
    unread = [pid]
    while unread and len(pids) <= enough:
        parent = unread.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    children = [*map(int, file.read().split())]
                    pids += children
                    unread += children
    return pids


def read_use(pid: int) -> tuple[int, int]:
    """Return the number of threads of a process and its resident memory, with its program and libraries. 0, 0 if it
    has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return int(fields[17]), int(fields[21]) * PAGE_BYTES
    return 0, 0


def read_share(pid: int) -> int:
    """Return the memory that a process alone uses, and its part of what it shares; all resident memory if the kernel
    does not tell us, because the bot hides it."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file if line.endswith(b"kB\n")}
        return sizes.get(b"Pss_Anon:", 0) + sizes.get(b"Pss_Shmem:", 0)
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    except OSError:
        return read_use(pid)[1]


def measure_folder(path: str, enough: int) -> int:
    """Return how much the files below a folder use, or something above `enough` if it is more. Files that the bot
    has hidden from us, by their rights or by too long a path, count as too much."""
    used, unread = 0, [path]
    while unread:
        try:
            with os.scandir(unread.pop()) as entries:
                for entry in entries:
                    used += max(entry.stat(follow_symlinks=False).st_blocks * 512, SMALLEST_FILE_BYTES)
                    if used > enough:
                        return used
                    if entry.is_dir(follow_symlinks=False):
                        unread.append(entry.path)
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno in (errno.EACCES, errno.ENAMETOOLONG):
                return enough + 1
    return used


def measure_jail(pids: list[int], size: int) -> int:
    """Return how much the files use in the fullest of the folders that a jailed bot may write to, each of that size;
    0 for a bot that is not jailed. The kernel itself limits their bytes there, but not how many empty ones there
    are."""
    ours, used = os.readlink("/proc/self/ns/mnt"), 0
    for pid in pids:
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/ns/mnt") == ours:
                continue
            for folder in JAIL_FOLDERS:
                usage = os.statvfs(f"/proc/{pid}/root{folder}")
                if usage.f_blocks * usage.f_frsize == size:  # not so while bubblewrap is still at work
                    used = max(used, (usage.f_files - usage.f_ffree) * SMALLEST_FILE_BYTES)
            return used
    return used
