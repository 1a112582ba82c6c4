"""A fenced bot reaches nothing of the server's, which may be of the same user: with every version of Landlock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.jail import confinement
from server.jail.confinement import Confinement
from server.jail.landlock import OF_FILES, RESOLVE_UNIX, abi, fence_rules
from server.jail.level import JailLevel
from support.jail import need, public_folder, run_python

VERSIONS = range(1, max(1, abi()) + 1)

PROBE = """
import json, os, signal, socket, sys
given = json.loads(sys.argv[1])
def attempt(name, action):
    try:
        action()
        print("open:", name)
    except OSError as error:
        pass
def dial(address):
    with socket.socket(socket.AF_UNIX) as it:
        it.settimeout(5)
        it.connect(address)
        return it.recv(10)
folder, victim = given["folder"], given["victim"]
secret = folder + "/secret"
attempt("read", lambda: open(secret).read())
attempt("write", lambda: open(secret, "r+").write("x"))
attempt("append", lambda: open(secret, "a").write("x"))
attempt("truncate", lambda: os.truncate(secret, 0))
attempt("empty by opening", lambda: os.open(secret, os.O_WRONLY | os.O_TRUNC))
attempt("chmod", lambda: os.chmod(secret, 0o777))
attempt("utime", lambda: os.utime(secret))
attempt("xattr", lambda: os.setxattr(secret, "user.a", b"b"))
attempt("remove", lambda: os.remove(secret))
attempt("rename", lambda: os.rename(secret, secret + "2"))
attempt("rename into scratch", lambda: os.rename(secret, "mine"))
attempt("link", lambda: os.link(secret, "mine"))
attempt("list", lambda: os.listdir(folder))
attempt("make", lambda: os.mkdir(folder + "/new"))
os.symlink(secret, "link")
attempt("read by a link", lambda: open("link").read())
attempt("read by /proc", lambda: open(f"/proc/self/root{secret}").read())
attempt("signal", lambda: os.kill(victim, signal.SIGTERM))
attempt("signal 0", lambda: os.kill(victim, 0))
attempt("command line", lambda: open(f"/proc/{victim}/cmdline").read())
attempt("environment", lambda: open(f"/proc/{victim}/environ").read())
attempt("processes", lambda: os.listdir("/proc"))
attempt("path socket", lambda: dial(folder + "/other"))
attempt("abstract socket", lambda: dial("\\0tortuga-test-" + given["abstract"]))
attempt("listen", lambda: socket.socket(socket.AF_UNIX).bind("mine.sock"))
attempt("shared memory", lambda: open("/dev/shm/tortuga-test", "w"))
attempt("/tmp", lambda: open("/tmp/tortuga-test", "w"))
print("door:", dial(given["door"]).decode())
print("itself:", "Name" in open("/proc/self/status").read(), os.kill(os.getpid(), 0))
open("file", "w").write("x" * 10000); os.rename("file", "other"); os.mkdir("folder")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with public_folder() as folder:
        yield folder


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_a_fenced_bot_reaches(version: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(JailLevel.FENCE)
    monkeypatch.setattr(confinement, "abi", lambda: version)
    (folder / "secret").write_text("seed")
    (folder / "secret").chmod(0o666)
    victim = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220
    abstract = os.urandom(6).hex()
    door = str(folder / "door")
    try:
        with listening([door, str(folder / "other"), f"\0tortuga-test-{abstract}"]):
            (folder / "other").chmod(0o777)
            given = {"folder": str(folder), "victim": victim.pid, "abstract": abstract, "door": door}
            printed = await run_python(
                Confinement(level=JailLevel.FENCE), PROBE, json.dumps(given), door=folder / "door"
            )
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()
    assert printed.splitlines() == ["door: hello", "itself: True None"]
    assert (folder / "secret").read_text() == "seed"


async def test_a_fence_around_what_it_has_to_hide_is_refused(folder: Path) -> None:
    need(JailLevel.FENCE)
    event = folder / "bot" / "event"
    event.mkdir(parents=True)
    fenced = Confinement(level=JailLevel.FENCE, hidden=(event,))
    with pytest.raises(ConfigError, match=r"in a fence.*/bot/event"):
        fenced.order((sys.executable,), sees=(folder / "bot",), door=None, scratch=folder)


def test_each_version_of_landlock_is_told_what_it_knows(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for version, rights in [(1, 13), (2, 14), (3, 15), (4, 15), (5, 16), (6, 16), (8, 16), (9, 17), (12, 17)]:
        rules = fence_rules([tmp_path / "file", tmp_path], writable=[], door=tmp_path / "file", version=version)
        governed, network, scopes = rules["governed"]
        assert (governed, network > 0, scopes > 0) == ((1 << rights) - 1, version >= 4, version >= 6)
        for path, kept in rules["rules"]:
            assert kept & ~governed == 0
            assert Path(path).is_dir() or kept & ~OF_FILES == 0
        assert ([str(tmp_path / "file"), RESOLVE_UNIX] in rules["rules"]) == (version >= 9)


@contextmanager
def listening(names: list[str]) -> Iterator[None]:
    """Sockets that listen under these names, and say hello to whoever dials them."""
    code = (
        "import json, selectors, socket, sys\n"
        "selector = selectors.DefaultSelector()\n"
        "for name in json.loads(sys.argv[1]):\n"
        "    it = socket.socket(socket.AF_UNIX); it.bind(name); it.listen(); selector.register(it, 1)\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for key, _ in selector.select(): key.fileobj.accept()[0].sendall(b'hello')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, json.dumps(names)], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield
        finally:
            server.kill()
