"""A tuning run: its manifest, the values a bot is handed, its state file, and that a kill changes nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError, TortugaError
from referee.match.clock import TimeControl
from referee.rules.infos import find_info
from server.bots.spec import find_bot
from server.cli.main import main
from server.jail.confinement import Confinement
from server.system.processes import Workers
from server.tuning.comparison import BlockScore, Comparison, Side
from server.tuning.hosted import play_blocks
from server.tuning.manifest import read_tune_manifest
from server.tuning.plot import draw_run
from server.tuning.state import StateFile
from server.tuning.tune import play_here, tune
from support.command import start, tortuga

BOT = """
import os
import random
import sys

from tortuga_bot import Question, play

SKILL = float(os.environ.get("TORTUGA_PARAM_skill", "0"))
for word in sys.argv[1:]:
    if word.startswith("--skill="):
        SKILL = float(word.partition("=")[2])


def choose(question: Question) -> int:
    \"\"\"With this chance the first option, which is mostly better than any.\"\"\"
    match = question.match
    dice = match.memory.setdefault("dice", random.Random(f"{match.match_id}/{match.seat}"))
    return 0 if dice.random() < SKILL else dice.randrange(question.option_count)


if __name__ == "__main__":
    play(choose, name="mine")
"""

MANIFEST = """
bot = "mine"
game = "pirates_cove"
iterations = {iterations}
blocks = 2
[parameters.skill]
start = 0.1
low = 0.0
high = 1.0
step = 0.1
"""


def write_run(folder: Path, iterations: int = 12, more: str = "") -> Path:
    """A bot with one parameter, and a manifest."""
    (folder / "mine").mkdir(exist_ok=True)
    (folder / "mine/bot.py").write_text(BOT)
    (folder / "mine/bot.toml").write_text('name = "mine"\nrun = ["python", "{dir}/bot.py"]\n')
    path = folder / "tune.toml"
    path.write_text(more + MANIFEST.format(iterations=iterations))
    return path


@pytest.mark.system
def test_a_real_game_moves_a_parameter_towards_better_play(tmp_path: Path) -> None:
    path = write_run(tmp_path, iterations=16)
    done = tortuga(tmp_path, "tune", str(path), "--json", "--confirm", "8")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["iterations"] == 16
    assert found["parameters"]["skill"]["value"] > 0.2
    assert found["confirmed"]["blocks"] == 8
    assert (tmp_path / "tune.svg").read_text().startswith("<svg")
    lines = (tmp_path / "tune.state.jsonl").read_text().splitlines()
    assert len(lines) == 17
    again = tortuga(tmp_path, "tune", str(path), "--json")
    assert json.loads(again.stdout)["parameters"] == found["parameters"], "it is done: nothing more is played"
    assert (tmp_path / "tune.state.jsonl").read_text().splitlines() == lines


@pytest.mark.system
def test_a_run_that_was_killed_leaves_the_same_file_as_one_that_was_not(tmp_path: Path) -> None:
    path, state = write_run(tmp_path), tmp_path / "killed.jsonl"
    assert tortuga(tmp_path, "tune", str(path), "--state", "whole.jsonl").returncode == 0
    for _ in range(3):
        before = state.stat().st_size if state.exists() else 0
        process = start(tmp_path, "tune", str(path), "--state", "killed.jsonl")
        end = time.monotonic() + 50
        while (not state.exists() or state.stat().st_size < before + 100) and time.monotonic() < end:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    with state.open("ab") as file:
        file.write(b'{"iteration": 99, "resu')  # what a kill in the middle of a line leaves
    assert tortuga(tmp_path, "tune", str(path), "--state", "killed.jsonl", "--jobs", "2").returncode == 0
    assert state.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_ctrl_c_prints_where_it_stands_and_the_same_command_goes_on(tmp_path: Path) -> None:
    path, state = write_run(tmp_path, iterations=2000), tmp_path / "tune.state.jsonl"
    process = start(tmp_path, "tune", str(path))
    end = time.monotonic() + 50
    while (not state.exists() or state.stat().st_size < 300) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "of 2000 iterations" in out
    assert "interrupted; run the same" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("option", ["--state", "--plot"])
def test_a_file_that_cannot_be_written_is_refused_before_play(
    tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write everywhere, so only the question is answered as for somebody else."""
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "old").touch()
    may = os.access

    def may_not_write(path: Path, mode: int) -> bool:
        return may(path, mode) and not (mode & os.W_OK and Path(path).name in ("closed", "old"))

    monkeypatch.setattr("os.access", may_not_write)
    manifest = str(write_run(tmp_path))
    for target, named in ((closed / "file", closed), (tmp_path / "old", tmp_path / "old")):
        done = CliRunner().invoke(main, ["tune", manifest, option, str(target)])
        assert (done.exit_code, done.stdout) == (2, "")
        assert re.match(rf"tortuga: cannot write .*{named}$", done.stderr.rstrip())


@pytest.mark.system
@pytest.mark.parametrize("by_arguments", [False, True])
async def test_values_reach_the_bot_in_process_and_as_a_process(tmp_path: Path, by_arguments: bool) -> None:
    write_run(tmp_path)
    bot = find_bot(str(tmp_path / "mine"))
    sides = [Side(bot=bot, values=(("skill", value),), by_arguments=by_arguments) for value in ("1.0", "0.0")]
    comparison = Comparison(game="pirates_cove", variant=cove(), seats=2, seed="s", sides=(sides[1], sides[0]))
    with Workers(1) as workers:
        here = play_here(workers, comparison, range(3))
        alike = play_here(workers, replace(comparison, sides=(sides[1], sides[1])), range(3))
    clock = TimeControl(unlimited=True)
    hosted = [one async for one in play_blocks(comparison, range(3), jobs=1, clock=clock, confinement=Confinement())]
    assert here == hosted
    assert here != alike, "the values make a difference"
    assert "TORTUGA_PARAM_skill" not in os.environ


def cove() -> dict[str, str | int]:
    return dict(find_info("pirates_cove").read_variant({}))


def test_the_state_knows_its_manifest_and_damage(tmp_path: Path) -> None:
    manifest = read_tune_manifest(write_run(tmp_path, more="rate = 0.01\n"))
    path = tmp_path / "state.jsonl"

    def play(comparison: Comparison, blocks: range) -> list[BlockScore]:
        return [BlockScore(scores=(0.25, 0.75), margins=(0.0, 0.0), games=2) for _ in blocks]

    with StateFile(path, manifest) as state:
        with pytest.raises(ConfigError, match="`tortuga tune` is using"), StateFile(path, manifest):
            pass
        tune(manifest, state, play, lambda: None)
        values = state.run.values
    with StateFile(path, manifest) as state:
        assert (state.run.values, len(state.history)) == (values, 13)
    other = read_tune_manifest(write_run(tmp_path, iterations=13))
    with pytest.raises(ConfigError, match="another manifest"), StateFile(path, other):
        pass
    whole = path.read_bytes()
    for change, reason in (
        (whole.replace(b'"result": 1.0', b'"result": 0.5', 1), "line 2: .*not follow"),
        (whole.replace(b'"iteration": 3', b'"iteration": 4', 1), "line 4: .*iteration 3"),
        (whole.replace(b'"iteration": 3', b"nonsense", 1), "line 4: .*not a line"),
        (b"[]\n", "line 1: .*not a line"),
    ):
        path.write_bytes(change)
        with pytest.raises(TortugaError, match=reason), StateFile(path, manifest):
            pass


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (('game = "pirates_cove"', ""), ["'game' is missing"]),
        (("blocks = 2", "blocks = 0"), ["'blocks'", "from 1 up"]),
        (("blocks = 2", "bocks = 2"), ["'bocks'", "known are bot, game"]),
        (("blocks = 2", "seats = 3"), ["seats need players"]),
        (("blocks = 2", 'hand_over = "mail"'), ["'hand_over'", '"environment"', '"arguments"']),
        (("start = 0.1", "start = 2"), ["skill: start", "between low and high"]),
        (("high = 1.0", "high = nan"), ["skill: 'high'", "a number"]),
        (("high = 1.0", "high = 0.0"), ["skill: start"]),
        (("step = 0.1", "step = 0"), ["skill: 'step'", "a number above 0"]),
        (("step = 0.1", "whole = 1"), ["skill: 'whole'", "true or false"]),
        (("[parameters.skill]", '[parameters."a b"]'), ["parameter a b: ", "letters"]),
        (('bot = "mine"', 'bot = "nobody"'), ["no bot 'nobody'"]),
        (("iterations = 12", "iterations = ["), ["tune.toml: "]),
    ],
)
def test_a_wrong_manifest_is_told_what_is_wrong(tmp_path: Path, change: tuple[str, str], facts: list[str]) -> None:
    path = write_run(tmp_path)
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ConfigError) as caught:
        read_tune_manifest(path)
    for fact in facts:
        assert fact in str(caught.value)


def test_every_iteration_has_a_luck_of_its_own(tmp_path: Path) -> None:
    manifest = read_tune_manifest(write_run(tmp_path))
    run, played = manifest.start(), list[int]()
    for _ in range(5):
        played += manifest.trial_blocks(run.ask())
        run.tell(0.0)
    assert played == list(range(10))


def test_the_plot_shows_every_parameter(tmp_path: Path) -> None:
    manifest = read_tune_manifest(write_run(tmp_path))
    history = [(0.1 + 0.0005 * number,) for number in range(1500)]
    drawn = draw_run(manifest.parameters, history, iterations=1500, title="a <b>")
    assert "a &lt;b&gt;" in drawn
    assert ">skill</text>" in drawn
    assert ">0.8495</text>" in drawn
    [points] = [line for line in drawn.splitlines() if "polyline" in line]
    assert 500 < points.count(",") < 1000


def test_blocks_are_played_in_order(tmp_path: Path) -> None:
    with Workers(2) as workers:
        assert list(workers.run(partial(pow, 2), range(40))) == [2**number for number in range(40)]
