"""(g) A whole event, as a user runs it: `tortuga tournament run` in a temporary folder, on all cores or on one.

What it costs is read from outside, process by process: the parent, the workers, the keepers of the bots, the bots.
Start-up ends when the first match starts, and the last match ends what is counted as play.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bench.processes import cpu_seconds
from bench.rows import Figures, Task
from referee.errors import TortugaError
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.store import Store

BOTS = ("random", "bare")
ROUNDS = 100
"""To play per second of a task. A round is two matches. So many that filling and emptying the tables counts little."""

SAMPLE_SECONDS = 0.1

CONFINED = """
import os, sys
os.sched_setaffinity(0, [int(core) for core in sys.argv[1].split(",")])
os.execv(sys.argv[2], sys.argv[2:])
"""

KINDS = ("parent", "workers", "keepers", "bots")


@dataclass(frozen=True, slots=True)
class Look:
    """What the processes of each kind had used at one moment."""

    at: float
    cpu_seconds: Mapping[str, float]
    workers: int = 0
    """How many were started so far."""


class ProcessTree:
    """A process and all below it. Remembers those that are gone."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._kinds: dict[int, str] = {root: "parent"}
        self._used: dict[int, float] = {}

    def look(self) -> Look:
        """Return what each kind has used so far."""
        at, living = time.time(), [self._root]
        while living:
            pid = living.pop()
            self._used[pid] = max(self._used.get(pid, 0.0), cpu_seconds(pid))
            for child in children(pid):
                # Each time: before its exec it looks like its parent.
                self._kinds[child] = kind_of(child) or self._kinds.get(child, "bots")
                living.append(child)
        sums = dict.fromkeys(KINDS, 0.0)
        for pid, used in self._used.items():
            sums[self._kinds[pid]] += used
        return Look(at, sums, list(self._kinds.values()).count("workers"))


def children(pid: int) -> list[int]:
    """Return the processes that a process started; none if it is gone."""
    pids: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                pids += map(int, (task / "children").read_text().split())
    return pids


def kind_of(pid: int) -> str:
    """Return what a process below an event's parent is, by its command; empty if it has ended."""
    command = b""
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    if b"server.play.worker" in command:
        return "workers"
    if b"keeper.py" in command or b"core_watch.py" in command:
        return "keepers"
    return "bots" if command else ""


async def event_row(task: Task) -> Figures:
    """Run an event and weigh it."""
    rounds = max(1, round(ROUNDS * task.seconds))
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        folder = Folder(Path(path) / "event")
        command = [sys.executable, "-P", "-m", "server", "tournament", "run", str(folder.path), "--game", task.game]
        command += [word for bot in BOTS for word in ("--bot", bot)]
        command += ["--rounds", str(rounds), "--seed", f"bench {task.number}"]
        began = time.time()
        looks, cpu = await asyncio.to_thread(run_watched, command, task.cores)
        ended = time.time()
        with Store.read_only(folder.database) as store:
            matches = [(match.decisions, match.started_millis / 1000) for match in store.matches()]
        finished = [datetime.fromisoformat(line["at"]) for line in read_journal(folder.journal, ["match_finished"])]
    decisions = sum(count for count, _ in matches)
    first, last = min(started for _, started in matches), max(finished).timestamp()
    before, after = used_at(looks, first), used_at(looks, last)
    played = {kind: 1e6 * (after[kind] - before[kind]) / decisions for kind in KINDS}
    return {
        "decisions": decisions,
        "matches": len(matches),
        "decisions_per_second": decisions / (last - first),
        "with_start_decisions_per_second": decisions / (ended - began),
        "core_cpu_micros": sum(played.values()),
        "with_start_core_cpu_micros": 1e6 * cpu / decisions,
        **{f"{kind}_cpu_micros": cost for kind, cost in played.items()},
        "workers": looks[-1].workers,
        "start_seconds": first - began,
        **{f"start_{kind}_cpu_seconds": used for kind, used in before.items()},
    }


def run_watched(command: Sequence[str], cores: Sequence[int]) -> tuple[list[Look], float]:
    """Run a command on these cores. Returns what its processes used over time, and the CPU time of all of them."""
    confined = [sys.executable, "-c", CONFINED, ",".join(map(str, cores)), *command]
    with tempfile.TemporaryFile() as log:
        null = os.open(os.devnull, os.O_RDWR)
        actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
        pid = os.posix_spawn(
            sys.executable, confined, os.environ, file_actions=[*actions, (os.POSIX_SPAWN_DUP2, log.fileno(), 2)]
        )
        os.close(null)
        tree, looks = ProcessTree(pid), []
        while True:
            looks.append(tree.look())
            gone, status, usage = os.wait4(pid, os.WNOHANG)
            if gone:
                break
            time.sleep(SAMPLE_SECONDS)
        if status:
            log.seek(0)
            raise TortugaError(f"the event ended with {status}: {log.read()[-2000:].decode(errors='replace')}")
    return looks, usage.ru_utime + usage.ru_stime


def used_at(looks: Sequence[Look], moment: float) -> dict[str, float]:
    """Return what each kind had used at that moment, between the two nearest looks."""
    after = next((number for number, look in enumerate(looks) if look.at >= moment), len(looks) - 1)
    late, early = looks[after], looks[max(0, after - 1)]
    share = min(1.0, max(0.0, (moment - early.at) / (late.at - early.at))) if late.at > early.at else 1.0
    return {
        kind: early.cpu_seconds[kind] + share * (late.cpu_seconds[kind] - early.cpu_seconds[kind]) for kind in KINDS
    }
