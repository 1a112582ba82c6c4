"""Figures for Prometheus: each is there under its name, and nobody listens any more when they are stopped."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from referee.errors import ConfigError
from server.arena.operations.metrics import COUNTERS, GAUGES, Collector, serve_metrics
from support.dialling import PATIENCE_SECONDS
from tortuga.v1 import arena_pb2 as pb

pytest.importorskip("prometheus_client", reason="the extra `metrics` is not installed")


class FakeDesk:
    """Tells what it was given, and in which loop it was asked."""

    def __init__(self) -> None:
        numbers = {name: number for number, name in enumerate([*GAUGES, *COUNTERS], start=2) if name != "draining"}
        self.figures = pb.ServerStatus(draining=True, **numbers)  # type: ignore[arg-type]
        self.asked_in: list[asyncio.AbstractEventLoop] = []

    def status(self) -> pb.ServerStatus:
        """How the server is."""
        self.asked_in.append(asyncio.get_running_loop())
        return self.figures

    def ladders(self) -> list[pb.LadderInfo]:
        """Two of them."""
        return [pb.LadderInfo(name=name, matches=matches) for name, matches in (("one-2", 7), ("two-4", 0))]


async def test_every_figure_of_the_status_is_told_under_its_name() -> None:
    desk: Any = FakeDesk()

    families = await asyncio.to_thread(lambda collector: [*collector.collect()], Collector(desk))
    assert desk.asked_in == [asyncio.get_running_loop()], "Prometheus has threads of its own"
    told = {
        (sample.name, sample.labels.get("ladder", "")): sample.value for family in families for sample in family.samples
    }
    expected = {(f"tortuga_{name}", ""): float(getattr(desk.figures, name)) for name in GAUGES}
    expected |= {(f"tortuga_{name}_total", ""): float(getattr(desk.figures, name)) for name in COUNTERS}
    assert told == expected | {("tortuga_ladder_matches", "one-2"): 7.0, ("tortuga_ladder_matches", "two-4"): 0.0}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def fetch(port: int) -> bytes:
    """As Prometheus does."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as line:
        line.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        return b"".join(iter(lambda: line.recv(65536), b""))


async def test_it_answers_until_it_is_stopped_and_then_nobody_listens() -> None:
    desk: Any = FakeDesk()

    port = free_port()
    stop = serve_metrics(f"127.0.0.1:{port}", desk)
    try:
        assert b"\ntortuga_draining 1.0\n" in await asyncio.to_thread(fetch, port)
        with pytest.raises(ConfigError, match=f"serve metrics on 127.0.0.1:{port}: "):
            serve_metrics(f"127.0.0.1:{port}", desk)
    finally:
        stop()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.to_thread(fetch, port)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:99999"])
async def test_an_address_that_is_none_is_told_in_one_line(address: str) -> None:
    desk: Any = FakeDesk()

    with pytest.raises(ConfigError, match=f"cannot serve metrics on {address}: "):
        serve_metrics(address, desk)
