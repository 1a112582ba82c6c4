"""Pools that play in this process and in which something goes wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from server.play.block_jobs import BlockJob, BlockResult
from server.play.local_pool import LocalPool
from server.play.pool import Worker
from server.play.recorded_match import VoidMatch
from support.events import InProcessPool, play_job


def void(job: BlockJob, reason: str = "the host was late") -> BlockResult:
    """A block that came back unplayed."""
    return BlockResult(contest=job.contest, block=job.block, matches=(), voids=(VoidMatch(reason),))


def spoiling(spoil: Callable[[BlockJob, int], bool], log: list[BlockJob] | None = None) -> type[LocalPool]:
    """A pool in which blocks are void when `spoil` says so, given the job and how often it came before."""

    class SpoilingPool(InProcessPool):
        """Void now and then."""

        _seen: ClassVar[Counter[tuple[str, int]]] = Counter()

        async def _play(self, worker: Worker, job: BlockJob) -> None:
            if log is not None:
                log.append(job)
            spoilt = spoil(job, self._seen[job.key])
            self._seen[job.key] += 1
            result = void(job) if spoilt else await play_job(job)
            worker.give_back(job.key)
            self._finished(result)

    return SpoilingPool


def gated(gate: asyncio.Event, began: asyncio.Event) -> type[LocalPool]:
    """A pool in which nothing ends before the gate is opened; tells when something began."""

    class GatedPool(InProcessPool):
        """Waits."""

        async def _play(self, worker: Worker, job: BlockJob) -> None:
            began.set()
            await gate.wait()
            await super()._play(worker, job)

    return GatedPool
