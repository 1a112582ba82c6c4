"""Whose bots are started below the level jail."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError
from server.bots import strangers
from server.bots.spec import BotSpec, find_bot
from server.bots.strangers import find_stranger, own_users, refuse_strangers
from server.cli.main import main
from server.jail import machine
from server.jail.level import JailLevel
from server.tournament import event
from server.tournament.folder import Folder

SOMEBODY = frozenset({os.getuid() + 1})
"""Users to whom nothing here belongs: for them the folders of this test are a stranger's."""


@pytest.fixture
def spec(tmp_path: Path) -> BotSpec:
    folder = tmp_path / "eve"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "moves.py").touch()
    (folder / "bot.toml").write_text('name = "eve"\nrun = ["python", "{dir}/bot.py"]\n')
    return find_bot(str(folder))


@pytest.mark.parametrize("level", JailLevel)
def test_a_stranger_s_bot_is_started_in_a_jail_only(spec: BotSpec, level: JailLevel) -> None:
    if level.holds(JailLevel.JAIL):
        refuse_strangers([spec], level, SOMEBODY)
        return
    with pytest.raises(ConfigError, match=rf"{spec.folder} belongs to .*\beve\b.* {level} only") as refusal:
        refuse_strangers([spec], level, SOMEBODY)
    assert re.search(rf"--jail {level}\b.*jail = ", str(refusal.value))


def test_without_a_jail_the_refusal_says_how_to_get_one(spec: BotSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "obstacle", lambda level: f"bwrap is not installed ({machine.INSTALL['bwrap']})")
    with pytest.raises(ConfigError, match=r"not installed \(.*bubblewrap"):
        refuse_strangers([spec], JailLevel.FENCE, SOMEBODY)


def test_one_s_own_bots_samples_and_commands_are_nobody_else_s(spec: BotSpec) -> None:
    assert find_stranger(spec, own_users()) is None
    refuse_strangers([spec, find_bot("random"), find_bot("cmd: true")], JailLevel.NONE)
    assert find_stranger(find_bot("random"), SOMEBODY) is None
    assert find_stranger(find_bot("cmd: true"), SOMEBODY) is None


def test_one_file_of_somebody_else_makes_a_folder_theirs(spec: BotSpec) -> None:
    assert spec.folder is not None
    if os.getuid() != 0:
        pytest.skip("only root can give a file away")
    moves = spec.folder / "lib" / "moves.py"
    os.chown(moves, 4711, -1)
    assert find_stranger(spec, own_users()) == (moves, 4711)


def test_who_called_sudo_is_no_stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", "1000")
    assert own_users() == {0, 1000}
    monkeypatch.setattr(os, "getuid", lambda: 1001)
    assert own_users() == {0, 1001}, "anybody can set a variable"


@pytest.mark.parametrize(
    ("words", "manifest", "is_refused"),
    [([], "", True), (["--jail", "process"], "", False), ([], 'jail = "process"\n', False)],
    ids=["auto", "--jail", "manifest"],
)
def test_an_event_refuses_a_stranger_s_bot_unless_a_level_was_chosen(
    words: list[str],
    manifest: str,
    is_refused: bool,
    spec: BotSpec,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(*words: object, **keys: object) -> None:
        raise ConfigError("it begins")

    monkeypatch.setattr(event, "run_event", play)
    monkeypatch.setattr(strangers, "own_users", lambda: SOMEBODY)
    monkeypatch.setattr(machine, "best_level", lambda: JailLevel.PROCESS)
    folder = Folder(tmp_path / "event")
    assert CliRunner().invoke(main, ["tournament", "new", str(folder.path)]).exit_code == 0
    text = folder.manifest.read_text().replace('jail = "none"\n', manifest or 'jail = "none"\n')
    text = text.replace('spec = "gunner"', f'spec = "{spec.folder}"').replace('spec = "random"', 'spec = "cmd: true"')
    folder.manifest.write_text(text)
    done = CliRunner().invoke(main, ["tournament", "run", str(folder.path), *words])
    assert done.exit_code == 2
    assert ("belongs to" in done.output, "it begins" in done.output) == (is_refused, not is_refused)
    assert not folder.agreement.exists()
