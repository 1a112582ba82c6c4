"""The core watch: a small process with one thread on each core that measures how long it was held up.

Run as a script by hold_ups.py, with the standard library alone: `core_watch.py DESCRIPTOR SECONDS`. Each thread
stays on its core, at the priority of the bots, and sleeps most of the time; once a second it computes for a moment,
because the scheduler lets a sleeper run first and a thinker wait for its turn. When it wakes up more than SECONDS too
late, or has to wait longer than that to get its computing done, whatever ran there instead may have held up a bot just
as well. It writes that into memory shared with the referee, as a row of floating-point numbers for each core.

Why a process and not threads of the referee: those would have to wait for the referee's interpreter lock. On a machine
whose cores all bots keep busy they would be held up by the referee's own work, and would call every busy event starved.

It lives as long as its standard input is open.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import threading
import time
import zlib

PERIOD_SECONDS = 0.04
WORK_EVERY_SECONDS = 1.0
WORK_SECONDS = 0.003
"""Longer than a thread may run before it is another's turn."""
WORK = bytes(1 << 18)
"""Data for a checksum, during which Python lets other threads run."""

# A row: which core, when its thread has to wake up next (0: it has not started), how many hold-ups it had, and of the
# latest of these the beginning and the end. All times are monotonic.
CORE, DUE, COUNT, FIRST = range(4)
KEPT = 64
ROW = FIRST + 2 * KEPT
BYTES = 8


def watch(row: memoryview[float], longest_seconds: float) -> None:
    """Note in a row how long this thread is held up, for ever."""
    with contextlib.suppress(AttributeError, OSError):  # where threads cannot be pinned, they watch any core
        os.sched_setaffinity(0, {int(row[CORE])})
    count = int(row[COUNT])
    now = works_at = time.monotonic()
    while True:
        works = now >= works_at
        row[DUE] = due = now + (WORK_SECONDS if works else PERIOD_SECONDS)
        if works:
            works_at = now + WORK_EVERY_SECONDS
            until = time.thread_time() + WORK_SECONDS
            while time.thread_time() < until:
                zlib.crc32(WORK)
        else:
            time.sleep(max(0.0, due - time.monotonic()))
        now = time.monotonic()
        if now - due > longest_seconds:
            place = FIRST + 2 * (count % KEPT)
            row[place], row[place + 1] = due, now
            count += 1
            row[COUNT] = count


def main() -> None:
    """Watch the cores whose rows are in the shared memory."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    descriptor, longest_seconds = int(sys.argv[1]), float(sys.argv[2])
    numbers = memoryview(mmap.mmap(descriptor, 0)).cast("d")
    for start in range(0, len(numbers), ROW):
        row = numbers[start : start + ROW]
        threading.Thread(target=watch, args=(row, longest_seconds), daemon=True).start()
    while os.read(0, 1):
        pass
    os._exit(0)  # without waiting for the threads


if __name__ == "__main__":
    main()
