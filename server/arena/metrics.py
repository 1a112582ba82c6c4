"""Figures for Prometheus, where the extra `metrics` is installed. No figure tells anything of one match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from referee.errors import ConfigError
from server.arena.running_arena import RunningArena
from tortuga.v1 import arena_pb2 as pb

ASK_SECONDS = 5.0

GAUGES = {
    "connected": "Remote bots that are connected",
    "reconnecting": "Remote bots whose seats are kept for a moment",
    "hosted": "Bots that the server starts",
    "running": "Matches that are being played",
    "lag_millis": "Longest hold-up of the referee's loop within the last minute, in milliseconds",
    "answer_p50_millis": "Half of all answers of the last minute came within so many milliseconds",
    "answer_p99_millis": "99 of 100 did",
    "memory_bytes": "Memory of the server process",
    "draining": "1 while the server is stopping",
}
COUNTERS = {
    "matches": "Ladder matches that are durable",
    "voided": "Matches that were void since the start",
    "faults": "Faults of bots since the start",
}


class Collector:
    """Asks the desk each time Prometheus looks."""

    def __init__(self, desk: RunningArena) -> None:
        self._desk = desk
        self._loop = asyncio.get_running_loop()

    async def _look(self) -> tuple[pb.ServerStatus, Sequence[pb.LadderInfo]]:
        return self._desk.status(), self._desk.ladders()

    def collect(self) -> Iterable[Any]:
        """All families. Called in a thread of Prometheus' own; the desk is asked in its loop."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        status, ladders = asyncio.run_coroutine_threadsafe(self._look(), self._loop).result(ASK_SECONDS)
        for name, meaning in GAUGES.items():
            yield GaugeMetricFamily(f"tortuga_{name}", meaning, value=float(getattr(status, name)))
        for name, meaning in COUNTERS.items():
            yield CounterMetricFamily(f"tortuga_{name}", meaning, value=float(getattr(status, name)))
        matches = GaugeMetricFamily("tortuga_ladder_matches", "Matches that count, by ladder", labels=["ladder"])
        for ladder in ladders:
            matches.add_metric([ladder.name], float(ladder.matches))
        yield matches


def serve_metrics(address: str, desk: RunningArena) -> Callable[[], None]:
    """Answer Prometheus on an address; gives what stops it."""
    try:
        from prometheus_client import CollectorRegistry, start_http_server
    except ImportError:
        raise ConfigError("metrics need the extra: pip install 'tortuga-arena[metrics]'") from None
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry()
    registry.register(Collector(desk))
    try:
        server, thread = start_http_server(int(port), addr=host.strip("[]"), registry=registry)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(f"cannot serve metrics on {address}: {error}") from None

    def stop() -> None:
        server.shutdown()
        thread.join()
        server.server_close()  # or callers would be left waiting at a door that nobody keeps

    return stop
