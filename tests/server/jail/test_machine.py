"""What a machine lacks is told with the cure, and never replaced in silence by less."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from referee.errors import ConfigError
from server.jail import confinement, machine
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import best_level, choose_level, obstacle


@pytest.fixture(autouse=True)
def ask_anew() -> Iterator[None]:
    """What is known of this machine is asked once per process; here it changes."""
    obstacle.cache_clear()
    yield
    obstacle.cache_clear()


def test_without_bubblewrap_there_is_no_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_tool", lambda name: "" if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.setattr(machine, "_try", lambda level: "")
    monkeypatch.setattr(machine, "load_library", lambda: object())
    missing = obstacle(JailLevel.JAIL)
    assert missing.startswith("bwrap is not installed")
    assert "apt install bubblewrap," in missing
    assert "dnf install bubblewrap" in missing
    with pytest.raises(ConfigError, match="level jail here: bwrap"):
        choose_level(JailLevel.JAIL)
    assert not best_level().holds(JailLevel.JAIL)


def test_without_the_library_there_is_neither_fence_nor_jail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_library", lambda: None)
    for level in (JailLevel.FENCE, JailLevel.JAIL, JailLevel.JAIL_CGROUP):
        missing = obstacle(level)
        assert missing.startswith("libseccomp.so.2 is not")
        assert "apt install libseccomp2" in missing
        assert "dnf install libseccomp)" in missing


def test_without_landlock_there_is_no_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_library", lambda: object())
    monkeypatch.setattr(machine, "abi", lambda: 0)
    assert "no Landlock" in obstacle(JailLevel.FENCE)


@pytest.mark.skipif(os.getuid() == 0, reason="root's bots are users of their own, whom permissions keep from sockets")
def test_where_a_keeper_cannot_take_sockets_there_is_no_fence_for_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "load_library", lambda: object())
    monkeypatch.setattr(machine, "abi", lambda: 7)
    monkeypatch.setattr(confinement, "abi", lambda: 7)
    monkeypatch.setattr(confinement, "can_dial", lambda: False)
    assert "--cap-add SYS_PTRACE" in obstacle(JailLevel.FENCE)


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        ("bwrap: Unknown option --size", "bubblewrap is too old"),
        ("bwrap: something else", "bwrap: something else"),
    ],
)
def test_what_bubblewrap_says_is_told_with_a_cure(words: str, cure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess((), 1, "", f"first\n{words}\n")

    monkeypatch.setattr(machine, "find_tool", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(machine, "load_library", lambda: object())
    monkeypatch.setattr(Confinement, "order", lambda *_, **__: {})
    monkeypatch.setattr(subprocess, "run", refuse)
    assert cure in obstacle(JailLevel.JAIL)


def test_no_level_is_always_to_be_had() -> None:
    assert obstacle(JailLevel.NONE) == ""
    assert choose_level(JailLevel.NONE) is JailLevel.NONE
