"""The typed modules of the Python SDK: complete, and a misspelt field is found before the bot plays."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tortuga_bot
from server.bots.kits import on_ci
from support.command import ROOT
from tortuga_bot import pirates_cove

MESSAGES = {
    "pavillon_noir": "PavillonNoir",
    "broadsides": "Broadsides",
    "pirates_cove": "PiratesCove",
    "marauders": "Marauders",
}
SAMPLE = """\
from tortuga_bot.{game} import Observation, Question, play


def choose(question: Question) -> int:
    seen: Observation = question.observation
    kinds = [option.WhichOneof("action") for option in question.options]
    print(question.position.decision, len(question.events), seen, kinds{wrong})
    return 0


if __name__ == "__main__":
    play(choose, name="typed", games=["{game}"])
"""
TYPED_AND_DESCRIBED = r'chests: \w*\.?int\n +"""Chests aboard\."""'
WRONG = ("seen.no_such_field", "question.options[0].no_such_field", "question.positon", "question.position.obervation")


@pytest.mark.parametrize("game", MESSAGES)
def test_every_message_and_enum_of_a_game_has_its_short_name(game: str) -> None:
    module = import_module(f"tortuga_bot.{game}")
    messages = getattr(import_module(f"tortuga.v1.{game}_pb2"), MESSAGES[game])
    named = [*messages.DESCRIPTOR.nested_types_by_name, *messages.DESCRIPTOR.enum_types_by_name]
    assert set(module.__all__) == {*named, "Question", "play"}
    for name in named:
        assert getattr(module, name) is getattr(messages, name)
    assert module.Question is tortuga_bot.Question
    assert module.play is tortuga_bot.play


def check_types(folder: Path, wrong: str) -> str:
    """What mypy says of a bot of each game."""
    for game in MESSAGES:
        (folder / f"{game}.py").write_text(SAMPLE.format(game=game, wrong=wrong))
    packages = os.pathsep.join(str(ROOT / name) for name in ("proto/gen/python", "sample_bots/python/sdk"))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        str(folder / "cache"),
        *(f"{game}.py" for game in MESSAGES),
    ]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "MYPYPATH": packages}, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.system  # it runs mypy
def test_mypy_finds_a_misspelt_field(tmp_path: Path) -> None:
    assert "Success: no issues found" in check_types(tmp_path, "")
    told = check_types(tmp_path, "".join(f", {word}" for word in WRONG)).splitlines()
    for game in MESSAGES:
        for word in WRONG:
            missing = f'has no attribute "{word.rpartition(".")[2]}"'
            assert any(line.startswith(f"{game}.py:") and missing in line for line in told)


@pytest.mark.system  # it runs pyright
def test_pyright_finds_a_misspelt_field(tmp_path: Path) -> None:
    if shutil.which("pyright") is None:
        (pytest.fail if on_ci() else pytest.skip)("pyright is not installed (npm install -g pyright)")
    sound, misspelt = (tmp_path / name for name in ("sound", "misspelt"))
    for folder, wrong in ((sound, ""), (misspelt, "".join(f", {word}" for word in WRONG))):
        folder.mkdir()
        for game in MESSAGES:
            (folder / f"{game}.py").write_text(SAMPLE.format(game=game, wrong=wrong))
    command = ["pyright", "--pythonpath", sys.executable, "sound", "misspelt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = [line for line in done.stdout.splitlines() if " - error: " in line]
    assert all(str(misspelt) in line for line in told), done.stdout
    for game in MESSAGES:
        for word in WRONG:
            missing = f'attribute "{word.rpartition(".")[2]}"'
            assert any(f"{game}.py:" in line and missing in line for line in told), (game, word, done.stdout)


def test_the_page_on_editors_lists_what_there_is() -> None:
    offered = dict(re.findall(r"^\| `(\w+)\.` \| (.*) \|$", (ROOT / "docs/editor.md").read_text(), re.MULTILINE))
    known = pirates_cove.Ship.DESCRIPTOR.fields_by_name
    assert set(re.findall(r"`(\w+)`", offered["mine"])) == set(known)
    assert re.findall(r"`(\w+)`", offered["Captain"]) == pirates_cove.Captain.keys()
    names = set(re.findall(r"`(\w+)`", offered["question"]))
    assert names <= {*dir(tortuga_bot.Question), "match", "message", "received", "make_model"}
    stubs = (ROOT / "proto/gen/python/tortuga/v1/pirates_cove_pb2.pyi").read_text()
    assert re.search(TYPED_AND_DESCRIBED, stubs), "the comments are in the types"
