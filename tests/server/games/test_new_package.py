"""`tortuga game new`: the package passes its own tests and the suite at once, and its bot plays it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError
from referee.rules.plugins import VARIABLE
from server.cli.main import main
from server.games.new_package import write_package
from support.strangers import use_kuhn


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write_package("three_cards", tmp_path / "three_cards")
    return tmp_path / "three_cards"


def test_the_package_is_called_as_its_author_wished(package: Path) -> None:
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert files == {
        *("pyproject.toml", "README.md", "tests/test_rules.py", "bot/bot.py", "bot/bot.toml"),
        *("three_cards/__init__.py", "three_cards/rules.py", "three_cards/rules.md"),
    }
    for file in files:
        assert "kuhn" not in (package / file).read_text()
    assert 'title="Three cards"' in (package / "three_cards" / "__init__.py").read_text()


@pytest.mark.parametrize("name", ["Skat", "9cards", "a b", "../x", "", "json", "broadsides", "foreign/x"])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        write_package(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exists already"):
        write_package("skat", tmp_path)


def test_check_prints_one_line_for_each_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    use_kuhn(monkeypatch)
    told = CliRunner().invoke(main, ["game", "check", "kuhn", "--games", "1", "--json"])
    report = json.loads(told.stdout)
    assert (told.exit_code, report["sound"], report["game"]) == (0, True, "kuhn")
    assert len(report["promises"]) == 12
    lines = CliRunner().invoke(main, ["game", "check", "kuhn", "--games", "1"]).stdout
    assert lines.count("ok  ") == 12


@pytest.mark.system
def test_the_package_passes_its_tests_and_the_suite_and_its_bot_plays(package: Path) -> None:
    environment = {**os.environ, VARIABLE: f"{package}/three_cards:PLUGIN", "PYTHONPATH": str(package)}

    def run(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=package, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    plugin = ("-p", "server.games.pytest_plugin")
    assert "17 passed" in run(
        "pytest", *plugin, "--tortuga-game", "three_cards", "--tortuga-games", "1", "-o", "addopts="
    )
    played = json.loads(run("server", "play", "three_cards", "--bot", "bot", "--bot", "random", "--json"))
    assert (played["game"], played["void"]) == ("three_cards", False)
    assert not any(seat["faults"] for seat in played["seats"])
    assert "holds" in run("server", "replay", "verify", played["record"])
