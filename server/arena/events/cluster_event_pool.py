"""Plays the blocks of an arena's event on the machines of its cluster, while the ladders continue.

While the cluster cannot be reached, or one of the event's bots cannot be sent there, worker processes of this machine
play, as they do in an arena without a cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from referee.errors import TortugaError
from server.arena.ladders.cluster_matches import Answer, ClusterTables
from server.bots.spec import BotSpec
from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.pool import Pool, Worker
from server.tournament.agreement import secret_again


class ClusterEventPool:
    """The machines of the cluster, or this one."""

    def __init__(
        self,
        cluster: ClusterTables,
        bots: Sequence[BotSpec],
        make_pool: Callable[..., Pool],
        *,
        finished: Callable[[BlockResult | None], None],
        **keys: Any,
    ) -> None:
        """`bots` are all that take part. `make_pool` makes the pool of this machine."""
        self._cluster = cluster
        self._bots = bots
        self._finished = finished
        self._here = make_pool(finished=self._take, **keys)
        self._out: set[Answer] = set()
        self._seen: Counter[BlockKey] = Counter()
        """How often a block was void: a bot may have seen its luck."""

    async def start(self) -> None:
        """Get ready to play here: the cluster may go at any time."""
        await self._here.start()
        self._cluster.listeners.append(self._look)

    @property
    def workers(self) -> list[Worker]:
        """The workers that can play now. Machines full of other matches are not listed: the runner waits."""
        if not all(map(self._cluster.travels, self._bots)):
            return self._here.workers
        return self._cluster.workers if self._out or self._cluster.has_room else []

    @property
    def failure(self) -> TortugaError | None:
        """Why nothing can be played any more."""
        return self._here.failure

    def _look(self) -> None:
        """Something has changed on the cluster: there may be room."""
        self._finished(None)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why. The hall tells the cluster."""
        self._here.set_banned(banned)

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a worker a block. Its result comes through `finished`."""
        if again := self._seen[job.key]:
            job = replace(job, secrets=tuple(secret_again(secret, again) for secret in job.secrets))
        answer = None if worker in self._here.workers else self._cluster.begin(job, worker)
        if answer is not None:
            self._out.add(answer)
            answer.add_done_callback(partial(self._came_back, job))
        elif self._here.workers:
            self._here.play(self._here.workers[0], job)
        else:  # nobody has seen it
            self._finished(BlockResult(contest=job.contest, block=job.block, matches=(), voids=()))

    def _came_back(self, job: BlockJob, answer: Answer) -> None:
        self._out.discard(answer)
        if not answer.cancelled():
            self._take(replace(answer.result(), contest=job.contest, block=job.block))

    def _take(self, result: BlockResult | None) -> None:
        """A block came back, from wherever it was. If it is void, it gets new luck."""
        if result is not None and result.voids and not result.matches:
            self._seen[result.key] += 1
            self._here.forget(result.key)
        self._finished(result)

    async def close(self) -> None:
        """Abandon what is being played."""
        if self._look in self._cluster.listeners:
            self._cluster.listeners.remove(self._look)
        for answer in list(self._out):
            answer.cancel()
        await self._here.close()
