"""The README keeps its word: its bot plays, its commands exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import main
from support.command import ROOT, play_json, tortuga

pytestmark = pytest.mark.smoke

README = (ROOT / "README.md").read_text()


def block(name: str) -> str:
    """The code block that follows the line with that file's name."""
    found = re.search(rf"`{re.escape(name)}`\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found, f"the README has no {name}"
    return found.group(1)


def write_first_bot(tmp_path: Path) -> None:
    folder = tmp_path / "first"
    folder.mkdir()
    for name in ("bot.toml", "bot.py"):
        (folder / name).write_text(block(f"first/{name}"))


def test_the_bot_of_the_readme_plays(tmp_path: Path) -> None:
    write_first_bot(tmp_path)
    words = ("--variant", "max_rounds=4", "--bot", "first", "--bot", "random", "--record", "mine.tortuga")
    report = play_json(tmp_path, "pavillon_noir", *words)
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    assert report["seats"][0]["bot"] == "first"
    [words] = re.findall(r"^tortuga (replay show mine\.tortuga .*)$", README, re.MULTILINE)
    shown = tortuga(tmp_path, *words.split())
    assert shown.returncode == 0, shown.stderr
    assert "      >" in shown.stdout


@pytest.mark.system
def test_the_bot_of_the_readme_beats_random(tmp_path: Path) -> None:
    write_first_bot(tmp_path)
    games = tortuga(
        tmp_path, "simulate", "pavillon_noir", "--bot", "first", "--bot", "random", "--games", "40", "--json"
    )
    assert json.loads(games.stdout)["wins_by_bot"][0]["share"] > 0.6, "it clearly beats random: 0.89 of 400"


@pytest.mark.parametrize(
    "words",
    sorted(
        set(
            re.findall(
                r"tortuga ((?:games|matches|play|simulate|compare|tune|bench|sprt|"
                r"(?:replay|tournament|ladder|bot|server|client) \w+))",
                README,
            )
        )
    ),
)
def test_the_commands_of_the_readme_exist(words: str) -> None:
    done = CliRunner().invoke(main, [*words.split(), "--help"])
    assert done.exit_code == 0


def test_every_option_the_readme_shows_is_an_option() -> None:
    shown = (
        "play",
        "simulate",
        "compare",
        "tune",
        "sprt",
        "replay show",
        "replay ask",
        "replay html",
        "tournament run",
        "serve",
        "matches",
        "bot new",
        "bot check",
        "bench",
        "bot connect",
        "fsck",
        "doctor",
    )
    helps = "".join(CliRunner().invoke(main, [*words.split(), "--help"]).output for words in shown)
    assert {option for option in re.findall(r"(--[a-z][a-z-]+)", README) if option not in helps} == set()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"make ([a-z-]+) ", README))))
def test_the_targets_of_the_readme_exist(target: str) -> None:
    assert f"\n{target}:" in (ROOT / "Makefile").read_text()
