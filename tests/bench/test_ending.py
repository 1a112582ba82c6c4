"""A measurement that is ended by SIGTERM leaves no process and no folder behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bench.processes import interrupted_by_sigterm, sigterm_held, wait_or_kill
from support.command import assert_nothing_left, processes_of, start
from support.served import PATIENCE_SECONDS, wait_for

ARENA = ("--arena", "--connected", "4", "--tables", "2")
WEB = ("--web", "--readers", "4", "--pages", "2")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path is short: that of a socket has at most 107 characters."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        yield Path(name)


@pytest.mark.parametrize(("words", "last_started"), [(ARENA, "bench.arenas.fleet"), (WEB, "server web --arena")])
def test_sigterm_ends_whatever_a_bench_started(words: tuple[str, ...], last_started: str, place: Path) -> None:
    if "--web" in words and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("--web needs two cores")
    command = start(place, "bench", *words)
    try:
        wait_for(lambda: command.poll() is not None or any(last_started in line for line in processes_of(place)))
        assert command.poll() is None, command.communicate()
        command.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        command.send_signal(signal.SIGTERM)  # an impatient caller does not disturb the clean-up
        command.communicate(timeout=PATIENCE_SECONDS)
        assert_nothing_left(place)
        assert command.returncode == 1
    finally:
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)  # its group holds everything that a failed test left running


@pytest.fixture
def sigterm() -> Iterator[object]:
    """What SIGTERM does before the test, and again after it."""
    before = signal.getsignal(signal.SIGTERM)
    yield before
    signal.signal(signal.SIGTERM, before)


def test_sigterm_waits_until_a_process_is_started_and_counts_once(sigterm: object) -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), interrupted_by_sigterm():  # noqa: PT012 - where it is raised is the point
        try:
            with sigterm_held():
                signal.raise_signal(signal.SIGTERM)
                reached.append("started")
            reached.append("not interrupted")
        finally:
            signal.raise_signal(signal.SIGTERM)
            reached.append("cleaned up")
    assert reached == ["started", "cleaned up"]
    signal.raise_signal(signal.SIGTERM)  # the command is on its way out: this one must not end it with another code


def test_without_sigterm_nothing_changes(sigterm: object) -> None:
    with interrupted_by_sigterm():
        pass
    assert signal.getsignal(signal.SIGTERM) == sigterm


def test_a_process_that_does_not_end_is_killed() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    wait_or_kill(process, 0.1)
    assert process.returncode == -signal.SIGKILL
