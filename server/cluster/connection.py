"""Our connection to a cluster: tasks go out, each to one machine and tried once; answers come back as bytes.

Dask could bring results of tasks itself, but only as pickles. So a machine answers with an event of the run, which
carries plain values, and repeats the ticket that only the machine was given: no other one can answer in its place.
An answer arrives before the end of its task.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from distributed.client import FutureCancelledError

from referee.errors import TortugaError
from server.cluster.messages import Answer, read_answer, reports_topic
from server.cluster.settings import CONNECT_SECONDS, Certificates, connect

TICKET_BYTES = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineTask:
    """A task that a machine was given."""

    key: str
    future: Any


class NoAnswer(TortugaError):
    """A task ended without an answer; the text says why."""


class Connection:
    """A client of Dask's scheduler, for one run. All that it reads is plain (plain_dask.py)."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._client: Any = None
        self._stream: Any = None
        """The client's connection. After a new one Dask knows nothing of us: machines, blocks and reports are gone."""
        self._scheduler_id = ""
        self._numbers = itertools.count()
        self._tickets: dict[str, bytes] = {}
        """Of tasks that Dask has and whose end we wait for, by key."""
        self._answers: dict[str, bytes] = {}
        self._ended: list[Any] = []
        """Futures of tasks that are over: let go together with the next task, in one message."""

    async def open(self, address: str, certificates: Certificates) -> None:
        """Reach the scheduler."""
        self._client = await connect(address, certificates, name=f"tortuga-{self._run}")
        self._client.subscribe_topic(reports_topic(self._run), self._take)
        self._stream = self._client.scheduler_comm
        self._scheduler_id = (await self._client.scheduler.identity(n_workers=0))["id"]

    @property
    def is_open(self) -> bool:
        """Check whether the connection is the one we began with: Dask's client makes another one without a word."""
        return (
            self._client is not None
            and self._client.status == "running"
            and self._client.scheduler_comm is self._stream
        )

    async def read_workers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what the scheduler knows of the machines, by address. Raises OSError if it is another one."""
        if not self.is_open:
            raise OSError("the connection was lost")
        cluster = await self._client.scheduler.identity(n_workers=-1)
        if cluster["id"] != self._scheduler_id:
            raise OSError("another one has taken its place")
        workers: Mapping[str, Mapping[str, Any]] = cluster["workers"]
        self.release_ended()
        return workers

    def begin(self, kind: str, address: str, work: Any, *arguments: Any) -> MachineTask:
        """Give a machine a task. The work gets the run, the task's key and its ticket before its own arguments."""
        self.release_ended()
        key, ticket = f"{kind}-{self._run}-{next(self._numbers)}", os.urandom(TICKET_BYTES)
        self._tickets[key] = ticket
        future = self._client.submit(
            work,
            *(self._run, key, ticket, *arguments),
            key=key,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        return MachineTask(key=key, future=future)

    async def finish(self, task: MachineTask) -> bytes:
        """Wait for the end of a task; return its answer. Its machine keeps it until it is dropped."""
        try:
            error = await task.future.exception()
            answer = self._answers.get(task.key)
        finally:
            self.forget(task)
        if answer is not None:
            return answer
        raise NoAnswer(failure_words(error) if error else "it gave no answer")

    def forget(self, task: MachineTask) -> None:
        """Listen no more to a task."""
        self._tickets.pop(task.key, None)
        self._answers.pop(task.key, None)

    def drop(self, task: MachineTask) -> None:
        """Let Dask forget a task."""
        self.forget(task)
        self._ended.append(task.future)

    async def ask(self, kind: str, address: str, work: Any, *arguments: Any) -> bytes:
        """Give a machine a task, and return its answer."""
        task = self.begin(kind, address, work, *arguments)
        try:
            return await self.finish(task)
        finally:
            self.drop(task)

    def _take(self, event: object) -> None:
        """Take in an answer. Nobody listens to one that nobody waits for, or that has not the task's ticket."""
        answer = read_answer(event)
        if isinstance(answer, Answer) and self._tickets.get(answer.key) == answer.ticket:
            self._answers[answer.key] = answer.content

    def release_ended(self) -> None:
        """Let Dask forget the tasks that are over."""
        for future in self._ended:
            future.release()
        self._ended.clear()

    async def close(self) -> None:
        """Leave the cluster: machines notice it, and end what they play for us."""
        if self._client is not None:
            await self._client.close(timeout=CONNECT_SECONDS)
            self._client = None


def failure_words(error: BaseException) -> str:
    """Say how a task ended that has failed. Why is in a pickle, which is not read (plain_dask.py)."""
    if isinstance(error, FutureCancelledError):
        return "the scheduler has forgotten it"
    return "it failed there, or its worker ended: the worker's own log says more"
