"""docs/organisers.md keeps its word: its commands are typed in its order, by bash, into a folder of their own.

Its files are written as it says. Two things differ: the machine is called localhost, and the doors of the arena are
free ports, since others may use the usual ones.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from server.jail.level import JailLevel
from support import sizes
from support.command import ROOT, TIED_TO_US, assert_nothing_left, environment
from support.jail import need
from support.served import PATIENCE_SECONDS, wait_for

GUIDE = (ROOT / "docs" / "organisers.md").read_text()
BLOCK = re.compile(r"(?:^`(?P<file>[\w./]+)`\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = "arena.example.org"
SERVE, AFTERWARDS = "tortuga serve ", "tortuga fsck "
NOT_TYPED = {
    "make install": "the test runs in what it made",
    "export PATH=": "the test runs in what it made",
    **sizes.pick(quick={"tortuga server kits fetch": "it needs the network"}, ci={}),
}
"""Beginnings of the commands that a test cannot type, with the reason."""
TYPED = sizes.pick(quick=60, ci=61)
"""Commands of the guide that are typed, at least: one that a changed guide loses by accident is missed."""

pytestmark = [
    sizes.sized,
    pytest.mark.timeout(6 * PATIENCE_SECONDS),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


def typed(block: str) -> str:
    """What is typed of a block."""
    lines = [line for line in block.splitlines() if not line.startswith(tuple(NOT_TYPED))]
    return "\n".join([*lines, ""]).replace(NAME, "localhost")


def write_file(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    if name == "cup/arena.toml":
        with socket.socket() as one, socket.socket() as two:
            for door in (one, two):
                door.bind(("127.0.0.1", 0))
            ports = [door.getsockname()[1] for door in (one, two)]
        text = f'listen = "127.0.0.1:{ports[0]}"\npublic = "127.0.0.1:{ports[1]}"\nweb = ""\n{text}'
    path.write_text(text)


class Typist:
    """A terminal for the organiser and one for the server, both in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = environment(folder)
        self._environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        for name in [name for name in self._environment if name.startswith("TORTUGA_")]:
            if name != "TORTUGA_TIMEOUT":
                del self._environment[name]
        self.log = folder / "typed.log"
        self._script: list[str] = ["set -e -x"]
        self._shells: list[int] = []
        self.server: subprocess.Popen[bytes] | None = None

    def serve(self, command: str) -> None:
        """Start the server in a terminal of its own."""
        with (self.folder / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [*TIED_TO_US, "bash", "-c", f"exec {command}"],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_for(self._is_up)

    def _is_up(self) -> bool:
        assert self.server is not None
        assert self.server.poll() is None, (self.folder / "server.log").read_text()
        return (self.folder / "cup" / "admin.key").exists() and (self.folder / "cup" / "admin.sock").exists()

    def type(self, script: str) -> None:
        """Type commands. What the first of them exported holds for the later ones."""
        exports = re.findall(r"^export .*", script, re.MULTILINE)
        with self.log.open("ab") as log:
            shell = subprocess.Popen(
                [*TIED_TO_US, "bash", "-c", "\n".join([*self._script, script])],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
            )
            self._shells.append(shell.pid)
        code = shell.wait(3 * PATIENCE_SECONDS)
        assert code == 0, f"{self.log.read_text()[-4000:]}\n{(self.folder / 'server.log').read_text()[-2000:]}"
        self._script += exports

    def stop(self) -> None:
        """Ctrl-C in the server's terminal."""
        assert self.server is not None
        self.server.send_signal(signal.SIGINT)
        assert self.server.wait(PATIENCE_SECONDS) == 0

    def close(self) -> None:
        """Close both terminals: what was started with & ends, too."""
        for shell in self._shells:
            with suppress(ProcessLookupError):
                os.killpg(shell, signal.SIGTERM)
        if self.server is not None and self.server.poll() is None:
            self.server.kill()
            self.server.wait()


@contextmanager
def typing(folder: Path) -> Iterator[Typist]:
    typist = Typist(folder)
    try:
        yield typist
    finally:
        typist.close()


def test_the_guide_for_organisers_is_typed_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    need(JailLevel.JAIL)
    commands = 0
    with typing(tmp_path) as typist:
        for block in BLOCK.finditer(GUIDE):
            kind, text = block["kind"], typed(block["text"])
            if kind != "sh":
                assert block["file"], f"a block that nobody types or writes: {text}"
                write_file(tmp_path, block["file"], text)
                continue
            commands += len([line for line in text.splitlines() if line])
            if text.startswith(SERVE):
                typist.serve(text)
                continue
            if text.startswith(AFTERWARDS):
                typist.stop()
            typist.type(text)
    log = typist.log.read_text()
    assert "wins final" in log
    assert "cutlass is disqualified" in log
    assert (tmp_path / "cup" / "archive" / "2026-autumn" / "report.html").exists()
    assert commands >= TYPED
    assert_nothing_left(tmp_path)


def test_what_is_not_typed_is_in_the_guide() -> None:
    for beginning in NOT_TYPED:
        assert re.search(f"^{re.escape(beginning)}", GUIDE, re.MULTILINE), beginning
