"""(c) An event of many short matches between real bot processes: its rate and memory by the thousand."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import uvloop

from bench.bare_server import YARDSTICK
from bench.ladders import ShowLadders, measure_reads
from bench.processes import cpu_seconds, resident_bytes
from bench.referee import SHORT_GAME, SHORT_VARIANT
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement
from server.tournament.event import run_event
from server.tournament.folder import Folder
from server.tournament.listener import Listener
from server.tournament.manifest import make_manifest, write_text
from server.tournament.runner import Ending
from server.tournament.status import read_status

BOTS, PART = 4, 1000


class Meter(Listener):
    """Takes a mark after every thousand matches."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Take the first mark: nothing is played yet."""
        self.marks.append(Mark.take(0))

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Take a mark when another part is done."""
        if done % PART == 0 or (done == planned and done < PART):
            self.marks.append(Mark.take(done))


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """Time and memory at one moment of an event."""

    matches: int
    seconds: float
    parent_cpu_seconds: float
    parent_bytes: int
    workers: Mapping[int, tuple[float, int]]
    """By pid: processor time and memory."""

    @classmethod
    def take(cls, matches: int) -> Self:
        """Mark this moment."""
        return cls(
            matches=matches,
            seconds=time.perf_counter(),
            parent_cpu_seconds=time.process_time(),
            parent_bytes=resident_bytes(),
            workers={pid: (cpu_seconds(pid), resident_bytes(pid)) for pid in worker_pids()},
        )


def worker_pids() -> list[int]:
    """Return the children of this process that play."""
    pids = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            with suppress(OSError):
                if b"server.play.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    pids.append(int(pid))
    return sorted(pids)


def measure_event(matches: int, show_ladders: ShowLadders) -> dict[str, Any]:
    """Measure short matches between real bots, in an event like any other."""
    per_round = BOTS * (BOTS - 1)
    manifest = make_manifest(
        {
            "name": "scale",
            "seed": "scale",
            "rounds": math.ceil(matches / per_round),
            "games": [{"id": SHORT_GAME, "variant": SHORT_VARIANT}],
            "bots": [{"spec": YARDSTICK, "name": f"{YARDSTICK}-{number}"} for number in range(BOTS)],
        }
    )
    meter = Meter()
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = Folder(Path(path))
        folder.manifest.write_text(write_text(manifest))
        ending = uvloop.run(run_event(folder, meter))
        status = read_status(folder)
        reads = measure_reads(folder, show_ladders)
    return {
        "finished": ending is Ending.FINISHED,
        "matches": status.matches_done,
        "faults": status.faults,
        "void": status.void,
        "reads": reads,
        "parts": [compare(before, after) for before, after in pairwise(meter.marks)],
    }


def compare(before: Mark, after: Mark) -> dict[str, Any]:
    """Return what the matches between two moments took."""
    count = after.matches - before.matches
    workers = sum(cpu - before.workers.get(pid, (0.0, 0))[0] for pid, (cpu, _) in after.workers.items())
    return {
        "matches": after.matches,
        "matches_per_second": count / (after.seconds - before.seconds),
        "parent_cpu_millis_per_match": 1e3 * (after.parent_cpu_seconds - before.parent_cpu_seconds) / count,
        "worker_cpu_millis_per_match": 1e3 * workers / count,
        "parent_bytes": after.parent_bytes,
        "worker_bytes": [memory for _, memory in after.workers.values()],
    }
