"""Clusters for tests: a fake one in this process, and what real ones need."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from server.bots.kits import on_ci
from server.cluster.messages import PLUGIN, BlockReport, MachineFacts, pack_facts, pack_report, pack_words, unpack
from server.play.block_jobs import BlockJob
from support.certificates import need_openssl
from support.chaos import is_alive
from support.events import play_job


def need_dask() -> None:
    """Leave the tests of a module out where Dask or openssl is not installed, and say so."""
    if importlib.util.find_spec("distributed") is None:
        if on_ci():
            pytest.fail("Dask is not installed, and CI has to try clusters", pytrace=False)
        pytest.skip("Dask is not installed (the extra `cluster`): clusters are not tried", allow_module_level=True)
    need_openssl()


class FakeFuture:
    """What Dask gives for a task."""

    def __init__(self, key: str, work: Awaitable[Any]) -> None:
        self.key = key
        self.released = False
        self.answer = asyncio.ensure_future(work)

    def release(self) -> None:
        """Nobody waits for it any more."""
        self.released = True

    def __await__(self) -> Any:
        return asyncio.shield(self.answer).__await__()

    async def exception(self) -> BaseException | None:
        """What the task raised, once it has ended."""
        await asyncio.wait([self.answer])
        return self.answer.exception()


Play = Callable[[str, BlockJob], Awaitable[BlockReport]]


async def play_well(address: str, job: BlockJob) -> BlockReport:
    """How a machine plays that nothing happens to."""
    await asyncio.sleep(0.001)
    return BlockReport(result=await play_job(job), tables=4)


class FakeCluster:
    """A scheduler and its machines in this process; stands for Dask's client."""

    def __init__(self, *addresses: str, play: Play = play_well, **facts: MachineFacts) -> None:
        self.status = "running"
        self.scheduler = self
        self.scheduler_comm = object()
        self.id = "one"
        self.play = play
        self.facts = facts
        self.foreign: dict[str, str] = {}
        """Why machines cannot play the bots that they are sent."""
        self.present: dict[str, dict[str, Any]] = {}
        self.submitted: list[tuple[str, dict[str, Any]]] = []
        """Every task by its key, with how it was submitted."""
        self.jobs: list[tuple[str, BlockJob]] = []
        """Every block that was given out, with the address."""
        self.in_hand: Counter[str] = Counter()
        self.most_in_hand: Counter[str] = Counter()
        self.closed = False
        for address in addresses:
            self.join(address)

    def join(self, address: str) -> None:
        """A machine comes."""
        self.present[address] = {"status": "running", "nthreads": 256, "metrics": {}}

    def leave(self, address: str) -> None:
        """A machine goes without a word."""
        del self.present[address]

    def say(self, address: str, run: str, state: str, reason: str = "") -> None:
        """A machine says of itself, with its heartbeat, how it is."""
        self.present[address]["metrics"][PLUGIN] = {"run": run, "state": state, "reason": reason, "tables": 0}

    async def identity(self, n_workers: int) -> dict[str, Any]:
        """As Dask's scheduler."""
        return {"id": self.id, "workers": {name: dict(what) for name, what in self.present.items()}}

    def subscribe_topic(self, topic: str, handler: Callable[[tuple[float, tuple[str, bytes, bytes]]], None]) -> None:
        """As Dask's client."""
        self.report = handler

    def submit(self, work: Any, *arguments: Any, **how: Any) -> FakeFuture:
        """As Dask's client."""
        (address,), (_, key, ticket, *arguments_of_work) = how["workers"], arguments
        assert how["key"] == key
        assert key not in [one for one, _ in self.submitted], "Dask takes two tasks with one key for the same"
        self.submitted.append((key, how))
        match work.__name__:
            case "open_machine":
                answer = self._open(address)
            case "play_block":
                answer = self._play(address, unpack(arguments_of_work[0]))
            case "take_bundle":
                answer = self._take_bundle(address)
            case _:
                answer = asyncio.sleep(0, pack_words(""))
        return FakeFuture(key, self._answer(key, ticket, answer))

    async def _answer(self, key: str, ticket: bytes, answer: Awaitable[bytes]) -> None:
        self.report((0.0, (key, ticket, await answer)))

    async def _take_bundle(self, address: str) -> bytes:
        return pack_words(self.foreign.get(address, ""))

    async def _open(self, address: str) -> bytes:
        default = MachineFacts(host=address, cores=2, tables=4, speed=100.0, busy_speed=100.0)
        return pack_facts(self.facts.get(address, default))

    async def _play(self, address: str, job: BlockJob) -> bytes:
        self.jobs.append((address, job))
        self.in_hand[address] += 1
        self.most_in_hand[address] = max(self.most_in_hand[address], self.in_hand[address])
        try:
            return pack_report(await self.play(address, job))
        finally:
            self.in_hand[address] -= 1

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 - Dask's own
        """As Dask's client."""
        self.closed = True


def processes_of(pids: set[int]) -> set[int]:
    """The processes that workers with these process ids have started, by the names of their private folders."""
    needles = [f"tortuga-m{pid}_".encode() for pid in pids]
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                if any(needle in text for needle in needles) and is_alive(int(entry.name)):
                    found.add(int(entry.name))
    return found
