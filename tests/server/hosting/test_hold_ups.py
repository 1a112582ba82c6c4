"""The core watch: what it notes, who reads it, and that it leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from referee.match import clock
from referee.match.clock import HOST_LATE_SECONDS
from server.hosting import core_watch
from server.hosting.cores import available_cores
from server.hosting.hold_ups import LOST_SECONDS, CoreWatch, HoldUp, HoldUps
from support.bots import until


@pytest.fixture
def watch() -> Iterator[CoreWatch]:
    """One that was not started."""
    made = CoreWatch()
    yield made
    made.close()


def note(watch: CoreWatch, row: int, begin: float, end: float) -> None:
    """Write a hold-up as the process does."""
    numbers = watch.hold_ups.rows[row]
    count = int(numbers[core_watch.COUNT])
    place = core_watch.FIRST + 2 * (count % core_watch.KEPT)
    numbers[place], numbers[place + 1] = begin, end
    numbers[core_watch.COUNT] = count + 1


def seconds(found: HoldUp | None) -> float:
    assert found is not None
    return found.seconds


def test_nothing_was_held_up_before_the_watch_has_started(watch: CoreWatch) -> None:
    assert watch.hold_ups.longest(0.0, 1000.0) is None


def test_only_what_lies_within_the_question_counts(watch: CoreWatch) -> None:
    note(watch, 0, 100.0, 100.5)
    assert seconds(watch.hold_ups.longest(99.0, 101.0)) == 0.5
    assert seconds(watch.hold_ups.longest(100.25, 101.0)) == 0.25
    assert watch.hold_ups.longest(101.0, 102.0) is None, "it was over when the question was asked"


def test_the_longest_one_counts_and_not_the_sum_of_short_ones(watch: CoreWatch) -> None:
    core = available_cores()[-1]
    for begin, end in ((100.0, 100.125), (100.25, 100.75), (100.8, 100.9)):
        note(watch, -1, begin, end)
    assert watch.hold_ups.longest(100.0, 101.0) == HoldUp(core=core, seconds=0.5)
    assert watch.hold_ups.count() == 3


def test_the_latest_are_kept(watch: CoreWatch) -> None:
    for number in range(3 * core_watch.KEPT):
        note(watch, 0, number, number + 0.5)
    assert watch.hold_ups.longest(0.0, 100.0) is None
    assert seconds(watch.hold_ups.longest(3 * core_watch.KEPT - 1, 1000.0)) == 0.5


def test_a_hold_up_counts_while_it_lasts(watch: CoreWatch) -> None:
    watch.hold_ups.rows[0][core_watch.DUE] = 100.0
    assert seconds(watch.hold_ups.longest(99.0, 100.5)) == 0.5
    assert watch.hold_ups.longest(99.0, 99.5) is None, "it sleeps as it should"


def test_a_watch_that_never_wakes_up_again_is_no_evidence(watch: CoreWatch) -> None:
    """Somebody killed it: matches must not be void for ever."""
    watch.hold_ups.rows[0][core_watch.DUE] = 100.0
    assert watch.hold_ups.longest(99.0, 100.0 + 2 * LOST_SECONDS) is None


def test_a_process_on_one_core_reads_of_that_core_only(watch: CoreWatch, monkeypatch: pytest.MonkeyPatch) -> None:
    core = available_cores()[0]
    monkeypatch.setattr("server.hosting.hold_ups.available_cores", lambda: [core])
    pinned = HoldUps(watch.descriptor)
    note(watch, -1, 100.0, 100.75)
    note(watch, 0, 100.0, 100.5)
    assert [int(row[core_watch.CORE]) for row in pinned.rows] == [core]
    if len(available_cores()) > 1:
        assert seconds(pinned.longest(99.0, 101.0)) == 0.5
    pinned.close()


# The process


def has_started(watch: CoreWatch) -> Callable[[], bool]:
    return lambda: all(row[core_watch.DUE] for row in watch.hold_ups.rows)


async def test_it_notes_when_it_is_held_up(watch: CoreWatch) -> None:
    watch.start()
    await until(has_started(watch))
    before, began = watch.hold_ups.count(), clock.now()
    os.kill(watch.pid, signal.SIGSTOP)  # stands for a core that runs something else
    await until(lambda: seconds(watch.hold_ups.longest(began, clock.now()) or NOTHING) > HOST_LATE_SECONDS)
    os.kill(watch.pid, signal.SIGCONT)
    await until(lambda: watch.hold_ups.count() > before)
    assert seconds(watch.hold_ups.longest(began, clock.now())) > HOST_LATE_SECONDS


async def test_each_thread_stays_on_its_core(watch: CoreWatch) -> None:
    watch.start()
    await until(has_started(watch))
    affinities = [os.sched_getaffinity(int(thread)) for thread in os.listdir(f"/proc/{watch.pid}/task")]
    for core in available_cores():
        assert {core} in affinities


async def test_one_that_was_killed_is_started_again_and_forgets_nothing(watch: CoreWatch) -> None:
    watch.start()
    await until(has_started(watch))
    note(watch, 0, 100.0, 100.5)
    first = watch.pid
    os.kill(first, signal.SIGKILL)

    def is_replaced() -> bool:
        watch.start()
        return watch.pid != first

    await until(is_replaced)
    await until(has_started(watch))
    assert seconds(watch.hold_ups.longest(99.0, 101.0)) == 0.5


def test_a_watch_that_cannot_be_started_leaves_us_without_evidence(
    watch: CoreWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    watch.start()
    assert (watch.pid, watch.hold_ups.longest(0.0, 1000.0)) == (0, None)


async def test_it_ends_with_whoever_started_it() -> None:
    code = (
        "from server.hosting.hold_ups import CoreWatch; w = CoreWatch(); w.start(); print(w.pid, flush=True); input()"
    )
    with run_python("-c", code) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    await until(lambda: not is_alive(pid))


def run_python(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError), open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
    return False


NOTHING = HoldUp(core=0, seconds=0.0)
HOGS = """
import os, sys, time
end = time.monotonic() + 60  # should the test be killed
for _ in range(int(sys.argv[1])): os.fork()
os.setsid()  # the kernel may divide the processor by sessions
while time.monotonic() < end and os.path.exists(sys.argv[2]): pass
"""


@pytest.mark.system  # it keeps all cores busy with a hundred processes each until the watch is held up
async def test_a_hog_of_ours_holds_it_up(watch: CoreWatch, tmp_path: Path) -> None:
    watch.start()
    await until(has_started(watch))
    began, rounds = clock.now(), (100 * len(available_cores())).bit_length()
    (tmp_path / "go on").touch()
    hogs = run_python("-I", "-S", "-c", HOGS, str(rounds), str(tmp_path / "go on"))
    try:
        await until(lambda: seconds(watch.hold_ups.longest(began, clock.now()) or NOTHING) > HOST_LATE_SECONDS)
    finally:
        (tmp_path / "go on").unlink()
        hogs.communicate()
