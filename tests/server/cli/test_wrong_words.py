"""Wrong commands: each is answered in words, without a traceback, with what was meant or what to do."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.text import did_you_mean
from server.cli.main import main

MATCH = ("play", "pavillon_noir", "--bot", "random", "--bot", "random")


def tortuga(*words: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, list(words))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with files that are wrong in one way each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin").mkdir()
    for name in ("bot.toml", "tournament.toml", "tune.toml"):
        (tmp_path / "latin" / name).write_bytes('# one\nname = "Jérôme"\n'.encode("latin-1"))
    (tmp_path / "chess").mkdir()
    (tmp_path / "chess" / "bot.toml").write_text('name = "chess"\nrun = ["true"]\ngames = ["chess", "marauder"]\n')
    (tmp_path / "misspelt").mkdir()
    (tmp_path / "misspelt" / "bot.toml").write_text('name = "x"\nrun = ["true"]\nslot = 2\nlimits = { memry = 1 }\n')
    (tmp_path / "tournament.toml").write_text('name = "x"\nseed = "s"\nexcusses = 2\n')
    return tmp_path


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (("simulatee",), ["'simulatee'", "'simulate'"]),
        (("bot", "chekc"), ["'chekc'", "'check'"]),
        (("model", "sped"), ["'sped'", "'speed'"]),
        (("simulate", "pirate_cove"), ["'pirate_cove'", "mean 'pirates_cove'"]),
        (("simulate", "Marauders"), ["'Marauders'", "mean 'marauders'"]),
        (("simulate", "pirates_cove", "--bot", "gunnner"), ["'gunnner'", "mean 'gunner'"]),
        (("simulate", "pavillon_noir", "--variant", "max_round=3"), ["'max_round'", "mean 'max_rounds'"]),
        (("bot", "new", "x", "--language", "pyton"), ["'pyton'", "mean 'python'"]),
        ((*MATCH[:4], "--bot", "misspelt"), ["'slot'", "mean 'slots'", "'memry'"]),
        (("tournament", "run", "."), ["'excusses'", "mean 'excuses'"]),
        ((*MATCH[:4], "--bot", "latin"), ["latin/bot.toml", "line 2", "save the file as UTF-8"]),
        (("tournament", "run", "latin"), ["latin/tournament.toml", "line 2", "save the file as UTF-8"]),
        (("tune", "latin/tune.toml"), ["latin/tune.toml", "line 2", "save the file as UTF-8"]),
        (("simulate", "marauders", "--bot", "chess"), ["'chess', which is no game here", "mean 'marauders'"]),
        (("simulate", "pirates_cove", "--seed", ""), ["--seed", "empty"]),
        ((*MATCH, "--seed", ""), ["--seed", "empty"]),
        (("compare", "random", "random", "--seed", ""), ["--seed", "empty"]),
        (("matches", "nosuch"), ["there is no folder nosuch"]),
        (("ladder", "show", "nosuch"), ["there is no folder nosuch"]),
    ],
)
def test_a_wrong_command_is_answered_with_what_was_meant(words: tuple[str, ...], facts: list[str]) -> None:
    done = tortuga(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert isinstance(done.exception, SystemExit)
    assert [fact for fact in facts if fact not in done.stderr] == [], done.stderr


def test_nothing_is_suggested_for_a_word_that_is_like_nothing() -> None:
    assert did_you_mean("chess", ["marauders", "broadsides"]) == ""


def test_the_help_of_a_group_cuts_no_sentence() -> None:
    for group in ("model", "game"):
        listed = tortuga(group, "--help").stdout.partition("Commands:")[2]
        assert listed
        assert "..." not in listed


@pytest.mark.parametrize("answer", ["0.5", "'first'"])
def test_a_simulated_bot_that_returns_no_whole_number_is_blamed(answer: str, folder: Path) -> None:
    (folder / "wild").mkdir()
    (folder / "wild" / "bot.toml").write_text('name = "wild"\nrun = ["python", "{dir}/bot.py"]\n')
    (folder / "wild" / "bot.py").write_text(f"def choose(question):\n    return {answer}\n")
    done = tortuga("simulate", "pirates_cove", "--bot", "wild", "--bot", "random", "--games", "2")
    assert (done.exit_code, done.stdout) == (1, "")
    for fact in ("the bot wild failed at question 1 ", f"choose returned {answer}", "a whole number from 0 to "):
        assert fact in done.stderr


@pytest.mark.parametrize(
    "full",
    [
        OSError(errno.ENOSPC, "No space left on device", "/tmp/.x-1/bot"),
        shutil.Error([("a", "/tmp/.x-1/bot/a", "[Errno 28] No space left on device: '/tmp/.x-1/bot/a'")]),
    ],
)
def test_a_new_bot_on_a_full_disk_names_its_folder(full: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def copytree(*_: object, **__: object) -> None:
        raise full

    monkeypatch.setattr(shutil, "copytree", copytree)
    done = tortuga("bot", "new", "mine", "--language", "python")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "cannot write mine: " in done.stderr
    assert done.stderr.rstrip().endswith("No space left on device")
