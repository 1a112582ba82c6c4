"""`tortuga bench --web`: do readers make matches late? An arena with 16 matches at once, without and with a crowd.

The crowd (web_load.py) is on one core, everything else on another: the arena, its pages and the bots. Bots think for
some milliseconds, so a match takes as long as one between real bots; their answers are measured beyond that.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.arenas.arena import ArenaProcess, fleet
from bench.processes import cpu_seconds, sigterm_held, wait_or_kill
from referee.errors import TortugaError
from server.arena.config import default_config
from tortuga.v1 import arena_pb2 as pb

THINK_SECONDS = 0.1
"""A match lasts half a minute then. Readers of shorter ones would spend their time looking for the next one."""
BOTS = 24
WEB_TABLES = 16
"""Matches at once."""
PROBE_SECONDS = 60.0
"""The arena tells its answer times of the last minute: a phase has to be longer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WebPhase:
    """What the matches were like, without readers or with them."""

    seconds: float
    matches: int
    voided: int
    faults: int
    most_running: int
    answer_p50_millis: float
    """Beyond the bots' own thinking, as is the next."""
    answer_p99_millis: float
    worst_lag_millis: float
    arena_mib_first: float
    arena_mib_last: float
    web_mib_first: float
    web_mib_last: float
    arena_cores: float
    web_cores: float


def measure_web(readers: int, pages_per_second: float, tables: int, minutes: float) -> dict[str, Any]:
    """Measure both phases; return them with the readers' report and the ratio of the slowest answers."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise TortugaError("--web needs two cores: one for the readers, one for all the rest")
    with tempfile.TemporaryDirectory(prefix="tortuga-bench-") as name, pinned({cores[1]}):
        folder = Path(name)
        config = replace(
            default_config(), matches_at_once=tables, matches_per_bot=2, rest_seconds=0.5, suspend_faults=0
        )
        with ArenaProcess(folder / "arena", config, web="127.0.0.1:0").run() as arena:
            tokens = arena.add_bots([f"bot{number}" for number in range(BOTS)])
            fleet_bots = [
                {"name": bot, "token": token, "games": (), "slots": 2, "think_seconds": THINK_SECONDS}
                for bot, token in tokens.items()
            ]
            with fleet(arena.address, fleet_bots, folder, processes=2):
                while arena.status().running < tables:
                    time.sleep(0.2)
                time.sleep(5.0)
                quiet = measure(arena, 60.0 * min(minutes, 2.0))
                with crowd(folder, readers, pages_per_second, cores[0]) as reports:
                    busy = measure(arena, 60.0 * minutes)
    return {
        "tables": tables,
        "readers": readers,
        "pages_per_second": pages_per_second,
        "without": asdict(quiet),
        "with": asdict(busy),
        "answer_ratio": busy.answer_p99_millis / max(0.001, quiet.answer_p99_millis),
        "load": reports[0],
    }


@contextmanager
def pinned(cores: set[int]) -> Iterator[None]:
    """Pin this process, and all that it starts meanwhile, to these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def crowd(folder: Path, readers: int, pages_per_second: float, core: int) -> Iterator[list[dict[str, Any]]]:
    """Run readers of the pages for the `with` block; their report is there at its end."""
    address = pages_address(folder)
    command = [sys.executable, "-m", "bench.arenas.web_load", address, str(readers), str(pages_per_second), str(core)]
    reports: list[dict[str, Any]] = []
    with ExitStack() as stack:
        with sigterm_held():
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            stack.callback(wait_or_kill, process, 0.0)
        assert process.stdout is not None
        if process.stdout.readline().strip() != "reading":
            raise TortugaError("the readers could not begin: the pages did not answer")
        yield reports
        output, _ = process.communicate(input="")
        reports.append(json.loads(output))


def pages_address(folder: Path) -> str:
    """Return where the pages are, as the arena says."""
    log = (folder / "arena" / "server.log").read_text()
    addresses = re.findall(r"  web      http://(\S+)/\n", log)
    if not addresses:
        raise TortugaError(f"the arena has no pages: {log[-1000:]}")
    return str(addresses[-1])


def measure(arena: ArenaProcess, seconds: float) -> WebPhase:
    """Measure a running arena for that long."""
    web = web_process(arena.process.pid)
    before, began = arena.status(), time.monotonic()
    first = cpu_seconds(arena.process.pid), cpu_seconds(web)
    memory = mebibytes(arena.process.pid), mebibytes(web)
    samples: list[pb.ServerStatus] = []
    while (passed := time.monotonic() - began) < seconds:
        time.sleep(min(1.0, seconds - passed))
        samples.append(arena.status())
        if passed < PROBE_SECONDS <= passed + 1.0:  # after a minute: the rest is growth
            memory = mebibytes(arena.process.pid), mebibytes(web)
    after, spent = samples[-1], time.monotonic() - began
    settled = samples[int(PROBE_SECONDS) :] or samples[-1:]
    think = 1000 * THINK_SECONDS
    return WebPhase(
        seconds=spent,
        matches=after.matches - before.matches,
        voided=after.voided - before.voided,
        faults=after.faults - before.faults,
        most_running=max(sample.running for sample in samples),
        answer_p50_millis=median([sample.answer_p50_millis for sample in settled]) - think,
        answer_p99_millis=median([sample.answer_p99_millis for sample in settled]) - think,
        worst_lag_millis=max(sample.lag_millis for sample in samples),
        arena_mib_first=memory[0],
        arena_mib_last=mebibytes(arena.process.pid),
        web_mib_first=memory[1],
        web_mib_last=mebibytes(web),
        arena_cores=(cpu_seconds(arena.process.pid) - first[0]) / spent,
        web_cores=(cpu_seconds(web) - first[1]) / spent,
    )


def median(values: list[float]) -> float:
    """Return the middle one."""
    return sorted(values)[len(values) // 2]


def web_process(arena: int) -> int:
    """Return the process of the pages that an arena started."""
    for path in Path("/proc").iterdir():
        try:
            if not path.name.isdecimal() or int((path / "stat").read_text().rpartition(")")[2].split()[1]) != arena:
                continue
            if b"--inherited" in (path / "cmdline").read_bytes().split(b"\0"):
                return int(path.name)
        except OSError:
            continue
    raise TortugaError("the process of the pages is not running")


def mebibytes(pid: int) -> float:
    """Return the memory that a process uses."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
