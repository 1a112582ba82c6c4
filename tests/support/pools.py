"""Pools that play in this process and in which something goes wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from server.tournament.block_jobs import BlockJob, BlockResult
from server.tournament.pool import Pool, Worker
from support.events import InProcessPool, play_order


def void(order: BlockJob, reason: str = "the host was late") -> BlockResult:
    """A block that came back unplayed."""
    return BlockResult(contest=order.contest, block=order.block, matches=(), voids=(reason,))


def spoiling(spoil: Callable[[BlockJob, int], bool], log: list[BlockJob] | None = None) -> type[Pool]:
    """A pool in which blocks are void when `spoil` says so, given the order and how often it came before."""

    class SpoilingPool(InProcessPool):
        """Void now and then."""

        _seen: ClassVar[Counter[tuple[str, int]]] = Counter()

        async def _play(self, worker: Worker, order: BlockJob) -> None:
            if log is not None:
                log.append(order)
            spoilt = spoil(order, self._seen[order.key])
            self._seen[order.key] += 1
            report = void(order) if spoilt else await play_order(order)
            del worker.running[order.key]
            self._finished(report)

    return SpoilingPool


def gated(gate: asyncio.Event, began: asyncio.Event) -> type[Pool]:
    """A pool in which nothing ends before the gate is opened; tells when something began."""

    class GatedPool(InProcessPool):
        """Waits."""

        async def _play(self, worker: Worker, order: BlockJob) -> None:
            began.set()
            await gate.wait()
            await super()._play(worker, order)

    return GatedPool
