"""kill -9 of a whole command: itself, its workers, their keepers and the bots, all at one instant."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from server.hosting import keeper

PATIENCE_SECONDS = 120.0


def tree_of(pid: int, folder: Path) -> set[int]:
    """A process, all that descend from it, and all that carry the folder in their environment."""
    needle, found = str(folder).encode(), {pid}
    processes = keeper.read_processes()
    for other in processes.keys() - {os.getpid()}:
        with contextlib.suppress(OSError):
            if needle in Path(f"/proc/{other}/environ").read_bytes():
                found.add(other)
    grown = True
    while grown:
        more = {child for child, (parent, _, _) in processes.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def kill_tree(pid: int, folder: Path) -> int:
    """Kill them all; tells how many there were. Who was just being started is found in a second round."""
    killed = 0
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        alive = [each for each in tree_of(pid, folder) if is_alive(each)]
        if not alive:
            return killed
        assert time.monotonic() < end, "they will not die"
        for each in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
                killed += 1
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Not even a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "XZ"
    except OSError:
        return False
