"""What `tortuga doctor` says of a machine, and what to do about what is missing."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.arena.config import ArenaConfig
from server.bots.kits import find_kits
from server.cli.main import main
from server.doctor import checkup
from server.doctor.checkup import CheckupFinding, install
from server.doctor.checkup import CheckupState as State
from server.jail import machine
from server.jail.bubblewrap import find_tool
from server.jail.level import JailLevel


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without bubblewrap."""
    monkeypatch.setattr(machine, "find_tool", lambda name: "" if name == "bwrap" else find_tool(name))
    machine.obstacle.cache_clear()
    yield
    machine.obstacle.cache_clear()


def by_name() -> dict[str, CheckupFinding]:
    return {finding.name: finding for finding in checkup.examine()}


def test_everything_of_the_issue_is_looked_at() -> None:
    found = by_name()
    machine_names = [
        "cores",
        "load",
        "clock",
        "open files",
        "disk here",
        "disk for scratch",
        "bots' port",
        "public port",
    ]
    assert list(found) == [*map(str, JailLevel), *machine_names, *find_kits()]
    for finding in found.values():
        assert finding.detail


@pytest.mark.usefixtures("no_bubblewrap")
def test_without_bubblewrap_the_jail_is_missing_and_the_command_that_installs_it_is_told() -> None:
    jail = by_name()["jail"]
    assert jail.state is State.MISSING
    assert "install bubblewrap" in jail.cure
    assert by_name()["none"].state is State.GOOD


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian\n", "apt install bubblewrap"),
        ('ID=ubuntu\nID_LIKE="debian"\n', "apt install bubblewrap"),
        ("ID=fedora\n", "dnf install bubblewrap"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install bubblewrap"),
        ("ID=void\n", "apt install.*Fedora.*dnf"),
    ],
)
def test_cures_speak_the_language_of_the_system(
    release: str, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "os-release").write_text(release)
    monkeypatch.setattr(checkup, "RELEASE", tmp_path / "os-release")
    assert re.search(command, install("bwrap"))


def test_every_tool_of_a_kit_has_a_package() -> None:
    tools = {tool for kit in find_kits().values() for tool in kit.tools}
    needs = {name.partition(" (")[0] for kit in find_kits().values() for name in kit.needs}
    assert tools | needs <= set(checkup.PACKAGES)


@pytest.mark.parametrize(
    ("reason", "in_a_container", "restricted", "cure"),
    [
        ("bwrap: setting up uid map: Permission denied", False, True, "apparmor_restrict_unprivileged_userns=0"),
        ("bwrap: No permissions to create new namespace", True, False, "seccomp=unconfined"),
        ("the kernel has no Landlock", False, False, "landlock in its lsm= list"),
    ],
)
def test_known_obstacles_have_cures(
    reason: str, in_a_container: bool, restricted: bool, cure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup, "in_container", lambda: in_a_container)
    monkeypatch.setattr(checkup, "restricted_by_apparmor", lambda: restricted)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert cure in checkup.level_cure(reason)


@pytest.mark.parametrize(("late_seconds", "state"), [(0.0, State.GOOD), (0.05, State.NOTE), (0.5, State.MISSING)])
def test_a_machine_that_wakes_up_late_is_too_loaded(
    late_seconds: float, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds + late_seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    assert checkup.load().state is state


def test_a_port_that_is_taken_is_noted() -> None:
    host, _, port = ArenaConfig(ladders=()).listen.rpartition(":")
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind((host, int(port)))
        except OSError:
            pytest.skip("somebody else has the port, so that we cannot take it")
        line.listen()
        found = {finding.name: finding for finding in checkup.ports()}
    assert found["bots' port"].state is State.NOTE
    assert port in found["bots' port"].cure


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["doctor", *words])
    return done.exit_code, done.output


def test_a_machine_that_lacks_nothing_required_is_fine() -> None:
    code, told = run("--no-attempts", "--json", "--require", "none")
    document = json.loads(told)
    assert code == (1 if document["missing"] else 0)
    assert {finding["name"] for finding in document["findings"]} >= {"cores", "jail", "python"}
    assert document["attempts"] == []


@pytest.mark.usefixtures("no_bubblewrap")
def test_a_required_level_that_is_missing_is_a_failure() -> None:
    code, told = run("--no-attempts", "--require", "jail")
    assert code == 1
    assert re.search(r"required.*missing.*\bjail\b.*bwrap", told)


@pytest.mark.usefixtures("no_bubblewrap")
def test_attempts_at_a_level_that_is_missing_are_refused() -> None:
    code, told = run("--jail", "jail")
    assert code == 2
    assert re.search(r"confined.*\bjail\b.*bwrap", told)


def test_a_level_that_is_not_known_is_refused() -> None:
    code, told = run("--require", "castle")
    assert code == 2
    assert "castle" in told
