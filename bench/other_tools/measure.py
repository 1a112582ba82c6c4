"""(h) Other people's tools with trivial bots, for scale: python-chess, kaggle-environments, fastchess.

They are not part of Tortuga and not installed with it. Each is run by a script that needs nothing of ours, so that they
may live in a Python of their own. A move of theirs is not a decision of ours: the figures only show the order of
magnitude.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
INSTALL = "install it: pip install 'tortuga-arena[compare]', or pass --others-python"
SCRIPTS = {
    "python-chess": ("chess", HERE / "random_chess.py"),
    "kaggle-environments": ("kaggle_environments", HERE / "random_connect_four.py"),
}
"""For each tool that is a package, its module and our script."""

ENGINE = HERE / "random_uci.py"

FASTCHESS_ROUNDS = 5
"""To play per second. A round is two games."""
PLIES = re.compile(r'\[PlyCount "(\d+)"\]')

Figures = dict[str, float]


class Missing(Exception):
    """A tool cannot be measured here."""


def measure_others(python: Path, seconds: float, rounds: int) -> list[dict[str, Any]]:
    """Measure each tool: medians of moves per second and of CPU time per move, or why it was not measured."""
    tools: dict[str, Callable[[], Figures]] = {
        name: partial(run_script, module, script, python, seconds) for name, (module, script) in SCRIPTS.items()
    }
    tools["fastchess"] = partial(run_fastchess, python, seconds)
    return [measure_tool(name, once, rounds) for name, once in tools.items()]


def measure_tool(name: str, once: Callable[[], Figures], rounds: int) -> dict[str, Any]:
    """Measure one tool, several times."""
    try:
        samples = [once() for _ in range(rounds)]
    except Missing as reason:
        return {"tool": name, "missing": str(reason)}
    return {"tool": name} | {figure: statistics.median(sample[figure] for sample in samples) for figure in samples[0]}


def run_script(module: str, script: Path, python: Path, seconds: float) -> Figures:
    """Run a tool's script once."""
    find = f"import importlib.util as u; raise SystemExit(u.find_spec({module!r}) is None)"
    if subprocess.run([str(python), "-P", "-c", find], check=False).returncode:
        raise Missing(INSTALL)
    with tempfile.TemporaryDirectory(prefix="tortuga-") as folder:
        command = [str(python), "-P", str(script), str(seconds)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise Missing(f"failed: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}")
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def run_fastchess(python: Path, seconds: float) -> Figures:
    """Run fastchess once, with the same random engine as python-chess."""
    program = shutil.which("fastchess")
    if program is None:
        raise Missing("no fastchess on PATH")
    command = [program]
    for name in ("one", "two"):
        command += ["-engine", f"cmd={python}", f"args=-P {ENGINE}", f"name={name}"]
    command += ["-each", "tc=60+1", "-rounds", str(max(1, round(FASTCHESS_ROUNDS * seconds))), "-games", "2"]
    command += ["-pgnout", "file=games.pgn"]
    with tempfile.TemporaryDirectory(prefix="tortuga-") as folder:
        began, before = time.perf_counter(), children_cpu_seconds()
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        spent, cpu = time.perf_counter() - began, children_cpu_seconds() - before
        games = Path(folder, "games.pgn")
        moves = sum(map(int, PLIES.findall(games.read_text()))) if games.exists() else 0
    if done.returncode or not moves:
        raise Missing(f"failed: {((done.stderr + done.stdout).strip().splitlines() or ['without a word'])[-1]}")
    return {"moves": moves, "moves_per_second": moves / spent, "core_cpu_micros": 1e6 * cpu / moves}


def children_cpu_seconds() -> float:
    """Return the CPU time of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
