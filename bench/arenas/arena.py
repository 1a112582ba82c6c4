"""`tortuga bench --arena`: an arena under load: hundreds of remote bots are connected, dozens of matches run at once.

Two phases in one arena: two matches at a time first, then as many as asked for; what one match costs the server in the
second, as a ratio of the first, says whether it keeps up.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import grpc

from bench.processes import cpu_seconds, sigterm_held, wait_or_kill
from referee.errors import ConfigError, TortugaError
from server.arena.config import FILE, ArenaConfig, default_config, write_text
from server.arena.keys import read_admin_key
from server.cli.common.arena_client import with_admin_key
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

FLEETS = 4
START_SECONDS = 60.0
SAMPLE_SECONDS = 1.0
END_SECONDS = 30.0
"""How long a process may take to end before it is killed; an arena may drain first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """What was measured while that many matches ran at once."""

    tables: int
    seconds: float
    connected: int
    most_running: int
    matches: int
    voided: int
    faults: int
    cpu_millis_per_match: float
    worst_lag_millis: float
    answer_p50_millis: float
    answer_p99_millis: float
    memory_mib_first: float
    memory_mib_last: float


class ArenaProcess:
    """A real `tortuga serve` in a folder, and its organiser's door."""

    def __init__(self, directory: Path, config: ArenaConfig, *, web: str = "") -> None:
        """Take the address of its pages, `web`. Empty: it has none."""
        self.directory = directory
        self._config = config
        directory.mkdir(parents=True, exist_ok=True)
        (directory / FILE).write_text(write_text(replace(config, listen="127.0.0.1:0", public="127.0.0.1:0", web=web)))

    @contextmanager
    def run(self) -> Iterator[ArenaProcess]:
        """Start the server, and stop it at the end of the `with` block."""
        with ExitStack() as stack:
            with (self.directory / "server.log").open("ab") as log, sigterm_held():
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "server", "serve", str(self.directory)], stdout=log, stderr=log
                )
                stack.push(self._stop)
            socket = stack.enter_context(grpc.insecure_channel(f"unix:{self.directory / self._config.admin}"))
            self._wait(lambda: read_admin_key(self.directory))
            channel = with_admin_key(socket, read_admin_key(self.directory))
            self.admin: Any = arena_pb2_grpc.ArenaAdminStub(channel)
            self.api: Any = arena_pb2_grpc.ArenaStub(channel)
            self._wait(self.status)
            self.address = self.status().bots_address
            yield self

    def _stop(self, error: type[BaseException] | None, *_: object) -> None:
        """Stop the server. After an error it does not finish its matches: two signals stop it at once."""
        with sigterm_held():
            if error is not None:
                self.process.send_signal(signal.SIGINT)
            self.process.send_signal(signal.SIGTERM)
            wait_or_kill(self.process, self._config.drain_seconds + END_SECONDS)

    def _wait(self, succeeds: Callable[[], object]) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            try:
                succeeds()
                return
            except (grpc.RpcError, ConfigError):
                time.sleep(0.1)
        raise TortugaError(f"the arena did not start: {(self.directory / 'server.log').read_text()[-2000:]}")

    def status(self) -> pb.ServerStatus:
        """Return the server's own status report."""
        return self.admin.GetStatus(pb.GetStatusRequest(), timeout=30)  # type: ignore[no-any-return]

    def add_bots(self, names: Sequence[str]) -> dict[str, str]:
        """Add remote bots and return their tokens."""
        return {name: self.admin.AddBot(pb.AddBotRequest(name=name)).token for name in names}

    def cpu_seconds(self) -> float:
        """Return the processor time that the server has used."""
        return cpu_seconds(self.process.pid)


@contextmanager
def fleet(address: str, bots: Sequence[dict[str, Any]], folder: Path, processes: int = FLEETS) -> Iterator[None]:
    """Run these bots in a few processes that dial the arena."""
    started = []
    try:
        for number in range(processes):
            path = folder / f"fleet{number}.jsonl"
            path.write_text("".join(f"{json.dumps(bot)}\n" for bot in bots[number::processes]))
            path.chmod(0o600)
            command = [sys.executable, "-m", "bench.arenas.fleet", address, str(path)]
            with sigterm_held():
                started.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        yield
    finally:
        with sigterm_held():
            for process in started:
                assert process.stdin is not None
                process.stdin.close()
            for process in started:
                wait_or_kill(process, END_SECONDS)


def measure_phase(arena: ArenaProcess, tables: int, seconds: float) -> Phase:
    """Measure a running arena for that long."""
    before, cpu, began = arena.status(), arena.cpu_seconds(), time.monotonic()
    samples = [before]
    while time.monotonic() < began + seconds:
        time.sleep(SAMPLE_SECONDS)
        samples.append(arena.status())
    after, spent = samples[-1], time.monotonic() - began
    matches = after.matches - before.matches
    return Phase(
        tables=tables,
        seconds=spent,
        connected=min(sample.connected for sample in samples),
        most_running=max(sample.running for sample in samples),
        matches=matches,
        voided=after.voided - before.voided,
        faults=after.faults - before.faults,
        cpu_millis_per_match=1000 * (arena.cpu_seconds() - cpu) / max(1, matches),
        worst_lag_millis=max(sample.lag_millis for sample in samples),
        answer_p50_millis=after.answer_p50_millis,
        answer_p99_millis=max(sample.answer_p99_millis for sample in samples),
        memory_mib_first=before.memory_bytes / 2**20,
        memory_mib_last=after.memory_bytes / 2**20,
    )


def measure_arena(bots: int, tables: int, seconds: float) -> dict[str, Any]:
    """Measure both phases, and the ratio of what a match costs in them."""
    phases = []
    with tempfile.TemporaryDirectory(prefix="tortuga-bench-") as name:
        folder = Path(name)
        tokens: dict[str, str] = {}
        for count, phase_seconds in ((2, max(10.0, seconds / 5)), (tables, seconds)):
            config = replace(default_config(), matches_at_once=count, matches_per_bot=1, rest_seconds=0.0)
            with ArenaProcess(folder / "arena", config).run() as arena:
                tokens = tokens or arena.add_bots([f"bot{number}" for number in range(bots)])
                fleet_bots = [{"name": bot, "token": token, "games": ()} for bot, token in tokens.items()]
                with fleet(arena.address, fleet_bots, folder):
                    while arena.status().connected < bots:
                        time.sleep(0.2)
                    time.sleep(5.0)  # past the rush of the beginning
                    phases.append(measure_phase(arena, count, phase_seconds))
    ratio = phases[1].cpu_millis_per_match / max(1e-9, phases[0].cpu_millis_per_match)
    return {"phases": [asdict(phase) for phase in phases], "cost_ratio": ratio}
