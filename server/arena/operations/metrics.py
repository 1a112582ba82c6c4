"""Metrics for Prometheus, where the extra `metrics` is installed. None reveals anything about a single match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from referee.errors import ConfigError
from server.arena.operations.running_arena import RunningArena
from tortuga.v1 import arena_pb2 as pb

ASK_SECONDS = 5.0

GAUGES = {
    "connected": "Remote bots that are connected",
    "reconnecting": "Remote bots whose stream broke and whose seats are kept",
    "hosted": "Hosted bots",
    "running": "Matches being played",
    "lag_millis": "Longest stall of the referee's loop within the last minute, in milliseconds",
    "answer_p50_millis": "Median answer time of the last minute, in milliseconds",
    "answer_p99_millis": "99th percentile of the answer times of the last minute, in milliseconds",
    "memory_bytes": "Memory of the server process",
    "draining": "1 while the server is stopping",
}
COUNTERS = {
    "matches": "Durable ladder matches",
    "voided": "Void matches since the start",
    "faults": "Faults of bots since the start",
}


class Collector:
    """Asks the arena each time Prometheus collects."""

    def __init__(self, arena: RunningArena) -> None:
        self._arena = arena
        self._loop = asyncio.get_running_loop()

    async def _look(self) -> tuple[pb.ServerStatus, Sequence[pb.LadderInfo]]:
        return self._arena.status(), self._arena.ladders()

    def collect(self) -> Iterable[Any]:
        """Yield all metric families. Called in a thread of Prometheus; the arena is asked in its own loop."""
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


def serve_metrics(address: str, arena: RunningArena) -> Callable[[], None]:
    """Answer Prometheus on an address. Returns a function that stops it."""
    try:
        from prometheus_client import CollectorRegistry, start_http_server
    except ImportError:
        raise ConfigError("metrics need the extra: pip install 'tortuga-arena[metrics]'") from None
    host, _, port = address.rpartition(":")
    registry = CollectorRegistry()
    registry.register(Collector(arena))
    try:
        server, thread = start_http_server(int(port), addr=host.strip("[]"), registry=registry)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(f"cannot serve metrics on {address}: {error}") from None

    def stop() -> None:
        server.shutdown()
        thread.join()
        server.server_close()  # otherwise callers would wait for an answer that never comes

    return stop
