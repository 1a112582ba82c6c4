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
"""What a jailed bot may write to."""


class Tree:
    """The processes below a keeper and the scratch folder they write to."""

    def __init__(self, keeper: int, scratch: str, *, memory_bytes: int, tasks: int, scratch_bytes: int) -> None:
        self._keeper = keeper
        self._scratch = scratch
        self._memory_bytes, self._tasks, self._scratch_bytes = memory_bytes, tasks, scratch_bytes

    def crossed(self) -> dict[str, int | str] | None:
        """The limit that the bot has crossed, with its use; None if it has not."""
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
    """All processes below one, without itself; no more are looked for than somewhat above `enough`."""
    found: list[int] = []
    unread = [pid]
    while unread and len(found) <= enough:
        parent = unread.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{thread}/children", "rb") as file:
                    children = [*map(int, file.read().split())]
                    found += children
                    unread += children
    return found


def read_use(pid: int) -> tuple[int, int]:
    """The threads of a process and its resident memory, with its program and libraries. Nothing if it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return int(fields[17]), int(fields[21]) * PAGE_BYTES
    return 0, 0


def read_share(pid: int) -> int:
    """The memory that a process alone uses, and its part of what it shares; all resident memory if the kernel does not
    tell us, because the bot hides it."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file if line.endswith(b"kB\n")}
        return sizes.get(b"Pss_Anon:", 0) + sizes.get(b"Pss_Shmem:", 0)
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    except OSError:
        return read_use(pid)[1]


def measure_folder(path: str, enough: int) -> int:
    """What the files below a folder use, or something above `enough` if it is more. What the bot has hidden from us, by
    its rights or by too long a path, counts as too much."""
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
    """What the files use in the fullest of the folders that a jailed bot may write to, each of that size; 0 for a bot
    that is not jailed. The kernel itself limits their bytes there, but not how many empty ones there are."""
    ours, used = os.readlink("/proc/self/ns/mnt"), 0
    for pid in pids:
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/ns/mnt") == ours:
                continue
            for folder in JAIL_FOLDERS:
                found = os.statvfs(f"/proc/{pid}/root{folder}")
                if found.f_blocks * found.f_frsize == size:  # not so while bubblewrap is still at work
                    used = max(used, (found.f_files - found.f_ffree) * SMALLEST_FILE_BYTES)
            return used
    return used
