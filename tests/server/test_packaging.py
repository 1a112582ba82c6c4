"""The wheel holds all that a checkout can do, and nothing that a build left there."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.command import ROOT
from support.wheels import build_wheel

MOVED = ("proto/gen/python/", "sample_bots/python/sdk/")
"""The folders whose content moves to the top of the wheel."""
KEPT = ("server/", "referee/", "sample_bots/", "proto/tortuga/", "docs/games/")
"""The folders that lie in the wheel as they do in the repository."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_the_files_of_the_repository_and_no_others(wheel: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nobody knows which files belong to it")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    expected = set()
    for file in files:
        moved = [folder for folder in MOVED if file.startswith(folder)]
        if (moved or file.startswith(KEPT)) and (ROOT / file).is_file():
            expected.add(file.removeprefix(moved[0]) if moved else file)
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found - expected == set()
    assert expected - found == set()


def test_an_installed_wheel_finds_its_bots_and_makes_new_ones(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)

    def tortuga(*words: str, code: int = 0) -> str:
        """The command of the wheel, with the libraries of this environment, but not its editable checkout."""
        script = (
            "import sys\n"
            f"others = [path for path in sys.path if {str(ROOT)!r} not in path or '.venv' in path]\n"
            f"sys.path[:] = [{str(installed)!r}, *others]\n"
            "from server.cli.main import main\n"
            "main(prog_name='tortuga')"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": ""},
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr
        return done.stdout or done.stderr

    assert "checkout" in tortuga("bench", "--bots", code=2)
    assert str(installed / "sample_bots/python/random") in tortuga("bot", "list", "--json")
    tortuga("bot", "new", "mine", "--language", "python")
    assert (tmp_path / "mine" / "bot.py").is_file()
    assert (tmp_path / "mine" / ".gitignore").is_file()
    assert (tmp_path / "mine" / "proto" / "tortuga" / "v1" / "referee.proto").is_file()
