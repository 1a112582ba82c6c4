"""Processes: the workers of a command or a server, and how many files this process may open.

Workers end together with their command or server, and leave Ctrl-C to it.

The open files of this process are divided between the server itself and incoming connections. A connection uses a file
handle even if nothing is ever sent on it. Without a limit, a thousand idle connections would use up all handles, and no
record could be written. gRPC closes connections above its limit; running matches are not affected.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import multiprocessing.process
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Self, TypeVar

from referee.errors import TortugaError

P = TypeVar("P")
R = TypeVar("R")


class Workers:
    """Processes that work for a command. Use it as `with Workers(jobs) as workers`; leaving it, also by an
    exception, ends them at once. With one job there is none: the command does the work itself."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[multiprocessing.process.BaseProcess] = set()

    def __enter__(self) -> Self:
        if self._jobs > 1:
            self._others = set(multiprocessing.active_children())
            context = multiprocessing.get_context("spawn")  # gRPC does not survive a fork
            self._pool = ProcessPoolExecutor(self._jobs, mp_context=context, initializer=end_with_parent)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            for child in set(multiprocessing.active_children()) - self._others:
                child.terminate()
            # The pool's thread closes its pipes when its processes are gone. Were it still at that when Python exits,
            # Python could write to a pipe that has just been closed ("Bad file descriptor").
            self._pool.shutdown()

    def run(self, work: Callable[[P], R], parts: Iterable[P]) -> Iterator[R]:
        """Yield the results of all parts, in their order. Only a few parts are under way at a time: there may be
        very many."""
        if self._pool is None:
            yield from map(work, parts)
            return
        left = iter(parts)
        try:
            under_way: list[Future[R]] = [self._pool.submit(work, part) for part in islice(left, 2 * self._jobs)]
            while under_way:
                yield under_way.pop(0).result()
                under_way += [self._pool.submit(work, part) for part in islice(left, 1)]
        except BrokenProcessPool:
            raise TortugaError("a process that played games was killed, perhaps because memory ran out") from None


def end_with_parent() -> None:
    """Ignore Ctrl-C in a worker process, and end it when its parent ends, for whatever reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


WANTED_FILES = 65_536
"""The limit that we ask for. More are of no use, and our bots inherit the limit: some programs prepare for every
file they may open."""
OWN_FILES = 512
"""Files kept for our own use: databases, records, logs, the bots we host."""
MOST_CONNECTIONS = 8192
"""Most connections at one door. Each takes some 16 kB."""


def raise_open_files_limit() -> int:
    """Raise the limit as far as we may and need; returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, WANTED_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft if soft != resource.RLIM_INFINITY else WANTED_FILES
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


def connections_per_door(open_files: int, doors: int = 2) -> int:
    """Return how many connections each public door may have."""
    return max(16, min(MOST_CONNECTIONS, (open_files - OWN_FILES) // doors))
