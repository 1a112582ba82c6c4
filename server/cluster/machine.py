"""A machine of the cluster: the code that runs in its Dask worker.

The process that runs an event opens a machine with a task, `open_machine`, which starts our local pool there, and keeps
the result of that task for as long as it needs the machine. When that process is closed, killed or cut off, Dask drops
the result, and the machine ends its pool without being told. If the Dask worker itself is killed, the pool's processes
see their standard input end, and end themselves and their bots.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from distributed import WorkerPlugin, get_worker
from distributed.worker import Worker as DaskWorker

from referee.errors import TortugaError
from server.cluster import calibration
from server.cluster.admission import compare_versions, why_unfit
from server.cluster.bundles import ReceivedBots
from server.cluster.messages import (
    PLUGIN,
    BlockReport,
    MachineFacts,
    MachineOrder,
    pack_facts,
    pack_report,
    pack_words,
    reports_topic,
    unpack,
)
from server.cluster.scratch import remove_stale_scratch, scratch_path
from server.cluster.trial import try_start
from server.hosting.cores import core_count
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.local_pool import LocalPool
from server.play.recorded_match import VoidMatch
from server.system import logs

ROUNDS = 2
"""How often a machine plays a block that comes back void before it returns it as void."""
WATCH_SECONDS = 0.5
LEAVE_SECONDS = 25.0
"""How long a machine that was asked to go finishes its blocks. Slurm and Kubernetes kill after 30 s."""
PREDECESSOR_SECONDS = 10.0
"""How long a machine may need to notice that the run it played for is gone."""
WANTED = ("executing", "memory")
"""The states of the opening task while somebody wants its result."""

log = logs.get_logger()
SPEED_SECONDS = 3600.0
"""A machine whose speed was measured longer ago measures it again for the next run."""
_speed: tuple[float, float] | None = None
_measured_at = 0.0


async def open_machine(run: str, key: str, ticket: bytes, versions: dict[str, str], order: bytes) -> None:
    """Task: get this machine ready for a run. While the run keeps this task, the machine is the run's."""
    answer(run, key, ticket, pack_facts(await _open(key, versions, order)))


async def _open(key: str, versions: dict[str, str], order: bytes) -> MachineFacts:
    host = socket.gethostname()
    if refusal := compare_versions(versions):  # before anything else is read: it may not be readable
        return MachineFacts(host=host, refusal=refusal)
    worker, wanted = get_worker(), unpack(order)
    if (other := await _other_run(worker)) is not None:
        reason = f"it plays for another run, of the event {other.order.event}"
        return MachineFacts(host=host, refusal=reason, busy=True)
    machine = Machine(wanted, key)
    await worker.plugin_add(machine, name=PLUGIN)
    return machine.facts


async def play_block(run: str, key: str, ticket: bytes, job: bytes) -> None:
    """Task: play a block.

    The report goes out as an event of the run, in the message that tells the end of the task. The result of a task
    would have to be asked for through the scheduler, which costs Dask as much as all the rest of a block.
    """
    if (machine := _machine_of(run)) is not None:
        machine.reports[key] = ticket, pack_report(await machine.play(unpack(job)))
    else:
        answer(run, key, ticket, pack_report(BlockReport(result=None, tables=0)))


async def take_bundle(run: str, key: str, ticket: bytes, sha256: str, content: bytes | None) -> None:
    """Task: get a bot ready to play. The answer is why this machine cannot play it."""
    reason = "it was closed meanwhile"
    if (machine := _machine_of(run)) is not None:
        reason = await machine.take_bundle(sha256, content)
    answer(run, key, ticket, pack_words(reason))


async def ban_bots(run: str, key: str, ticket: bytes, number: int, banned: Mapping[str, str]) -> None:
    """Task: end the bots that may not play, and start none of them. Of two such orders the higher number counts."""
    if (machine := _machine_of(run)) is not None:
        machine.set_banned(number, banned)
    answer(run, key, ticket, pack_words(""))


async def refuse_machine(run: str, key: str, ticket: bytes, reason: str) -> None:
    """Task: play no further for a run, which has decided so, and keep the reason for `tortuga cluster status`."""
    if (machine := _machine_of(run)) is not None:
        await machine.refuse(reason)
    answer(run, key, ticket, pack_words(""))


async def hold_machine(run: str, key: str, ticket: bytes, reason: str) -> None:
    """Task: keep for `tortuga cluster status` why this machine gets no blocks at present. Empty: it does."""
    if (machine := _machine_of(run)) is not None:
        machine.held = reason
    answer(run, key, ticket, pack_words(""))


def answer(run: str, key: str, ticket: bytes, content: bytes) -> None:
    """Send the answer of a task to the run, in plain values: it unpickles nothing of ours."""
    get_worker().log_event(reports_topic(run), (key, ticket, content))


def _machine_of(run: str) -> Machine | None:
    """Return this machine, if it plays for that run."""
    machine = get_worker().plugins.get(PLUGIN)
    return machine if isinstance(machine, Machine) and machine.order.run == run else None


async def _other_run(worker: DaskWorker) -> Machine | None:
    """Return the machine of an earlier run, if that run still wants it."""
    deadline = time.monotonic() + PREDECESSOR_SECONDS
    while isinstance(machine := worker.plugins.get(PLUGIN), Machine):
        if time.monotonic() > deadline:
            return machine
        await asyncio.sleep(WATCH_SECONDS / 2)
    return None


class Machine(WorkerPlugin):
    """Our local pool in a Dask worker, which plays for one run."""

    def __init__(self, order: MachineOrder, opening: str) -> None:
        self.order = order
        self.facts = MachineFacts(host=socket.gethostname())
        self._opening = opening
        """The key of the task that opened it."""
        self._pool: LocalPool | None = None
        self._waiting: dict[BlockKey, asyncio.Future[BlockResult]] = {}
        self._playing: dict[BlockKey, asyncio.Task[BlockReport]] = {}
        self._counts: Counter[str] = Counter()
        self._since = time.time()
        self._leaving = self._asked_to_go = False
        self.held = ""
        """Why the run gives it no blocks at present."""
        self._bans = 0
        """The number of the last order about bots that may not play."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._scratch: list[Path] = []
        self.bots = ReceivedBots(scratch_path())
        self.reports: dict[str, tuple[bytes, bytes]] = {}
        """Tickets and answers of blocks that are over, by task, until Dask tells the scheduler so."""
        self._old_handler: Any = None

    async def setup(self, worker: DaskWorker) -> None:
        """Start the pool, if this machine is fit for the run."""
        self._worker = worker
        worker.metrics[PLUGIN] = lambda _: self.status()
        try:
            refusal = await self._get_ready()
        except Exception as error:  # Dask would keep it to itself, and us as a machine that never plays
            log.exception("machine_not_ready")
            refusal = str(error) if isinstance(error, TortugaError) else f"it cannot get ready ({error!r})"
            await self._stop_pool()
        if not refusal:
            self.facts = replace(self.facts, bundles=self.bots.cached)
        self.facts = replace(self.facts, tables=self._tables(), refusal=refusal)
        self._old_handler = signal.signal(signal.SIGTERM, self._on_sigterm)
        self._spawn(self._watch())

    async def _get_ready(self) -> str:
        """Measure this machine and start the pool. Returns why it is not fit for the run."""
        remove_stale_scratch()
        await asyncio.to_thread(self.bots.trim)
        cores = core_count()
        speed, busy_speed = await measured_speed(cores)
        self.facts = replace(self.facts, cores=cores, speed=speed, busy_speed=busy_speed)
        refusal = await asyncio.to_thread(why_unfit, self.order)
        if not refusal:
            await self._start()
        return refusal

    def _confinement(self) -> Confinement:
        hidden = certificate_folders(self._worker)
        return Confinement(level=JailLevel(self.order.level), limits=self.order.limits, hidden=hidden)

    async def _start(self) -> None:
        self._pool = LocalPool(
            concurrency=self.order.concurrency,
            pin=self.order.pin,
            confinement=self._confinement(),
            games=self.order.games,
            new_scratch=self._new_scratch,
            say=lambda text: log.info("machine", what=text),
            finished=self._take,
        )
        await self._pool.start()

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _new_scratch(self) -> Path:
        path = scratch_path()
        self._scratch.append(path)
        return path

    def _tables(self) -> int:
        processes = self._pool.machine.processes if self._pool is not None else []
        return sum(process.tables for process in processes)

    async def take_bundle(self, sha256: str, content: bytes | None) -> str:
        """Get a bot ready to play, and start it once. Returns why this machine cannot play it."""
        reason = await asyncio.to_thread(self.bots.take, sha256, content)
        if reason:
            return reason
        reason = await try_start(self.bots.manifest(sha256), self._confinement(), self._new_scratch())
        return f"a bot cannot be started here, but it can where the event runs: {reason}" if reason else ""

    # Playing

    async def play(self, job: BlockJob) -> BlockReport:
        """Play a block, here and now, or hand it back."""
        pool = self._pool
        if (playing := self._playing.get(job.key)) is not None:  # Dask may run a task twice
            return await asyncio.shield(playing)
        if pool is None or self._leaving or not pool.machine.processes:
            return BlockReport(result=None, tables=0)
        job = replace(job, bots=tuple(map(self.bots.spec, job.bots)))
        playing = self._playing[job.key] = asyncio.create_task(self._play(pool, job))
        try:
            return await playing
        finally:
            del self._playing[job.key]

    async def _play(self, pool: LocalPool, job: BlockJob) -> BlockReport:
        voids: list[VoidMatch] = []
        for _ in range(ROUNDS):
            self._waiting[job.key] = asyncio.get_running_loop().create_future()
            pool.play(pool.machine, job)
            try:
                result = await self._waiting[job.key]
            finally:
                self._waiting.pop(job.key, None)
            voids += result.voids
            if result.matches or not pool.machine.processes:
                break
        else:
            pool.forget(job.key)
        self._count(result, len(voids))
        whole = BlockResult(contest=job.contest, block=job.block, matches=result.matches, voids=tuple(voids))
        return BlockReport(result=whole, tables=0 if self._leaving else self._tables())

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Let the report of a task go with Dask's message that the task has ended."""
        report = self.reports.pop(key, None)
        if report is not None and finish == "memory":  # else nobody wants it any more
            self._worker.log_event(reports_topic(self.order.run), (key, *report))

    def set_banned(self, number: int, banned: Mapping[str, str]) -> None:
        """Let these bots play no more, unless that is an old order."""
        if number > self._bans and self._pool is not None:
            self._bans = number
            self._pool.set_banned(banned)

    def _take(self, result: BlockResult | None) -> None:
        """Take in a finished block of the pool, or that its workers have changed."""
        if result is not None and (waiting := self._waiting.get(result.key)) is not None and not waiting.done():
            waiting.set_result(result)
        elif result is None and self._pool is not None and self._pool.failure is not None:
            self._spawn(self.refuse(str(self._pool.failure)))

    def _count(self, result: BlockResult, voids: int) -> None:
        self._counts["voids"] += voids
        self._counts["blocks"] += bool(result.matches)
        self._counts["matches"] += len(result.matches)
        self._counts["faults"] += sum(len(match.summary.faults) for match in result.matches)

    def status(self) -> dict[str, Any]:
        """Return what `tortuga cluster status` shows of it."""
        states = {"refused": self.facts.refusal, "leaving": self._leaving, "waiting": self.held, "playing": True}
        state = next(state for state, holds in states.items() if holds)
        return {
            "run": self.order.run,
            "event": self.order.event,
            "state": state,
            "reason": self.facts.refusal or self.held,
            "host": self.facts.host,
            "cores": self.facts.cores,
            "tables": self._tables(),
            "speed": self.facts.speed,
            "busy_speed": self.facts.busy_speed,
            "in_hand": len(self._playing),
            "seconds": time.time() - self._since,
            **{name: self._counts[name] for name in ("blocks", "matches", "faults", "voids")},
        }

    # Coming to an end

    async def _watch(self) -> None:
        """End with the run."""
        while self._is_wanted():  # noqa: ASYNC110 - Dask tells nobody of a result that it drops
            await asyncio.sleep(WATCH_SECONDS)
        if self._worker.plugins.get(PLUGIN) is self:
            await self._stop_pool()  # the next run gets the machine, and SIGTERM, when nothing is left to wait for
            await self._worker.plugin_remove(name=PLUGIN)

    def _is_wanted(self) -> bool:
        """Check whether the run keeps the result of the task that opened this machine."""
        task = self._worker.state.tasks.get(self._opening)
        return task is not None and task.state in WANTED

    def _has_blocks(self) -> bool:
        """Check whether a block is in hand, or its result was not fetched yet: it would be lost with us."""
        prefix = f"block-{self.order.run}-"
        return any(str(key).startswith(prefix) for key in self._worker.state.tasks)

    async def refuse(self, reason: str) -> None:
        """Play no further; the reason stays to be read."""
        self.facts = replace(self.facts, refusal=reason)
        await self._stop_pool()

    def _on_sigterm(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_go = True
        self._worker.loop.asyncio_loop.call_soon_threadsafe(lambda: self._spawn(self._leave()))  # type: ignore[attr-defined]

    async def _leave(self) -> None:
        """Finish the current work, accept nothing new, and let Dask continue as usual."""
        self._leaving = True
        deadline = time.monotonic() + LEAVE_SECONDS
        while self._has_blocks() and time.monotonic() < deadline:  # noqa: ASYNC110 - as above
            await asyncio.sleep(WATCH_SECONDS / 5)
        await self._stop_pool()
        self._restore_handler()

    def _restore_handler(self) -> None:
        """Leave SIGTERM to Dask again, and pass on the one that we held back."""
        if self._old_handler is not None:
            signal.signal(signal.SIGTERM, self._old_handler)
            self._old_handler = None
            if self._asked_to_go:
                os.kill(os.getpid(), signal.SIGTERM)

    async def _stop_pool(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()
        for (contest, block), waiting in list(self._waiting.items()):
            if not waiting.done():
                void = VoidMatch(f"{self.facts.host} plays no further")
                waiting.set_result(BlockResult(contest=contest, block=block, matches=(), voids=(void,)))
        for path in self._scratch:
            shutil.rmtree(path, ignore_errors=True)
        self._scratch = []
        self.bots.close()

    async def teardown(self, worker: DaskWorker) -> None:
        """End the pool and its bots."""
        worker.metrics.pop(PLUGIN, None)
        await self._stop_pool()
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()
        self._restore_handler()


def certificate_folders(worker: DaskWorker) -> tuple[Path, ...]:
    """Return where the certificates of this machine are, which no bot may see."""
    config = worker.security.get_tls_config_for_role("worker")
    paths = [text for name in ("ca_file", "cert", "key") if (text := config.get(name)) and "\n" not in text]
    return tuple(sorted({Path(path).resolve().parent for path in paths}))


async def measured_speed(cores: int) -> tuple[float, float]:
    """Return the speed of this machine, measured when its worker was opened for a run, but once an hour at most."""
    global _speed, _measured_at
    if _speed is None or time.monotonic() - _measured_at > SPEED_SECONDS:
        _speed, _measured_at = await asyncio.to_thread(calibration.measure, cores), time.monotonic()
    return _speed
