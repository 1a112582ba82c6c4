"""`tortuga compare` as its user runs it."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from support.command import start, tortuga

COVE = ("--game", "pirates_cove", "--against", "random")


def test_a_comparison_speaks_json_and_repeats_by_its_seed(tmp_path: Path) -> None:
    words = ("compare", "random", "buccaneer", *COVE, "--blocks", "10", "--seed", "s", "--json")
    done = tortuga(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["blocks"], found["games"], found["games_per_block"], found["in_process"]) == (10, 40, 4, True)
    low, high = found["difference_95"]
    assert 0 < low < found["difference"] < high or found["difference"] == 1.0
    assert tortuga(tmp_path, *words, "--jobs", "2").stdout == done.stdout


@pytest.mark.smoke
def test_people_are_told_the_difference_as_it_narrows(tmp_path: Path) -> None:
    done = tortuga(tmp_path, "compare", "random", "buccaneer", *COVE, "--blocks", "20", "--seed", "s")
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [
        "10 blocks, 40 games",
        "20 blocks, 80 games",
    ]
    assert "buccaneer is better than" in done.stdout
    assert "than random: by " in done.stdout


def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    process = start(tmp_path, "compare", "random", "buccaneer", *COVE, "--blocks", "100000")
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("10 blocks, 40 games: ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "buccaneer is better than" in out
    assert "than random: by " in out
    assert re.search(r"interrupted.* \d+ of 100000", err)
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "random", "nobody", *COVE), "there is no bot 'nobody'"),
        (("compare", "random", "random", "--game", "pirates_cove:3"), "name opponents"),
        (("compare", "gunner", "random", *COVE), "gunner.*play.*pirates_cove"),
        (("compare", "random", "random", "--game", "chess"), "chess"),
        (("tune", "missing.toml"), "missing.toml"),
    ],
)
def test_wrong_usage_is_told_in_one_line(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = tortuga(tmp_path, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(said, done.stderr.strip().splitlines()[-1])
