"""Tortuga from its wheel alone: installed into a clean environment outside the tree, and used as the README says."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from support.command import LIMIT_SECONDS, ROOT, TIED_TO_US
from support.wheels import CleanEnvironment, build_wheel


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> CleanEnvironment:
    environment = CleanEnvironment(tmp_path_factory.mktemp("clean") / "env")
    environment.install(f"{build_wheel(tmp_path_factory.mktemp('wheel'))}[web]")
    return environment


def commands_of(page: str, heading: str) -> list[str]:
    """Return the shell commands of a section of a page, one text for each block."""
    section = (ROOT / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def first_page(clean: CleanEnvironment, folder: Path, *words: str) -> str:
    """Start a command that serves pages, fetch its first page, end it as Ctrl-C does, and return the page."""
    command = [*TIED_TO_US, str(clean.folder / "bin" / "tortuga"), *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**clean.variables(), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=0,
    )
    assert process.stdout is not None
    try:
        output, found = "", None
        while found is None:
            line = process.stdout.readline()
            output += line
            assert line, f"it ended before it served a page: {output}"
            found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        with urllib.request.urlopen(found.group(), timeout=LIMIT_SECONDS) as answer:
            page = answer.read().decode()
        os.killpg(process.pid, signal.SIGINT)
        output += process.communicate(timeout=LIMIT_SECONDS)[0]
    finally:
        process.kill()
    assert process.returncode == 0, output
    assert "Traceback" not in output
    return str(page)


def test_the_wheel_plays_and_serves_as_the_readme_says(clean: CleanEnvironment, tmp_path: Path) -> None:
    held = json.loads(clean.shell(tmp_path, "tortuga bot list --json"))
    assert {Path(bot["folder"]).is_relative_to(clean.folder) for bot in held} == {True}
    games = json.loads(clean.shell(tmp_path, "tortuga games --json"))
    assert {game["package"] for game in games} == {"tortuga-arena"}

    _, use = commands_of("README.md", "Without a checkout")
    output = clean.shell(tmp_path, use)
    assert "first.tortuga: holds" in output
    assert (tmp_path / "first.tortuga.html").read_text().startswith("<!doctype html>")
    played = json.loads(clean.shell(tmp_path, "tortuga play pavillon_noir --bot mine --bot random --json"))
    assert (played["void"], [seat["faults"] for seat in played["seats"]]) == (False, [[], []])
    checked = json.loads(clean.shell(tmp_path, "tortuga bot check mine --json"))
    assert checked["sound"]

    page = first_page(clean, tmp_path, "web", "first-cup", "--listen", "127.0.0.1:0")
    assert "gunner" in page
    doors = ("--listen", "127.0.0.1:0", "--public", "127.0.0.1:0", "--web", "127.0.0.1:0")
    assert "/ladders" in first_page(clean, tmp_path, "serve", "arena", *doors)


def test_a_new_bot_in_go_is_built_from_the_wheel(clean: CleanEnvironment, tmp_path: Path) -> None:
    if missing := [tool for tool in ("go", "protoc") if shutil.which(tool) is None]:
        assert os.environ.get("CI") != "true", f"{missing} missing, and CI has to build bots in Go"
        pytest.skip(f"{' and '.join(missing)} missing: no bot in Go can be built")
    clean.shell(tmp_path, "tortuga bot new goer --language go --game pavillon_noir; tortuga bot build goer")
    played = json.loads(clean.shell(tmp_path, "tortuga play pavillon_noir --bot goer --bot random --json"))
    assert (played["void"], [seat["faults"] for seat in played["seats"]]) == (False, [[], []])


def test_a_game_outside_the_tree_is_played_installed_and_missed(clean: CleanEnvironment, tmp_path: Path) -> None:
    """All commands of docs/adding-a-game.md as typed; `tortuga web` waits for Ctrl-C, so it is started on its own."""
    beside, installed = commands_of("docs/adding-a-game.md", "From nothing to a ladder")
    output = clean.shell(tmp_path, beside)
    assert output.count("\nok  ") + output.startswith("ok  ") == 12
    package = tmp_path / "skat"
    [of_file] = (package / "records").glob("*.tortuga")
    typed, waiting = re.fullmatch(r"(.*)^tortuga (web .*?) +#.*\n", installed, re.DOTALL | re.MULTILINE).groups()  # type: ignore[union-attr]
    output = clean.shell(package, typed)
    assert "first.tortuga: holds" in output
    assert "17 passed" in output
    clean.shell(package, "tortuga play skat --bot bot --bot random --fail-on-fault")
    assert "skat" in first_page(clean, package, *waiting.split(), "--listen", "127.0.0.1:0")

    [game] = [game for game in json.loads(clean.shell(tmp_path, "tortuga games --json")) if game["id"] == "skat"]
    assert (game["package"], game["version"]) == ("skat", "0.1.0")
    assert "holds" in clean.shell(package, f"tortuga replay verify {of_file}")

    clean.shell(package, "pip uninstall --quiet --yes skat")
    refused = clean.shell(package, "tortuga replay verify first.tortuga", code=1)
    assert "install skat==0.1.0" in refused
    refused = clean.shell(package, "tortuga ladder show ladder", code=2)
    assert "skat" in refused
    assert "skat" not in clean.shell(package, "tortuga games")

    clean.shell(package, "pip install --quiet -e .; tortuga replay verify first.tortuga; tortuga ladder show ladder")
    tested = clean.shell(package, "pytest --tortuga-game skat")
    assert "17 passed" in tested
    with (package / "skat" / "rules.py").open("a") as rules:
        rules.write("\n# other code under the same version\n")
    refused = clean.shell(package, "tortuga replay verify first.tortuga", code=1)
    assert "install skat==0.1.0" in refused
