"""`tortuga` commands forked from an interpreter that has loaded everything, which saves a second of work for each.

Tests start most commands so: a process of its own, as real as any, that skips only the start of Python and the
imports. `smoke` tests (tests/conftest.py) start theirs as a user does. Nothing in the loaded interpreter has begun a
thread or touched gRPC beyond importing it.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
LIMIT_BYTES = 1 << 20
"""More than a command with its environment takes."""

enabled = False
"""Whether the test that runs now may fork its commands; tests/conftest.py sets it."""
_idle: list[ForkServer] = []


class ForkServer:
    """A loaded interpreter that runs one command at a time, in a child."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],  # it ends when our end of the line is closed
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def run(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], seconds: float
    ) -> subprocess.CompletedProcess[str]:
        """Run `tortuga …` and wait for it."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            request = json.dumps([list(words), str(cwd), dict(environment)]).encode()
            socket.send_fds(self._line, [request], [out.fileno(), err.fileno()])
            pid = int(self._line.recv(LIMIT_BYTES))
            self._line.settimeout(seconds)
            try:
                code = int(self._line.recv(LIMIT_BYTES))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._line.settimeout(None)
                self._line.recv(LIMIT_BYTES)
                raise subprocess.TimeoutExpired(["tortuga", *words], seconds) from None
            finally:
                self._line.settimeout(None)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
            return subprocess.CompletedProcess(["tortuga", *words], code, *texts)

    def close(self) -> None:
        """End it: it has nothing to clean up."""
        self._line.close()
        self._process.wait()


def run_forked(
    words: Sequence[str], cwd: Path, environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run `tortuga …` as a child of a loaded interpreter, and wait for it."""
    server = _idle.pop() if _idle else ForkServer()
    done = server.run(words, cwd, environment, seconds)
    _idle.append(server)
    return done


def close_all() -> None:
    """End the interpreters that wait for commands."""
    while _idle:
        _idle.pop().close()


def _load() -> None:
    """Import all that any command imports."""
    importlib.import_module("referee.door.service")  # it sets up gRPC, so it comes before grpc itself
    package = importlib.import_module("server")
    for module in pkgutil.walk_packages(package.__path__, "server."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _become(words: list[str], cwd: str, environment: dict[str, str], out: int, err: int) -> None:
    """Turn this fresh child into the command. It goes when the interpreter goes that forked it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.argv = ["tortuga", *words]


def _serve(line: socket.socket) -> None:
    """Fork a child for each command. Returns only in a child."""
    while True:
        content, descriptors, _, _ = socket.recv_fds(line, LIMIT_BYTES, 2)
        if not content:
            os._exit(0)
        words, cwd, environment = json.loads(content)
        child = os.fork()
        if child == 0:
            line.close()
            _become(words, cwd, environment, *descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(child).encode())
        _, status = os.waitpid(child, 0)
        line.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    sys.path.pop(0)  # this file's folder, whose modules are not to be found by their bare names
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    from server.cli.main import main

    main(prog_name="python -m server")
