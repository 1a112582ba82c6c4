"""A machine in its Dask worker, which is faked: it passes from run to run."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.clusters import need_dask

need_dask()

from server.cluster import machine as machine_module  # noqa: E402 - what follows needs Dask
from server.cluster.machine import Machine, open_machine  # noqa: E402
from server.cluster.messages import MachineOrder, pack, read_facts  # noqa: E402
from server.jail.limits import ResourceLimits  # noqa: E402


class FakeWorker:
    """Dask's worker, as far as a machine knows it."""

    def __init__(self) -> None:
        self.plugins: dict[str, Machine] = {}
        self.metrics: dict[str, Any] = {}
        self.state = SimpleNamespace(tasks={})
        self.told: list[tuple[str, Any]] = []

    def log_event(self, topic: str, message: Any) -> None:
        """As Dask's worker."""
        self.told.append((topic, message))

    async def plugin_add(self, plugin: Machine, name: str) -> None:
        """As Dask's worker."""
        self.plugins[name] = plugin
        await plugin.setup(self)  # type: ignore[arg-type]

    async def plugin_remove(self, name: str) -> None:
        """As Dask's worker."""
        await self.plugins.pop(name).teardown(self)  # type: ignore[arg-type]


class SlowPool:
    """A pool that takes a while to end."""

    failure = None
    machine = SimpleNamespace(processes=[])

    def __init__(self, said: list[str]) -> None:
        self._said = said
        said.append("opened")

    async def close(self) -> None:
        """End its processes."""
        await asyncio.sleep(0.2)
        self._said.append("closed")


def test_the_next_run_gets_a_machine_when_the_last_one_is_over_and_sigterm_is_dasks_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    worker, handler = FakeWorker(), signal.getsignal(signal.SIGTERM)
    said: list[str] = []

    async def start(machine: Machine) -> None:
        machine._pool = SlowPool(said)  # type: ignore[assignment]

    async def speed(cores: int) -> tuple[float, float]:
        return 100.0, 100.0

    async def opened(run: str) -> None:
        order = MachineOrder(
            run=run, event=run, level="none", limits=ResourceLimits(), concurrency=0, pin=False, games=()
        )
        worker.state.tasks[run] = SimpleNamespace(state="executing")
        await open_machine("r", run, b"ticket", {}, pack(order))
        (_, (key, ticket, content)) = worker.told[-1]
        assert (key, ticket, read_facts(content).refusal) == (run, b"ticket", "")

    async def two_runs() -> None:
        await opened("one")
        second = asyncio.create_task(opened("two"))
        await asyncio.sleep(0.05)
        del worker.state.tasks["one"]
        await second
        await asyncio.sleep(0.3)
        del worker.state.tasks["two"]
        async with asyncio.timeout(10):
            while len(said) < 4:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)

    monkeypatch.setattr(machine_module, "get_worker", lambda: worker)
    monkeypatch.setattr(machine_module, "measured_speed", speed)
    monkeypatch.setattr(machine_module, "WATCH_SECONDS", 0.01)
    monkeypatch.setattr(Machine, "_start", start)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        asyncio.run(two_runs())
        assert said == ["opened", "closed", "opened", "closed"]
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, handler)


def test_a_machine_that_cannot_get_ready_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def speed(cores: int) -> tuple[float, float]:
        raise OSError("no space left")

    monkeypatch.setattr(machine_module, "measured_speed", speed)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    order = MachineOrder(run="r", event="e", level="none", limits=ResourceLimits(), concurrency=0, pin=False, games=())
    machine, handler = Machine(order, "opening"), signal.getsignal(signal.SIGTERM)
    try:
        asyncio.run(machine.setup(FakeWorker()))  # type: ignore[arg-type]
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert "OSError('no space left')" in machine.facts.refusal
