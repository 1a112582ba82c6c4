"""Bots as the user names them: manifests, sample bots, commands, and what is said when one is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.bots.spec import find_bot, sample_bots

GOOD = 'name = "mine"\nrun = ["python", "{dir}/bot.py"]\n'


def manifest(folder: Path, text: str) -> str:
    (folder / "bot.toml").write_text(text)
    return str(folder)


def test_a_manifest_with_defaults(tmp_path: Path) -> None:
    bot = find_bot(manifest(tmp_path, GOOD))
    assert (bot.name, bot.slots, bot.games, bot.build, bot.version) == ("mine", 1, (), (), "")
    assert bot.run == ("python", f"{tmp_path.resolve()}/bot.py")
    assert len(bot.manifest_hash) == 32


def test_every_sample_bot_is_found_by_its_name() -> None:
    assert "random" in sample_bots()
    for name in sample_bots():
        assert find_bot(name).name == name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('run = ["x"]', "'name' is missing"),
        ('name = "a"', "'run' is missing"),
        ('name = "a"\nrun = []', "'run' is empty"),
        ('name = "a"\nrun = "python bot.py"', "'run' must be a list"),
        ('name = "a"\nrun = [1]', "'run' must be a list"),
        ('name = "../etc"\nrun = ["x"]', "'name' must have"),
        ('name = "<b>"\nrun = ["x"]', "'name' must have"),
        ('name = "a"\nrun = ["x"]\nslots = 0', "'slots'.*1 to 64"),
        ('name = "a"\nrun = ["x"]\nslots = true', "'slots'.*whole number"),
        ('name = "a"\nrun = ["x"]\nlangauge = "go"', "'langauge' is not known"),
        ("name = ", "bot.toml: "),
        ("name = " + "[" * 10_000, "bot.toml: "),
        ("name = " + "[" * 100_000, "bot.toml: "),
        ("# " + "x" * 16_384, "more than 16384 bytes"),
        (GOOD + 'version = "1\\u001b[31m"', "'version'.*one line.*200"),
        (GOOD + 'version = "1\\n2"', "'version'.*one line.*200"),
        (GOOD + f'version = "{"1" * 201}"', "'version'.*one line.*200"),
        (GOOD + f'language = "{"c" * 201}"', "'language'.*one line.*200"),
        (GOOD + f"games = {['chess'] * 65}", "'games'.*64 games"),
        (GOOD + 'games = ["a\\u202eb"]', "'games' may hold A-Z"),
    ],
)
def test_a_bad_manifest_is_named_with_its_problem(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        find_bot(manifest(tmp_path, text))
    assert "bot.toml" in str(caught.value)


@pytest.mark.parametrize(
    "word",
    [
        "{dir}/../target/release/bot",
        "{dir}/..",
        "{dir}/bin/../../other/bot",
        "{dir}2/bot",
        "{dir}..",
        "-XX:SharedArchiveFile={dir}/../bot.jsa",
        "{dir}/bot.jar:{dir}/../lib/*",
        "{dir}/my bot/../../other",
        "cd {dir}/.. && ./bot",
        "exec '{dir}/../bot'",
    ],
)
def test_a_command_that_leaves_the_folder_is_refused(tmp_path: Path, word: str) -> None:
    with pytest.raises(ConfigError, match=r"'run' leaves.*'build'") as caught:
        find_bot(manifest(tmp_path, f'name = "a"\nrun = ["x", {json.dumps(word)}]'))
    assert f"folder: {word!r}" in str(caught.value)


@pytest.mark.parametrize(
    "word",
    [
        "{dir}",
        "{dir}/bin/bot",
        "{dir}/bin/../lib/bot",
        "{dir}/..bot",
        "{dir}/a.jar:{dir}/lib/*",
        "{dir}/my bot.py",
        "-XX:SharedArchiveFile={dir}/target/bot.jsa",
        "cd {dir} && exec ./bot",
        "/usr/bin/python3",
        "../bot",  # from the scratch folder in which it runs
        "--level",
    ],
)
def test_a_command_inside_the_folder_or_of_the_system_is_taken(tmp_path: Path, word: str) -> None:
    bot = find_bot(manifest(tmp_path, f'name = "a"\nrun = ["x", {json.dumps(word)}]'))
    assert bot.run == ("x", word.replace("{dir}", str(tmp_path.resolve())))


def test_a_build_may_use_what_lies_beside_the_folder(tmp_path: Path) -> None:
    bot = find_bot(manifest(tmp_path, GOOD + 'build = ["make", "-C", "{dir}/.."]'))
    assert bot.build == ("make", "-C", f"{tmp_path.resolve()}/..")


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'speed'.*'name'.*missing.*'run'.*missing"):
        find_bot(manifest(tmp_path, "speed = 3"))


def test_a_command_is_a_bot_whose_files_are_meant_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my bot.py").touch()
    monkeypatch.chdir(tmp_path)
    bot = find_bot("cmd: python 'my bot.py' --level 3")
    assert bot.run == ("python", str(tmp_path / "my bot.py"), "--level", "3")
    assert bot.name == "my-bot"


def test_a_command_keeps_links_so_that_a_virtual_environment_stays_one(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    assert find_bot(f"cmd: {tmp_path}/python").run == (f"{tmp_path}/python",)


@pytest.mark.parametrize(("spec", "problem"), [("cmd:", "needs a command"), ("cmd: 'open", "cannot be read")])
def test_a_bad_command_is_refused(spec: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        find_bot(spec)


def test_an_unknown_bot_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no bot 'nobody'.*random"):
        find_bot("nobody")
    with pytest.raises(ConfigError, match=r"has no bot\.toml"):
        find_bot(str(tmp_path))


def test_a_bot_may_refuse_a_game(tmp_path: Path) -> None:
    bot = find_bot(manifest(tmp_path, GOOD + 'games = ["chess"]'))
    with pytest.raises(ConfigError, match=r"mine.*not.*pavillon_noir.*chess"):
        bot.check_game("pavillon_noir")
