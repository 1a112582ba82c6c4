"""What a bot takes of the processor: over which time, and with how many threads."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from server.hosting.cores import (
    MAX_READINGS,
    ProcessorUse,
    RunDelay,
    ThreadReading,
    Use,
    available_cores,
    count_running_threads,
    waited_between,
)
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


def test_it_slept_when_it_neither_ran_nor_waited_for_a_core() -> None:
    use = ProcessorUse()
    for at, seconds, waited in ((99.0, 5.0, None), (100.0, 5.0, 1.0), (102.0, 5.5, 1.25)):
        use.add(at, seconds, waited)
    assert use.since(100.0, 0.1) == Use(0.5, 2.0, 0.25)
    assert Use(0.5, 2.0, 0.25).slept_seconds(5.0) == 1.25
    assert Use(0.5, 2.0, 0.25).slept_seconds(1.0) == 0.25, "before its question it had nothing to do"
    assert Use(1.5, 2.0, 3.0).slept_seconds(5.0) == 0.0, "threads that wait side by side"
    assert Use(0.5, 2.0).slept_seconds(5.0) is None
    assert use.since(99.0, 0.1) == Use(0.5, 3.0)


def waits(*readings: ThreadReading) -> list[int]:
    """How long a thread waited between readings that follow each other."""
    before, waited = None, []
    for reading in readings:
        nanoseconds, before = waited_between(before, reading)
        waited.append(nanoseconds)
    return waited


def test_a_thread_that_gets_no_core_waits_before_the_kernel_counts_it() -> None:
    starved = [ThreadReading(at, ran=5, waited=70, turns=3, is_ready=True) for at in (1000, 1400, 2000)]
    assert waits(*starved) == [70, 400, 600]
    served = ThreadReading(2100, ran=9, waited=1160, turns=4, is_ready=True)
    assert waits(*starved, served) == [70, 400, 600, 90], "what was pending counts once"


def test_a_thread_that_slept_or_ran_meanwhile_did_not_wait() -> None:
    asleep = ThreadReading(1000, ran=5, waited=70, turns=3, is_ready=False)
    assert waits(asleep, replace(asleep, at=2000)) == [70, 0]
    assert waits(asleep, replace(asleep, at=2000, is_ready=True)) == [70, 0], "it has just woken up"
    assert waits(replace(asleep, is_ready=True), replace(asleep, at=2000, turns=4, is_ready=True)) == [70, 0]
    running = replace(asleep, is_ready=True)
    assert waits(running, replace(running, at=2000, ran=1005)) == [70, 0]


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel does not count what threads wait")
async def test_what_threads_wait_for_a_core_is_added_up_over_all_processes_below() -> None:
    core = available_cores()[0]
    busy = f"import os\nos.sched_setaffinity(0, [{core}])\nfor _ in range(3): os.fork()\nwhile True: pass"
    with start(busy) as one:
        delay, read = RunDelay(), []

        def has_grown() -> bool:
            read.append(delay.read(os.getpid()) or 0.0)
            return read[-1] > 0.5

        try:
            await until(has_grown)
        finally:
            os.killpg(one.pid, 9)
    assert read == sorted(read)
    assert RunDelay().read(one.pid) is None, "nobody is left there"


def start(code: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
