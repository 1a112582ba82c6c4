"""`tortuga bot …` as an author uses it: list, new, build, check, play."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.command import assert_nothing_left, environment, play_json, python_bot, tortuga

UNSOUND = Path(__file__).parents[1] / "support" / "unsound.py"
QUICK = ("--step", "batch", "--step", "sigterm")


def test_a_new_python_bot_checks_and_plays_at_once(tmp_path: Path) -> None:
    done = tortuga(tmp_path, "bot", "new", "mine", "--language", "python", "--game", "pavillon_noir")
    assert done.returncode == 0, done.stderr
    assert "tortuga bot check ./mine" in done.stdout
    assert "play pavillon_noir " in done.stdout
    assert "--bot ./mine --bot random" in done.stdout
    assert tortuga(tmp_path, "bot", "build", "mine").stdout == "mine: nothing to build\n"
    done = tortuga(tmp_path, "bot", "check", "mine")
    assert done.returncode == 0, done.stdout
    assert "mine: sound; " in done.stdout
    assert " 0 failed, 0 skipped" in done.stdout
    assert "\x1b" not in done.stdout  # no colours in a pipe
    words = ("pavillon_noir", "--variant", "max_rounds=3", "--bot", "mine", "--bot", "random", "--no-record")
    assert [seat["faults"] for seat in play_json(tmp_path, *words)["seats"]] == [[], []]
    assert_nothing_left(tmp_path)


def test_a_new_bot_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    done = tortuga(tmp_path, "bot", "new", "mine", "--language", "python")
    assert (done.returncode, done.stdout) == (2, "")
    assert "mine already exists" in done.stderr
    assert (tmp_path / "mine").read_text() == "precious"
    done = tortuga(tmp_path, "bot", "new", "x", "--language", "python", "--game", "chess")
    assert "there is no game 'chess'" in done.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.smoke
def test_a_check_speaks_junit_and_json(tmp_path: Path) -> None:
    spec = python_bot(UNSOUND, "deaf")
    words = ("--game", "broadsides", *QUICK, "--junit", "reports/check.xml", "--json")
    done = tortuga(tmp_path, "bot", "check", spec, *words)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["bot"], report["sound"]) == ("unsound", False)
    assert [(step["id"], step["verdict"]) for step in report["steps"]] == [
        ("hello", "pass"),
        ("batch", "pass"),
        ("sigterm", "fail"),
    ]
    assert report["steps"][2]["exchange"][-1] == "- SIGTERM"
    suite = ElementTree.parse(tmp_path / "reports" / "check.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "0")
    [failure] = suite.findall("./testcase[@name='sigterm']/failure")
    assert "still running after 2 s" in failure.attrib["message"]
    assert_nothing_left(tmp_path)


def test_a_failed_step_is_told_with_the_messages_exchanged(tmp_path: Path) -> None:
    spec = python_bot(UNSOUND, "strict_kinds")
    done = tortuga(tmp_path, "bot", "check", spec, "--game", "broadsides", "--step", "unknown-kinds")
    assert done.returncode == 1
    assert "fail unknown-kinds" in done.stdout
    assert "> 100 { " in done.stdout  # the unknown kind that was sent
    assert "unsound: NOT SOUND" in done.stdout
    assert "1 passed, 1 failed, 0 skipped" in done.stdout
    assert_nothing_left(tmp_path)


def test_wrong_words_are_answered_in_one_line(tmp_path: Path) -> None:
    for words, answer in {
        ("check", "nobody"): "there is no bot 'nobody'",
        ("check", "gunner", "--game", "marauders"): "does not play marauders",
        ("check", "gunner", "--step", "walk"): "no step 'walk'",
        ("build",): "to build, or pass --all",
        ("new", "x", "--language", "cobol"): "no kit for 'cobol'",
    }.items():
        done = tortuga(tmp_path, "bot", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert answer in done.stderr
        assert "Traceback" not in done.stderr


def test_an_unbuilt_bot_is_answered_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "bot.toml").write_text('name = "x"\nbuild = ["touch", "bot"]\nrun = ["{dir}/bot"]\n')
    done = tortuga(tmp_path, "bot", "check", "x")
    assert done.returncode == 2
    assert "x is not built" in done.stderr
    assert "tortuga bot build x" in done.stderr
    assert tortuga(tmp_path, "bot", "build", "x").returncode == 0


def make_loud_bot(folder: Path, exit_code: int) -> None:
    """A bot whose build prints two lines."""
    folder.mkdir()
    script = f"echo compiling; echo linking >&2; touch bot; exit {exit_code}"
    (folder / "bot.toml").write_text(f'name = "x"\nbuild = ["sh", "-c", "{script}"]\nrun = ["{{dir}}/bot"]\n')


def test_a_build_in_a_pipe_shows_what_the_tools_print_only_if_it_fails(tmp_path: Path) -> None:
    make_loud_bot(tmp_path / "good", 0)
    make_loud_bot(tmp_path / "bad", 3)
    done = tortuga(tmp_path, "bot", "build", "good")
    assert (done.returncode, done.stderr) == (0, "x: building\n")
    assert done.stdout.startswith("x: built in ")
    assert tortuga(tmp_path, "bot", "build", "good", "-v").stderr == "x: building\n  compiling\n  linking\n"
    done = tortuga(tmp_path, "bot", "build", "bad")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:3] == ["x: building", "compiling", "linking"]
    assert "x: failed: " in done.stderr
    assert "exited with code 3" in done.stderr


def test_a_build_in_a_terminal_shows_what_the_tools_print_as_it_comes(tmp_path: Path) -> None:
    make_loud_bot(tmp_path / "bad", 3)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        command = [sys.executable, "-m", "server", "bot", "build", "bad"]
        with subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stdout=theirs, stderr=theirs) as build:
            os.close(theirs)
            shown = b""
            with suppress(OSError):  # the other end is closed
                while text := screen.read(1000):
                    shown += text
        assert build.returncode == 1
    lines = shown.decode().splitlines()
    assert lines[:3] == ["x: building", "  compiling", "  linking"]
    assert lines[3].startswith("x: failed: ")  # and what was shown is not repeated


@pytest.mark.smoke
def test_the_bots_are_listed(tmp_path: Path) -> None:
    bots = {bot["name"]: bot for bot in json.loads(tortuga(tmp_path, "bot", "list", "--json").stdout)}
    assert {"random", "gunner", "bare"} <= bots.keys()
    assert bots["gunner"]["games"] == ["pavillon_noir"]
    assert bots["random"]["state"] == "ready"
    assert Path(bots["random"]["folder"], "bot.toml").is_file()
    assert not any("scaffold" in name for name in bots)
    assert "python/random" in tortuga(tmp_path, "bot", "list").stdout


@pytest.mark.parametrize("game", ["pavillon_noir", "broadsides", "pirates_cove", "marauders"])
def test_a_new_bot_for_a_game_has_an_idea_for_it_that_beats_random(game: str, tmp_path: Path) -> None:
    assert tortuga(tmp_path, "bot", "new", "mine", "--language", "python", "--game", game).returncode == 0
    program = (tmp_path / "mine" / "bot.py").read_text()
    assert "A first idea for " in program
    assert f'name="mine", games=["{game}"])' in program
    done = tortuga(tmp_path, "simulate", game, "--bot", "mine", "--bot", "random", "--games", "60", "--json")
    share = json.loads(done.stdout)["wins_by_bot"][0]["share"]
    assert share > 0.5  # it is 0.67 to 0.95: five in a million fail by chance at 0.95, one in two hundred at 0.67


def test_an_unbuilt_bot_is_told_how_to_build_it_and_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    manifest = 'name = "mine"\nlanguage = "cpp"\nbuild = ["make"]\nrun = ["{dir}/bot"]\n'
    (tmp_path / "mine" / "bot.toml").write_text(manifest)
    for words in (("play", "broadsides", "--bot", "mine", "--bot", "random"), ("bot", "check", "mine")):
        done = tortuga(tmp_path, *words, PATH="/nowhere")
        assert done.returncode == 2
        assert "mine is not built, " in done.stderr
        assert "tortuga bot build " in done.stderr
        assert "you need cmake, g++" in done.stderr
