"""Plays the blocks of an event at the arena's tables, where remote bots are connected and spectators can watch."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import Any

from referee.match import clock
from server.arena.ladders.hall import Hall
from server.hosting.cores import core_count
from server.play.block_jobs import BlockJob, BlockResult
from server.play.pool import Pool, Worker
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.system.logs import get_logger

TABLES_PER_CORE = 4
"""Matches at once of an event whose manifest leaves it open."""

log = get_logger()


class EventPool(Pool):
    """Plays the blocks of an event at the tables of the hall, as one worker that is not a separate process."""

    def __init__(self, hall: Hall, name: str, patient_until: float, **keys: Any) -> None:
        super().__init__(**keys)
        self._patient_until = patient_until
        self._hall = hall
        self._name = name
        self._room = keys["concurrency"] or TABLES_PER_CORE * core_count()
        self._free = asyncio.Semaphore(self._room)

    async def start(self) -> None:
        """Make the worker."""
        self.workers = [Worker(self._room)]

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Play a block. Its result comes through `finished`.

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

    async def close(self) -> None:
        """Abandon what is being played."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
