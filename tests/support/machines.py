"""The pool of an arena's cluster, faked: its machines are tasks of this loop, and its bots are functions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, TortugaError
from server.arena.ladders import cluster_matches as cluster_tables
from server.arena.ladders.cluster_matches import Cluster, ClusterTables
from server.bots.spec import BotSpec
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob, BlockResult
from server.play.pool import Worker
from server.play.recorded_match import VoidMatch
from support.events import play_job


class FakeMachines:
    """A cluster: every pool that was made for it, and what its machines were given."""

    def __init__(self, count: int = 1, tables: int = 4) -> None:
        self.count, self.tables = count, tables
        self.reachable = True
        self.gate = asyncio.Event()
        self.gate.set()
        self.pools: list[FakePool] = []
        self.jobs: list[BlockJob] = []
        """Every block that was given out."""
        self.answer: Callable[[BlockJob], BlockResult | None] = lambda job: None
        """What comes back of a block instead of its matches. None: its matches."""
        self.unpackable: set[str] = set()
        self.packed: list[str] = []
        self.forgotten: list[str] = []
        self.most = 0

    def tables_of(self) -> ClusterTables:
        """The arena's side of it."""
        cluster = Cluster(make_pool=self.make, address="tls://h:1", certificates=Path("/nowhere"))
        return ClusterTables(cluster, confinement=Confinement(level=JailLevel.NONE), games=["pavillon_noir"])

    def make(self, **keys: Any) -> FakePool:
        """What makes a pool."""
        self.pools.append(FakePool(self, **keys))
        return self.pools[-1]

    @property
    def pool(self) -> FakePool:
        """The last one that was made."""
        return self.pools[-1]


class FakePool:
    """One connection to the cluster."""

    def __init__(self, machines: FakeMachines, **keys: Any) -> None:
        self._machines = machines
        self._finished, self.keep_home = keys["finished"], keys["keep_home"]
        self.workers: list[Worker] = []
        self.failure: TortugaError | None = None
        self.refused: dict[str, str] = {}
        self.banned: Mapping[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    async def start(self) -> None:
        """Reach the cluster."""
        if not self._machines.reachable:
            raise ConfigError("the cluster at tls://h:1 cannot be reached")
        self.join(self._machines.count)

    def join(self, count: int) -> None:
        """Machines come, or go."""
        self.workers = [Worker(self._machines.tables) for _ in range(count)]
        self._finished(None)

    def fail(self, words: str = "the scheduler is gone") -> None:
        """The scheduler is gone, and with it what was being played."""
        self.failure = TortugaError(words)
        self.workers = []
        self._finished(None)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Who may not play."""
        self.banned = banned

    async def pack_bot(self, bot: BotSpec) -> None:
        """Get it ready."""
        await asyncio.sleep(0)
        if bot.name in self._machines.unpackable:
            raise ConfigError(f"the folder of {bot.name} is too large for a bundle")
        self._machines.packed.append(bot.name)

    def forget_bot(self, bot: BotSpec) -> None:
        """Let it go."""
        self._machines.forgotten.append(f"{bot.name} {bot.version}")

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a machine a block."""
        worker.take(job)
        self._machines.jobs.append(job)
        self._machines.most = max(self._machines.most, sum(len(one.running) for one in self.workers))
        task = asyncio.create_task(self._play(worker, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, worker: Worker, job: BlockJob) -> None:
        await self._machines.gate.wait()
        await asyncio.sleep(0.001)
        result = self._machines.answer(job)
        if result is None:
            result = await play_job(replace(job, host="far", host_speed=100))
        worker.give_back(job.key)
        self._finished(result)
        self._finished(result)  # Dask may say it twice

    async def close(self) -> None:
        """Abandon what is being played."""
        self.closed = True
        for task in self._tasks:
            task.cancel()


def void(job: BlockJob, reason: str = "the host was late") -> BlockResult:
    """A block that counts for nobody."""
    return BlockResult(contest=job.contest, block=job.block, matches=(), voids=(VoidMatch(reason),))


def handed_back(job: BlockJob) -> BlockResult:
    """A block that nobody has seen."""
    return BlockResult(contest=job.contest, block=job.block, matches=(), voids=())


def hurry(monkeypatch: Any) -> None:
    """Try to reach the cluster again at once."""
    monkeypatch.setattr(cluster_tables, "RETRY_SECONDS", 0.01)
