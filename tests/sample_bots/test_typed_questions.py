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


def check_types(folder: Path, program: str) -> str:
    """What mypy says of a bot."""
    (folder / "bot.py").write_text(program)
    packages = os.pathsep.join(str(ROOT / name) for name in ("proto/gen/python", "sample_bots/python/sdk"))
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        str(folder / "cache"),
        "bot.py",
    ]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "MYPYPATH": packages}, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.slow(reason="it runs mypy")
@pytest.mark.parametrize("game", MESSAGES)
def test_mypy_finds_a_misspelt_field(game: str, tmp_path: Path) -> None:
    assert "Success: no issues found" in check_types(tmp_path, SAMPLE.format(game=game, wrong=""))
    told = check_types(tmp_path, SAMPLE.format(game=game, wrong="".join(f", {word}" for word in WRONG)))
    for word in WRONG:
        assert f'has no attribute "{word.rpartition(".")[2]}"' in told


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed (npm install -g pyright)")
@pytest.mark.parametrize("game", MESSAGES)
def test_pyright_finds_a_misspelt_field(game: str, tmp_path: Path) -> None:
    told = []
    for wrong in ("", "".join(f", {word}" for word in WRONG)):
        (tmp_path / "bot.py").write_text(SAMPLE.format(game=game, wrong=wrong))
        command = ["pyright", "--pythonpath", sys.executable, "bot.py"]
        told.append(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout)
    assert "0 errors" in told[0]
    for word in WRONG:
        assert f'Cannot access attribute "{word.rpartition(".")[2]}"' in told[1]


def test_the_page_on_editors_lists_what_there_is() -> None:
    offered = dict(re.findall(r"^\| `(\w+)\.` \| (.*) \|$", (ROOT / "docs/editor.md").read_text(), re.MULTILINE))
    known = pirates_cove.Ship.DESCRIPTOR.fields_by_name
    assert set(re.findall(r"`(\w+)`", offered["mine"])) == set(known)
    assert re.findall(r"`(\w+)`", offered["Captain"]) == pirates_cove.Captain.keys()
    names = set(re.findall(r"`(\w+)`", offered["question"]))
    assert names <= {*dir(tortuga_bot.Question), "match", "message", "received", "make_model"}
    stubs = (ROOT / "proto/gen/python/tortuga/v1/pirates_cove_pb2.pyi").read_text()
    assert re.search(r'chests: \w*\.?int\n +"""Chests aboard\."""', stubs), "the comments are in the types"
