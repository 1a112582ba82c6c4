"""The rows of `tortuga bench`, made small: what they count is right. How long it takes is no test's business."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError
from server.bench import others
from server.bench.others import Missing, measure_tool, run_fastchess, run_script
from server.bench.probe import Checkout, Probe, RowFailed
from server.bench.rows import LETTERS, ROWS, Row, Task, find_row
from server.bench.run import Plan, Side, make_report, measure_rows
from server.bench.whole_event import KINDS, Look, ProcessTree, used_at
from server.bench.workload import run_workload
from server.cli.main import main

ROOT = Path(__file__).parents[3]


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


def test_questions_are_counted_at_one_and_at_many_tables(probe: Probe) -> None:
    one = probe.measure(task(find_row("one_table"), seconds=0.3)).figures
    many = probe.measure(task(find_row("tables_32"), seconds=0.3)).figures
    assert one["questions_per_write"] == one["share_of_steady_state"] == 1.0
    assert many["questions_per_write"] == pytest.approx(16 * many["share_of_steady_state"])
    assert many["questions_per_write"] > 1.0
    assert many["wait_p99_micros"] >= many["wait_p50_micros"]
    assert many["core_cpu_micros"] == pytest.approx(many["referee_cpu_micros"] + many["bot_cpu_micros"])


def test_a_round_plays_the_same_games_in_every_checkout_and_other_rounds_play_others(probe: Probe) -> None:
    row = find_row("in_process")
    first, again, other = (probe.measure(task(row, number)).figures["decisions"] for number in (0, 0, 1))
    assert first == again != other


def test_a_row_that_cannot_be_measured_says_why_and_the_probe_goes_on(probe: Probe) -> None:
    with pytest.raises(RowFailed, match="row engine, chess: ConfigError"):
        probe.measure(Task(row="engine", game="chess", seconds=0.01, number=0))
    assert probe.measure(task(find_row("engine"))).figures


def test_a_row_that_failed_is_not_tried_again(probe: Probe) -> None:
    side = Side(Checkout.ours())
    for _ in range(2):
        side.measure(probe, Task(row="clones", game="chess", seconds=0.01, number=0), None)
    side.measure(probe, task(find_row("clones")), None)
    assert list(side.failed) == ["clones"]
    assert side.samples == {}


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


def test_the_event_is_played_once_in_a_game_that_was_chosen() -> None:
    rows = [row for row in ROWS if row.letter in "dg"]
    plan = Plan(games=["marauders", "broadsides"], rows=rows, seconds=1.0, rounds=1, core=None, cores=[3, 5])
    events = [(task.game, task.row, task.cores) for task in plan.tasks(0) if task.row != "engine"]
    assert events == [("broadsides", "event", (3, 5)), ("broadsides", "event_one_core", (3,))]


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
    assert [aim["what"] for aim in report["aims"]] == ["engine alone, decisions per CPU second, over the base"]


def test_a_comparison_of_two_checkouts_is_printed_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Checkout, "at", lambda folder: Checkout.ours())
    words = ["bench", "--game", "broadsides", "--rows", "abdh", "--rounds", "2", "--seconds", "0.05"]
    done = CliRunner().invoke(main, [*words, "--compare", str(ROOT), "--others-python", "/bin/false"])
    assert done.exit_code == 0, done.output
    for text in ("(a) echo", "of (a)", "ratio to the base", "ratios and aims", "rounds, alternating", "fastchess"):
        assert text in done.output


def test_unknown_rows_are_named() -> None:
    done = CliRunner().invoke(main, ["bench", "--rows", "axz"])
    assert done.exit_code == 2
    assert f"there is no row x, z; the rows are {LETTERS}" in done.output


def test_the_workload_grows_with_its_steps() -> None:
    assert run_workload(steps=40_000) > run_workload(steps=1000) > 0


def test_use_at_a_moment_lies_between_two_looks() -> None:
    looks = [Look(at, dict.fromkeys(KINDS, used)) for at, used in ((10.0, 1.0), (11.0, 3.0), (12.0, 7.0))]
    assert used_at(looks, 11.5)["bots"] == 5.0
    assert used_at(looks, 9.0)["bots"] == 1.0
    assert used_at(looks, 13.0)["bots"] == 7.0


def test_a_process_tree_remembers_what_its_dead_used() -> None:
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}, 'keeper.py']); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        tree = ProcessTree(process.pid)
        while tree.look().cpu_seconds["keepers"] < 0.1:
            pass
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
    used = tree.look().cpu_seconds
    assert used["keepers"] >= 0.1
    assert used["parent"] > 0
    assert used["bots"] == 0


def test_a_tool_that_is_not_installed_says_how_to_install_it() -> None:
    def once() -> dict[str, float]:
        return run_script("no_such_module", Path("unused.py"), Path(sys.executable), 1.0)

    found = measure_tool("tool", once, rounds=2)
    assert "pip install" in found["missing"]


def test_the_script_of_a_tool_is_run_and_its_failure_told(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys; print('noise'); print('{\"moves\": %s}' % float(sys.argv[1]))")
    assert run_script("json", script, Path(sys.executable), 2.0) == {"moves": 2.0}
    script.write_text("raise SystemExit('out of pawns')")
    with pytest.raises(Missing, match="out of pawns"):
        run_script("json", script, Path(sys.executable), 2.0)


def test_fastchess_is_measured_by_the_moves_of_its_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(others, "FASTCHESS_ROUNDS", 1)
    program = tmp_path / "fastchess"
    program.write_text("""#!/bin/sh\nprintf '[PlyCount "30"]\\n\\n[PlyCount "12"]\\n' > games.pgn\n""")
    program.chmod(0o755)
    found = run_fastchess(Path(sys.executable), 1.0)
    assert found["moves"] == 42
    assert found["moves_per_second"] > 0
    program.write_text("#!/bin/sh\necho no engine; exit 1\n")
    with pytest.raises(Missing, match="no engine"):
        run_fastchess(Path(sys.executable), 1.0)
