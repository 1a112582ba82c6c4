"""What a jailed bot sees and what it does not: as root and as an ordinary user, whoever runs this test."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.jail.bubblewrap import jail_arguments
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.limits import ResourceLimits
from server.jail.runtime import ROOT, SYSTEM, python_paths
from support.jail import need, public_folder, run_confined, run_python

SHOWN = (*SYSTEM, "/etc", *map(str, python_paths()))
JAIL = Confinement(level=JailLevel.JAIL)
LOOK = """
import json, os, sys
def read(path):
    try:
        return open(path).read()
    except OSError as error:
        return type(error).__name__
def write(path):
    try:
        open(path, "x").close()
        return "written"
    except OSError as error:
        return error.strerror
status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
print(json.dumps({
    "root": sorted(os.listdir("/")),
    "etc": sorted(os.listdir("/etc")),
    "dev": sorted(os.listdir("/dev")),
    "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
    "environment": dict(os.environ),
    "uid": os.getuid(),
    "groups": os.getgroups(),
    "files": len(os.listdir("/proc/self/fd")),
    "status": {name: status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp")},
    "leads its session": os.getsid(0) == os.getpgrp(),
    "read": {path: read(path) for path in sys.argv[1:]},
    "written": {name: write(f"{name}/tortuga-test") for name in ("/", "/etc", "/usr", "/dev", "/proc/sys/kernel")},
    "scratch": {name: write(f"{name}/tortuga-test") for name in ("/scratch", "/tmp", "/dev/shm")},
    "host": os.uname().nodename,
    "commands": [open(f"/proc/{pid}/cmdline").read() for pid in os.listdir("/proc") if pid.isdigit()],
}))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with public_folder() as folder:
        yield folder


async def test_a_jailed_bot_sees_its_own_and_little_else(folder: Path) -> None:
    need(JailLevel.JAIL)
    for name in ("mine", "others"):
        (folder / name).mkdir()
        (folder / name / "file").write_text(name)
    secrets = [
        str(folder / "others" / "file"),
        "/etc/passwd",
        "/etc/hostname",
        "/etc/machine-id",
        str(ROOT / "pyproject.toml"),
        str(ROOT / "server" / "cli"),
    ]
    printed = await run_python(
        JAIL, LOOK, str(folder / "mine" / "file"), *secrets, sees=[folder / "mine"], environment={"TORTUGA_TOKEN": "t"}
    )
    seen = json.loads(printed)
    assert set(seen["root"]) <= {Path(name).parts[1] for name in ("/dev", "/proc", "/scratch", "/tmp", *SHOWN)}
    assert not {"passwd", "shadow", "hosts", "hostname", "resolv.conf"} & {*seen["etc"]}
    assert seen["dev"] == ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom"]
    assert len(seen["processes"]) <= 3
    assert seen["read"] == {str(folder / "mine" / "file"): "mine", **dict.fromkeys(secrets, "FileNotFoundError")}
    assert "written" not in seen["written"].values()
    assert set(seen["scratch"].values()) == {"written"}
    assert seen["status"] == {
        "CapEff": "0000000000000000",
        "CapPrm": "0000000000000000",
        "CapBnd": "0000000000000000",
        "NoNewPrivs": "1",
        "Seccomp": "2",
    }
    assert seen["files"] == 4  # three, and the folder that is being listed
    assert seen["host"] == "jail"


async def test_a_jailed_bot_cannot_tell_which_machine_it_is_on(folder: Path) -> None:
    need(JailLevel.JAIL)
    names = ["/proc/sys/kernel/hostname", "/proc/sys/kernel/domainname", "/proc/sys/kernel/random/boot_id"]
    seen = json.loads(await run_python(JAIL, LOOK, *names, "/proc/sys/kernel/random/uuid"))["read"]
    assert seen["/proc/sys/kernel/hostname"] == "jail\n"
    assert seen["/proc/sys/kernel/random/boot_id"] == "PermissionError"
    assert len(seen["/proc/sys/kernel/random/uuid"]) == 37, "programs need this one"


async def test_a_jailed_bot_is_told_of_its_own_world(folder: Path) -> None:
    need(JailLevel.JAIL)
    (folder / "door").touch()
    told = {"TORTUGA_ADDRESS": f"unix:{folder}/door", "TORTUGA_TOKEN": "token"}
    seen = json.loads(await run_python(JAIL, LOOK, "/run/tortuga/door", door=folder / "door", environment=told))
    environment = seen["environment"]
    assert {name: environment[name] for name in ("HOME", "TMPDIR", "TORTUGA_ADDRESS", "TORTUGA_TOKEN")} == {
        "HOME": "/scratch",
        "TMPDIR": "/tmp",
        "TORTUGA_ADDRESS": "unix:/run/tortuga/door",
        "TORTUGA_TOKEN": "token",
    }
    python = {"PYTHONPATH", "TORTUGA_SERVER_PREFIX"}  # which packages of the server's Python are for bots
    assert set(environment) - {"LANG", "LC_ALL", "LC_CTYPE", "TZ", "PATH", "PWD"} == {"HOME", "TMPDIR", *python, *told}
    assert seen["read"] == {"/run/tortuga/door": ""}
    assert not [command for command in seen["commands"] if str(folder) in command]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give away users")
@pytest.mark.parametrize("level", [JailLevel.PROCESS, JailLevel.FENCE, JailLevel.JAIL])
async def test_as_root_every_process_is_a_user_of_its_own(level: JailLevel) -> None:
    need(level)
    users = set()
    for _ in range(2):
        how, printed = await run_confined(Confinement(level=level), ["sh", "-c", "id -u; id -G"])
        assert how.detail == "exited with code 0"
        user, groups = printed.split()
        assert user == groups
        users.add(int(user))
    assert len(users) == 2
    assert min(users) > 0x70000000


async def test_hidden_folders_are_empty_in_the_jail_but_for_the_bot_inside(folder: Path) -> None:
    need(JailLevel.JAIL)
    for path in ("arena/seed", "arena/bots/mine/file", "arena/bots/other/file", "public"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    bot = folder / "arena" / "bots" / "mine"
    jail = Confinement(level=JailLevel.JAIL, hidden=(folder / "arena",))
    paths = [str(folder / path) for path in ("arena/seed", "arena/bots/mine/file", "arena/bots/other/file", "public")]
    seen = json.loads(await run_python(jail, LOOK, *paths, sees=[bot, folder]))
    assert list(seen["read"].values()) == ["FileNotFoundError", "arena/bots/mine/file", "FileNotFoundError", "public"]


async def test_the_sizes_of_scratch_folders_are_held() -> None:
    need(JailLevel.JAIL)
    small = Confinement(level=JailLevel.JAIL, limits=ResourceLimits(scratch_bytes=1 << 20))
    code = """
import errno
for folder in ("/scratch", "/tmp", "/dev/shm"):
    try:
        with open(folder + "/file", "wb") as file:
            file.write(bytes(2 << 20))
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    assert (await run_python(small, code)).split() == ["ENOSPC"] * 3


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user's bots are of that user")
def test_a_folder_that_only_root_may_read_is_refused_with_the_cure(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(ConfigError, match=r"chmod -R o\+rX"):
        JAIL.order(("true",), sees=(tmp_path,), door=None)
    process = Confinement(level=JailLevel.PROCESS)
    with pytest.raises(ConfigError, match="a user of its own"):
        process.order(("true",), sees=(tmp_path,), door=None)


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user's bots are of that user")
def test_an_environment_that_only_root_may_read_is_refused_with_the_cure(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after `umask 077; python3 -m venv`: no bot could start its Python."""
    environment = tmp_path / "venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    environment.chmod(0o700)
    monkeypatch.setattr("server.jail.runtime.python_paths", lambda: (environment,))
    with pytest.raises(ConfigError, match=rf"chmod -R o\+rX {environment}"):
        JAIL.order(("python",), sees=(folder,), door=None, search=str(environment / "bin"))


def test_an_outer_mount_never_covers_an_inner_one() -> None:
    visible = [Path("/usr"), Path("/opt/a/b/c"), Path("/opt/a")]
    words = jail_arguments(visible, hidden=(), door=Path("/x/door"), limits=ResourceLimits(), as_root=False)
    places = [words[index + 2] for index, word in enumerate(words) if word in ("--ro-bind", "--dev-bind")]
    for index, place in enumerate(places):
        assert not [earlier for earlier in places[:index] if Path(earlier).is_relative_to(place) and earlier != place]
    assert words[-4:] == ["--remount-ro", "/", "--chdir", "/scratch"]
