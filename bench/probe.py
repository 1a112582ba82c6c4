"""A probe: a process that measures rows in one checkout, one request after the other.

The bench that is run brings its own measuring code: a probe in another checkout imports `bench` from here, and
everything that is measured (referee, games, hosting, tournaments, sample bots) from there. So both sides are measured
by the same instrument, and an older checkout can be compared by rows it does not know itself. A checkout from before
the bench left `server/` is measured by its own probe instead (`START_OLD`).

`Probe` is the side that asks; `main` is the process. They speak JSON lines: a Task in, figures and the CPU time of the
fixed workload (workload.py) out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.processes import wait_or_kill
from bench.rows import Figures, Task, find_row
from referee.errors import ConfigError, TortugaError

STOP_SECONDS = 20.0

START = """
import sys, types
sys.modules["bench"] = bench = types.ModuleType("bench")
bench.__path__ = [sys.argv[1]]
from bench.probe import main
main()
"""
START_OLD = """
from server.bench.probe import main
main()
"""
"""Starts a checkout's own probe, where the bench is still in `server/bench`: most of what our rows import has another
place there. Its rows, and what a request and an answer are, were the same when the bench moved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One measurement, and what the fixed workload took around it."""

    figures: Figures
    workload_cpu_seconds: float


class RowFailed(TortugaError):
    """A row could not be measured in this checkout."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with Tortuga and the Python that runs it."""

    folder: Path
    python: Path

    @classmethod
    def ours(cls) -> Checkout:
        """Return the one this command runs in."""
        return cls(Path(__file__).parents[1], Path(sys.executable))

    @classmethod
    def at(cls, folder: Path) -> Checkout:
        """Return another one, which must have an environment of its own."""
        folder = folder.absolute()
        python = folder / ".venv" / "bin" / "python"
        if not (folder / "server").is_dir() or not python.exists():
            raise ConfigError(f"{folder} is not a checkout of Tortuga with a .venv: run `make install` there")
        return cls(folder, python)

    @property
    def start(self) -> str:
        """Return the program that starts a probe here. A checkout with a bench of its own must have our workload."""
        theirs = self.folder / "server" / "bench" / "workload.py"
        if not theirs.exists():
            return START
        if theirs.read_bytes() != Path(__file__).with_name("workload.py").read_bytes():
            raise ConfigError(f"{theirs} is another workload than ours: figures divided by it cannot be compared")
        return START_OLD

    @contextmanager
    def probe(self, core: int | None = None) -> Iterator[Probe]:
        """Yield a probe of this checkout, on one core if wanted."""
        on_core = "" if core is None else str(core)
        command = [str(self.python), "-P", "-c", self.start, str(Path(__file__).parent), on_core]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder
        ) as process:
            try:
                probe = Probe(self, process)
                probe.check()
                yield probe
            finally:
                assert process.stdin is not None
                process.stdin.close()  # which ends it
                wait_or_kill(process, STOP_SECONDS)


class Probe:
    """A running probe, seen from the bench."""

    def __init__(self, checkout: Checkout, process: subprocess.Popen[str]) -> None:
        self._checkout = checkout
        self._process = process

    def check(self) -> None:
        """Refuse an environment that runs the code of another folder."""
        folder = Path(self._read()["folder"])
        if folder.resolve() != self._checkout.folder.resolve():
            raise ConfigError(f"{self._checkout.python} runs the code in {folder}: run `make install` in its checkout")

    def measure(self, task: Task) -> Sample:
        """Measure one row. Raises RowFailed if it cannot be measured there."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(asdict(task))}\n")
        self._process.stdin.flush()
        answer = self._read()
        if failed := answer.get("failed"):
            raise RowFailed(f"{self._checkout.folder}: row {task.row}, {task.game}: {failed}")
        return Sample(**answer)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise TortugaError(f"{self._checkout.folder}: the probe ended with code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


async def measure(task: Task) -> dict[str, Any]:
    """Take one measurement between two runs of the fixed workload."""
    from bench.workload import run_workload

    row = find_row(task.row).load()
    before = run_workload()
    figures = await row(task)
    return asdict(Sample(figures=figures, workload_cpu_seconds=(before + run_workload()) / 2))


async def serve(out: int) -> None:
    """Answer one request after the other. Nothing else runs meanwhile, so the loop may wait for stdin."""
    import server

    def answer(content: dict[str, Any]) -> None:
        os.write(out, json.dumps(content).encode() + b"\n")

    answer({"folder": str(Path(server.__file__).parents[1])})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer(await measure(Task(**{**request, "cores": tuple(request["cores"])})))
        except Exception as error:  # the checkout may be older or newer than this row
            answer({"failed": f"{type(error).__name__}: {error}"})


def main() -> None:
    """Run the probe's process: `START` calls this, with the core to run on as the last argument."""
    import uvloop

    from server.hosting.cores import pin_to_core
    from server.hosting.memory import limit_gc_pauses
    from server.system import logs

    # What a library prints must not get between our lines.
    out = os.dup(1)
    os.dup2(2, 1)
    if core := sys.argv[2]:
        pin_to_core(int(core))
    logs.configure(verbose=False)
    limit_gc_pauses()  # as in the worker of an event
    with suppress(KeyboardInterrupt):
        uvloop.run(serve(out))  # one loop for all rows: grpc.aio does not survive a second one
