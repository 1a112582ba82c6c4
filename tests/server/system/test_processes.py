"""Processes that work for a command end with it, and leave nothing behind that could fail when Python exits."""

from __future__ import annotations

import math
import multiprocessing
import threading

import pytest

from server.system.processes import Workers


@pytest.mark.parametrize("parts_read", [0, 1, 6], ids=["none read", "left early", "all read"])
def test_leaving_ends_processes_and_threads(parts_read: int) -> None:
    """A thread that is still closing its pipes while Python exits makes it print "Bad file descriptor"."""
    threads, children = set(threading.enumerate()), set(multiprocessing.active_children())
    with Workers(2) as workers:
        results = workers.run(math.isqrt, range(6))
        assert [next(results) for _ in range(parts_read)] == [0, 1, 1, 1, 2, 2][:parts_read]
    assert set(threading.enumerate()) == threads
    assert set(multiprocessing.active_children()) == children
