"""Plays blocks on this machine, in worker processes that share each block.

There is one worker, this machine. A process that dies loses its parts and is replaced; its bots die with it, because
their keepers end them.
"""

from __future__ import annotations

import asyncio
import pickle
import struct
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from referee.errors import TortugaError
from server.hosting.cores import available_cores, core_count
from server.hosting.hold_ups import CoreWatch
from server.jail.confinement import Confinement
from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.block_parts import BlocksInParts
from server.play.pool import Worker
from server.play.recorded_match import VoidMatch
from server.play.table_choice import FIRST_TABLES, TableChoice

DEATHS = 5
"""Worker deaths after which the event is stopped: something is wrong with this machine."""

CLOSE_SECONDS = 10.0

LENGTH = struct.Struct("<Q")
"""How a frame between a worker process and its parent begins. A pickle follows: both sides are of one version."""


class WorkerProcess(Worker):
    """A process of this machine. It is given parts of blocks."""

    def __init__(self, process: asyncio.subprocess.Process, tables: int) -> None:
        super().__init__(tables)
        self.process = process

    def play(self, part: BlockJob) -> None:
        """Give it a part."""
        self.take(part)
        self._send(part)

    def set_tables(self, count: int) -> None:
        """Let it play this many matches at once."""
        if count != self.tables:
            self.tables = count
            self._send(count)

    def confine(self, confinement: Confinement) -> None:
        """Say how its bots are confined: its first order."""
        self._send(confinement)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why."""
        self._send(dict(banned))

    def _send(self, order: BlockJob | Confinement | int | dict[str, str]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(make_frame(order))


class LocalMachine(Worker):
    """This machine, with the processes that share its blocks."""

    def __init__(self) -> None:
        super().__init__(tables=0)  # those of its processes count
        self.processes: list[WorkerProcess] = []

    @property
    def has_room(self) -> bool:
        """Check that a process would be idle without another block, and none is too far behind the others."""
        return any(process.has_room for process in self.processes) and all(
            process.assigned <= 2 * process.tables for process in self.processes
        )


class LocalPool:
    """The processes of this machine. Without a `concurrency`, table_choice.py chooses, and `say` is called with what it
    chose.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        pin: bool,
        confinement: Confinement,
        games: Collection[str],
        new_scratch: Callable[[], Path],
        say: Callable[[str], None],
        finished: Callable[[BlockResult | None], None],
    ) -> None:
        self._count = min(core_count(), concurrency or core_count())
        self._tables = [len(range(number, concurrency, self._count)) for number in range(self._count)]
        self._choice = None if concurrency else TableChoice()
        self._said_tables = 0
        self._say = say
        self._cores = available_cores() if pin else []
        self._games = games
        self._confinement = confinement
        self._new_scratch = new_scratch
        self._finished = finished
        self._banned: Mapping[str, str] = {}
        self._deaths = 0
        self._closing = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._core_watch: CoreWatch | None = None
        self.machine = LocalMachine()
        self._blocks: BlocksInParts[WorkerProcess] = BlocksInParts()
        self.workers: list[Worker] = []
        """Those that can play now."""
        self.failure: TortugaError | None = None

    async def start(self) -> None:
        """Start all processes, one by one, so that after a failure `close` knows all that were started."""
        self._core_watch = CoreWatch()
        self._core_watch.start()
        for number in range(self._count):
            await self._start(number)

    async def _start(self, number: int) -> None:
        assert self._core_watch is not None
        core = [str(self._cores[number % len(self._cores)])] if self._cores else []
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "server.play.worker",
                str(self._new_scratch()),
                str(self._tables[number]),
                ",".join(self._games),
                str(self._core_watch.descriptor),
                *core,
                pass_fds=(self._core_watch.descriptor,),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the parent alone
            )
        except OSError as error:
            raise TortugaError(f"no worker can be started: {error}") from None
        worker = WorkerProcess(process, self._tables[number] or FIRST_TABLES)
        worker.confine(self._confinement)
        worker.set_banned(self._banned)
        self.machine.processes.append(worker)
        self.workers = [self.machine]
        task = asyncio.create_task(self._listen(number, worker))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a worker a block. Its result comes through `finished`."""
        worker.take(job)
        if self._choice is not None and not self._choice.has_regarded(job):
            self._choose_tables()
        for process, part in self._blocks.split(job, self.machine.processes):
            process.play(part)

    def forget(self, key: BlockKey) -> None:
        """Forget a block that came back void. It must not come back here with the same luck."""
        self._blocks.forget(key)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why: their processes end at once, and they lose."""
        self._banned = banned
        for process in self.machine.processes:
            process.set_banned(banned)

    def _choose_tables(self) -> None:
        if self._choice is None or not self.machine.running:
            return
        tables = self._choice.choose(self.machine.running.values(), self._count)
        for process in self.machine.processes:
            process.set_tables(tables)
        if self._choice.reason and not self._said_tables / 2 < tables < self._said_tables * 2:
            self._said_tables = tables
            shares = f", {tables} in each worker" if self._count > 1 else ""
            self._say(f"{tables * self._count} matches at once{shares}: {self._choice.reason}")

    async def _listen(self, number: int, worker: WorkerProcess) -> None:
        assert worker.process.stdout is not None
        while (report := await read_frame(worker.process.stdout)) is not None:
            if isinstance(report, BlockResult):
                self._take(worker, report)
            elif self._choice is not None:
                self._choice.add(report)
                self._choose_tables()
        code = await worker.process.wait()
        self.machine.processes.remove(worker)
        if not self.machine.processes:
            self.workers = []
        if self._closing:
            return
        self._deaths += 1
        try:
            if self._deaths >= DEATHS:
                raise TortugaError(f"{self._deaths} workers died, the last one with exit code {code}")
            await self._start(number)
        except TortugaError as error:
            self.failure = error
        self._finished(None)
        for contest, block in list(worker.running):
            void = VoidMatch(f"the worker died (exit code {code})")
            self._take(worker, BlockResult(contest=contest, block=block, matches=(), voids=(void,)))

    def _take(self, worker: WorkerProcess, result: BlockResult) -> None:
        """Take in a part."""
        if self._core_watch is not None:
            self._core_watch.start()  # again, should it have been killed
        worker.give_back(result.key)
        block = self._blocks.join(result)
        if block is not None:
            self.machine.give_back(block.key)
            self._finished(block)

    async def close(self) -> None:
        """End all workers and their bots; what they were playing is abandoned."""
        self._closing = True
        for worker in self.machine.processes:
            if worker.process.stdin is not None:
                worker.process.stdin.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        for worker in self.machine.processes:
            worker.process.kill()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._core_watch is not None:
            self._core_watch.close()
            self._core_watch = None


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """Read one value that the other side of a worker's pipe sent; None at its end."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def make_frame(value: Any) -> bytes:
    """Return a value as bytes for the other side of a worker's pipe."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(content)) + content
