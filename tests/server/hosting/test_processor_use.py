"""What a bot takes of the processor: over which time, and with how many threads."""

from __future__ import annotations

import os
import subprocess
import sys

from server.hosting.cores import MAX_READINGS, ProcessorUse, Use, count_running_threads
from support.bots import until


def read(*readings: tuple[float, float]) -> ProcessorUse:
    use = ProcessorUse()
    for at, seconds in readings:
        use.add(at, seconds)
    return use


def test_it_counts_from_the_reading_nearest_to_the_question() -> None:
    use = read((0.0, 0.0), (90.0, 80.0), (99.75, 80.5), (100.5, 82.0), (101.0, 83.0))
    assert use.since(100.0, 0.1) == Use(2.5, 1.25)
    assert use.since(100.25, 0.1) == Use(1.0, 0.5)
    assert Use(2.5, 1.25).cores == 2.0


def test_a_reading_that_was_just_made_tells_nothing() -> None:
    assert read().since(100.0, 0.1) is None
    assert read((101.0, 5.0)).since(100.0, 0.1) is None
    assert read((100.95, 4.0), (101.0, 5.0)).since(100.0, 0.1) is None
    assert read((50.0, 0.0), (100.95, 4.0), (101.0, 5.0)).since(101.0, 0.1) == Use(5.0, 51.0)


def test_the_latest_are_kept() -> None:
    use = read(*((float(at), 0.0) for at in range(2 * MAX_READINGS)))
    assert use.since(0.0, 0.1) == Use(0.0, MAX_READINGS - 1.0)


async def test_threads_that_want_to_run_are_counted_in_all_processes_below() -> None:
    busy = "import os\nfor _ in range(3): os.fork()\nwhile True: pass"
    with start(busy) as one, start("input()") as other:
        try:
            await until(lambda: count_running_threads(one.pid) == 8)
            await until(lambda: count_running_threads(other.pid) == 0)
        finally:
            os.killpg(one.pid, 9)
            other.kill()
    assert count_running_threads(one.pid) == 0, "it is gone"


def start(code: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
