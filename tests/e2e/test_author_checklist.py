"""Small things that an author meets on the first day, one test each."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from support.command import environment, start, tortuga

MANIFEST = """\
name = "{name}"
run = ["python", "{{dir}}/bot.py"]
"""
RESIGNS = """\
from tortuga_bot import play

if __name__ == "__main__":
    play(lambda question: None)
"""


def write_bot(folder: Path, name: str, program: str) -> None:
    """A Python bot in a folder of its own."""
    (folder / name).mkdir()
    (folder / name / "bot.toml").write_text(MANIFEST.format(name=name))
    (folder / name / "bot.py").write_text(program)


def test_a_check_of_a_bot_whose_program_is_missing_says_so_and_nothing_of_grpc(tmp_path: Path) -> None:
    write_bot(tmp_path, "gone", "")
    (tmp_path / "gone" / "bot.toml").write_text('name = "gone"\nrun = ["no-such-program"]\n')
    # A process of its own: what gRPC says comes when the interpreter ends.
    command = [sys.executable, "-m", "server", "bot", "check", "gone"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "start `no-such-program`" in done.stderr
    assert "was not found" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", [["games"], ["bot", "list"]])
def test_at_80_columns_nothing_is_cut_that_one_must_type(words: list[str], tmp_path: Path) -> None:
    code = "import sys; sys.stdout.isatty = lambda: True\nfrom server.cli.main import main\nmain()"
    known = {**environment(tmp_path), "COLUMNS": "80", "TERM": "dumb"}
    done = subprocess.run([sys.executable, "-c", code, *words], env=known, capture_output=True, text=True, check=True)
    table = [line for line in done.stdout.split("\n") if line[:1] in "│┃┏┡└"]
    assert table
    assert all(len(line) <= 80 for line in table)
    assert "…" not in done.stdout
    for name in ("pavillon_noir", "pirates_cove", *(["board_quiet_cap", "archipelago"] if words == ["games"] else [])):
        assert name in done.stdout
    if words == ["bot", "list"]:
        assert re.search(r"\brandom-typescript\b", done.stdout)


@pytest.mark.parametrize("group", [[], ["bot"], ["tournament"], ["ladder"], ["replay"], ["server"], ["client"]])
def test_piped_help_cuts_no_description(group: list[str], tmp_path: Path) -> None:
    done = tortuga(tmp_path, *group, "--help", COLUMNS="80")
    assert done.returncode == 0
    assert "..." not in done.stdout.partition("Commands:")[2]


def test_a_simulation_of_a_bot_without_a_guard_names_the_guard(tmp_path: Path) -> None:
    write_bot(tmp_path, "bare_play", "from tortuga_bot import play\nplay(lambda question: 0)\n")
    done = tortuga(tmp_path, "simulate", "broadsides", "--games", "1", "--bot", "bare_play", "--bot", "random")
    assert done.returncode == 2
    assert '`if __name__ == "__main__":`' in done.stderr


def test_a_bot_that_never_dials_ended_before_hello(tmp_path: Path) -> None:
    write_bot(tmp_path, "mute", "print('nothing to say')")
    done = tortuga(tmp_path, "play", "broadsides", "--bot", "mute", "--bot", "random", "--no-record")
    for fact in ("crash at decision 0", "ended before Hello", "exited with code 0", "output: nothing to say"):
        assert fact in done.stdout


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("1.5", r"TypeError: .*1\.5, a float"),
        ("'first'", "TypeError: .*'first', a str"),
        ("question.option_count", "whole number from 0 to "),
        ("-1", "ValueError: .* -1: "),
    ],
)
def test_the_sdk_says_what_answer_it_expected(answer: str, told: str, tmp_path: Path) -> None:
    program = f"from tortuga_bot import play\nif __name__ == '__main__':\n    play(lambda question: {answer})\n"
    write_bot(tmp_path, "wrong", program)
    done = tortuga(tmp_path, "play", "broadsides", "--bot", "wrong", "--bot", "random", "--no-record")
    assert re.search(told, done.stdout)
    assert "whole number from 0 to " in done.stdout
    assert "or None to resign" in done.stdout
    assert "client.py" not in done.stdout


def test_one_decision_of_a_moment_is_never_shown_for_another(tmp_path: Path) -> None:
    words = ("--bot", "random", "--bot", "random", "--record", "match.tortuga", "--seed", "together")
    assert tortuga(tmp_path, "play", "broadsides", *words).returncode == 0
    mine = tortuga(tmp_path, "replay", "show", "match.tortuga", "--seat", "0", "--at", "1")  # both place their captain
    assert mine.returncode == 0
    for command in (("show",), ("ask", "--bot", "random")):
        other = tortuga(tmp_path, "replay", command[0], "match.tortuga", "--seat", "0", "--at", "2", *command[1:])
        assert (other.returncode, other.stdout) == (2, "")
        for fact in ("decision 2 ", "seat 1, not to seat 0", "--at 1 or 3"):
            assert fact in other.stderr


def test_resigning_at_the_first_question_is_a_warning(tmp_path: Path) -> None:
    write_bot(tmp_path, "shy", RESIGNS)
    done = tortuga(tmp_path, "bot", "check", "shy", "--game", "broadsides", "--step", "match-broadsides")
    assert done.returncode == 0, done.stdout
    assert "warn match-broadsides" in done.stdout
    for fact in ("first question", "loses the match", "shy: sound; 1 passed, 0 failed", "1 warning, 0 skipped"):
        assert fact in done.stdout


def test_watchers_read_names_and_ends_in_one_style_and_only_what_changed(tmp_path: Path) -> None:
    words = ("--bot", "gunner", "--bot", "random", "--watch", "--no-record", "--seed", "names")
    done = tortuga(tmp_path, "play", "pavillon_noir", *words, "--variant", "max_rounds=4")
    told = done.stdout
    assert "seat 0" not in told
    assert "gunner draws " in told
    assert re.search(r"^[a-z ]+ after \d+ decisions", told, re.M)
    bags = [line for line in told.split("\n") if line.startswith("bag: ")]
    assert all(first != second for first, second in pairwise(bags[:-1])), "shown again unchanged"


def test_bots_do_not_see_the_packages_of_the_server(tmp_path: Path) -> None:
    write_bot(
        tmp_path, "curious", "import json, tortuga_bot, grpc, google.protobuf\nprint('fine so far')\nimport numpy\n"
    )
    for level in ("none", "auto"):
        words = ("--bot", "curious", "--bot", "random", "--no-record", "--jail", level)
        told = tortuga(tmp_path, "play", "broadsides", *words).stdout
        for fact in ("No module named 'numpy'", "it is the server's", "requirements.txt"):
            assert fact in told


def test_ctrl_c_in_a_simulation_prints_what_is_known(tmp_path: Path) -> None:
    words = ("--bot", "random", "--bot", "privateer", "--games", "1000000", "--json", "--record-losses", "lost")
    process = start(tmp_path, "simulate", "broadsides", *words)
    while process.poll() is None and len(list(tmp_path.glob("lost/*"))) < 3:  # more than a block of two games
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    report = json.loads(out)
    assert report["interrupted"] is True
    assert 0 < report["games"] < 1000000
    assert err == f"tortuga: interrupted after {report['games']} of 1000000 games\n"


def test_a_missing_manifest_of_a_tuning_is_said_in_plain_words(tmp_path: Path) -> None:
    done = tortuga(tmp_path, "tune", "none.toml")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "none.toml does not exist" in line
    assert "docs/tuning.md" in line
