"""The pools of an arena's events: its own tables, or its cluster with worker processes to fall back on.

An event with remote bots, or one that is to be watched, is played at the arena's tables, like its ladders. Any other is
played on the machines of the cluster, if the arena has one, or by worker processes.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from referee.errors import TortugaError
from referee.match import clock
from server.arena.ladders.cluster_matches import Answer, ClusterTables
from server.arena.ladders.hall import Hall
from server.bots.spec import BotSpec
from server.hosting.cores import core_count
from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.local_pool import LocalPool
from server.play.pool import Worker
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.system.logs import get_logger
from server.tournament.agreement import renewed_secret

TABLES_PER_CORE = 4
"""Matches at once of an event whose manifest leaves it open."""

log = get_logger()


class TablePool:
    """The arena's own tables, where remote bots are connected and spectators can watch, as one worker."""

    failure = None

    def __init__(
        self,
        hall: Hall,
        name: str,
        patient_until: float,
        *,
        concurrency: int,
        finished: Callable[[BlockResult | None], None],
        **_: Any,
    ) -> None:
        """Until the time `patient_until` it waits for bots that are not connected yet."""
        self._hall = hall
        self._name = name
        self._patient_until = patient_until
        self._finished = finished
        self._tables = concurrency or TABLES_PER_CORE * core_count()
        self._free = asyncio.Semaphore(self._tables)
        self._tasks: set[asyncio.Task[None]] = set()
        self.workers: list[Worker] = []

    async def start(self) -> None:
        """Offer the tables."""
        self.workers = [Worker(self._tables)]

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Play a block.

        The secrets are new: a process plays on after a void match, and a remote bot may remember what it saw.
        """
        job = replace(job, secrets=tuple(secrets.token_bytes(32) for _ in job.secrets))
        worker.take(job)
        task = asyncio.create_task(self._play(worker, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, worker: Worker, job: BlockJob) -> None:
        voids: list[VoidMatch] = []
        played: list[RecordedMatch] = []
        try:
            async with asyncio.TaskGroup() as group:  # which cancels the others if one raises
                tasks = [group.create_task(self._play_one(job, rotation, voids)) for rotation in job.rotations]
            played = [match for task in tasks if (match := task.result()) is not None]
        except Exception as error:  # our bug: without a result the event would wait for ever
            log.exception("block_failed", name=self._name, contest=job.contest, block=job.block)
            voids.append(VoidMatch(f"{error!r}"))
        whole = len(played) == len(job.rotations)
        worker.give_back(job.key)
        self._finished(
            BlockResult(
                contest=job.contest,
                block=job.block,
                matches=tuple(played) if whole else (),
                voids=tuple(voids),
            )
        )

    async def _play_one(self, job: BlockJob, rotation: int, voids: list[VoidMatch]) -> RecordedMatch | None:
        terms, names = job.terms(rotation), [bot.name for bot in job.seating(rotation)]
        async with self._free:
            patience = max(job.clock.start_seconds, self._patient_until - clock.now())
            members = await self._hall.lobby.reserve(names, patience)
            try:
                match = await self._hall.play(
                    terms,
                    job.contest,
                    self._name,
                    list(zip(names, members, strict=True)),
                    notes=job.notes,
                    place=job.place(rotation),
                )
            finally:
                for member in members:
                    if member is not None:
                        self._hall.lobby.release(member)
        if isinstance(match, RecordedMatch):
            return match
        voids.append(match.named(terms.match_id))
        return None

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Do nothing: the hall ends the processes of its bots, and disconnects the others."""

    async def close(self) -> None:
        """Abandon what is being played."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


class FallbackPool:
    """The machines of the arena's cluster, beside the ladders; or a pool of this machine.

    This machine plays while the cluster cannot be reached, or one of the event's bots cannot be sent there.
    """

    def __init__(
        self,
        cluster: ClusterTables,
        bots: Sequence[BotSpec],
        make_pool: Callable[..., LocalPool],
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
        """Return who can play now. Machines full of other matches are not listed: the runner waits."""
        if not all(map(self._cluster.travels, self._bots)):
            return self._here.workers
        return self._cluster.workers if self._out or self._cluster.has_room else []

    @property
    def failure(self) -> TortugaError | None:
        """Return why nothing can be played any more."""
        return self._here.failure

    def _look(self) -> None:
        """Wake the runner: the cluster has changed, and there may be room."""
        self._finished(None)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why. The hall tells the cluster."""
        self._here.set_banned(banned)

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a worker a block."""
        if again := self._seen[job.key]:
            job = replace(job, secrets=tuple(renewed_secret(secret, again) for secret in job.secrets))
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
        """Take in a block, wherever it was played. If it is void, it gets new luck."""
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
