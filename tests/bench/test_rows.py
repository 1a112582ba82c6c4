"""The rows of `tortuga bench`, made small: what they count is right. How long it takes is no test's business."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bench.probe import Checkout, Probe, RowFailed
from bench.rows import LETTERS, ROWS, Row, Task, find_row
from bench.run import Plan, make_report, measure_rows
from referee.errors import ConfigError
from server.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with Checkout.ours().probe() as running:
        yield running


def task(row: Row, number: int = 0, seconds: float = 0.05) -> Task:
    cores = sorted(os.sched_getaffinity(0))
    return Task(
        row=row.name, game="broadsides", seconds=seconds, number=number, tables=row.tables, cores=tuple(cores[:1])
    )


@pytest.mark.parametrize("row", [row for row in ROWS if not row.one_core], ids=lambda row: row.name)
def test_every_row_can_be_measured(row: Row, probe: Probe) -> None:
    sample = probe.measure(task(row))
    assert sample.workload_cpu_seconds > 0
    assert sample.figures
    zero = {name for name, value in sample.figures.items() if value <= 0}
    assert {name for name in zero if "keepers" not in name and "parent" not in name} == set()


def test_a_round_plays_the_same_games_in_every_checkout_and_other_rounds_play_others(probe: Probe) -> None:
    row = find_row("in_process")
    first, again, other = (probe.measure(task(row, number)).figures["decisions"] for number in (0, 0, 1))
    assert first == again != other


def test_a_row_that_cannot_be_measured_says_why_and_the_probe_goes_on(probe: Probe) -> None:
    with pytest.raises(RowFailed, match=r"engine, chess: ConfigError"):
        probe.measure(Task(row="engine", game="chess", seconds=0.01, number=0))
    assert probe.measure(task(find_row("engine"))).figures


def test_a_folder_without_an_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="make install"):
        Checkout.at(tmp_path)


def test_an_environment_that_runs_other_code_is_refused(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    script = tmp_path / ".venv" / "bin" / "python"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    with pytest.raises(ConfigError, match="runs the code in"), Checkout.at(tmp_path).probe():
        pass


@pytest.fixture
def old_checkout(tmp_path: Path) -> Path:
    """A checkout from before the bench left `server/`, with a probe that answers anything with one figure."""
    bench = tmp_path / "server" / "bench"
    bench.mkdir(parents=True)
    for folder in (bench, bench.parent):
        (folder / "__init__.py").touch()
    (bench / "workload.py").write_bytes((ROOT / "bench" / "workload.py").read_bytes())
    (bench / "probe.py").write_text(
        f"""
import json, sys
def main():
    print(json.dumps({{"folder": {str(tmp_path)!r}}}), flush=True)
    for line in sys.stdin:
        print(json.dumps({{"figures": {{"cpu_micros": 7.0}}, "workload_cpu_seconds": 1.0}}), flush=True)
"""
    )
    script = tmp_path / ".venv" / "bin" / "python"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return tmp_path


def test_a_checkout_with_a_bench_of_its_own_is_measured_by_that(old_checkout: Path) -> None:
    with Checkout.at(old_checkout).probe() as probe:
        assert probe.measure(task(find_row("engine"))).figures == {"cpu_micros": 7.0}


def test_a_checkout_with_another_workload_is_refused(old_checkout: Path) -> None:
    (old_checkout / "server" / "bench" / "workload.py").write_text("def run_workload(): return 1.0\n")
    with pytest.raises(ConfigError, match="workload"), Checkout.at(old_checkout).probe():
        pass


def test_two_checkouts_are_measured_by_turns_and_in_the_same_rounds() -> None:
    rows = [row for row in ROWS if row.letter in "di"]
    plan = Plan(games=["pirates_cove"], rows=rows, seconds=0.02, rounds=2, core=None, cores=[0])
    told: list[str] = []
    sides = measure_rows(plan, [Checkout.ours(), Checkout.ours()], told.append)
    assert len(told) == plan.measurements == 6
    for side in sides:
        assert {key: len(found) for key, found in side.samples.items()} == {
            (row.name, "pirates_cove"): 2 for row in rows
        }
    steps = [make_report(plan, side)["games"][0]["playouts"]["steps_per_playout"] for side in sides]
    assert steps[0] == steps[1]


def bench(*words: str) -> Any:
    done = CliRunner().invoke(main, ["bench", *words, "--rounds", "2", "--seconds", "0.02", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_report_is_compared_with_an_older_one(tmp_path: Path) -> None:
    words = ("--game", "broadsides", "--rows", "di")
    older = bench(*words)
    assert older["games"][0]["engine"]["decisions_per_second"] > 0
    assert {entry["row"] for entry in older["samples"]} == {"engine", "clones", "playouts"}
    (tmp_path / "base.json").write_text(json.dumps(older))
    report = bench(*words, "--compare", str(tmp_path / "base.json"))
    rows = {row["row"]: row for row in report["comparison"]["rows"] if row["figure"] == "cpu_micros"}
    assert set(rows) == {"engine", "clones", "playouts"}
    assert all(0 < row["low"] <= row["value"] <= row["high"] for row in rows.values())
    assert not report["comparison"]["paired"]
    [aim] = report["aims"]
    assert aim["what"].startswith("engine alone, ")
    assert aim["what"].endswith(", over the base")


def test_unknown_rows_are_named() -> None:
    done = CliRunner().invoke(main, ["bench", "--rows", "axz"])
    assert done.exit_code == 2
    assert re.search(rf"no row x, z; .*{LETTERS}", done.output)
