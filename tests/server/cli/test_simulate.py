"""`tortuga simulate`: what its options do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import main

BOT = """import os


def choose(question):
    return 0 if os.environ["TORTUGA_PARAM_option"] == "first" else question.option_count - 1
"""


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bot whose play hangs on a parameter. Its environment is left as it was."""
    (tmp_path / "bot.toml").write_text('name = "mine"\nrun = ["python", "{dir}/bot.py"]\n')
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    return str(tmp_path)


def test_a_parameter_reaches_the_bots(bot: str) -> None:
    decisions = []
    for value in ("first", "last", "first"):
        arguments = ["simulate", "broadsides", "--bot", bot, "--bot", bot, "--games", "1", "--seed", "s", "--json"]
        result = CliRunner().invoke(main, [*arguments, "--param", f"option={value}"])
        assert result.exit_code == 0, result.output
        decisions.append(json.loads(result.stdout)["decisions"]["mean"])
    assert decisions[0] == decisions[2] != decisions[1]


def test_a_parameter_without_a_value_is_refused(bot: str) -> None:
    result = CliRunner().invoke(main, ["simulate", "broadsides", "--bot", bot, "--bot", bot, "--param", "option"])
    assert result.exit_code == 2
    assert "--param" in result.output
