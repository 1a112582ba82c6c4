"""The command line as a user runs it: a real process, with a folder of its own, and a look at what it leaves behind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from support import forking

ROOT = Path(__file__).parents[2]
HOSTILE = Path(__file__).with_name("hostile.py")
ATTEMPTS = 4
TIED_TO_US = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
"""A command started behind these words is killed with the test run: by its time-out, by Ctrl-C or by kill -9."""
LIMIT_SECONDS = 240
"""Far more than any command of a test may take, also on a busy machine."""


def environment(folder: Path) -> dict[str, str]:
    """Our own, with all temporary files inside the folder."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    return {**os.environ, "TMPDIR": str(temporary), "COLUMNS": "200"}


def tortuga(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `tortuga …` inside the folder, with more in its environment, and wait for it."""
    known = {**environment(folder), **more}
    if forking.enabled and not any(name.startswith(("PYTHON", "GRPC")) for name in more):
        return forking.run_forked(words, folder, known, LIMIT_SECONDS)
    return subprocess.run(
        [sys.executable, "-m", "server", *words],
        cwd=folder,
        env=known,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start `tortuga …` inside the folder, in a process group of its own, as a shell would."""
    return subprocess.Popen(
        [*TIED_TO_US, sys.executable, "-m", "server", *words],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def play_json(folder: Path, *words: str) -> dict[str, Any]:
    """`tortuga play … --json`: the document it prints. A match that was void because this machine was late is played
    again, as in an event."""
    found: dict[str, Any] = {}
    for _ in range(ATTEMPTS):
        done = tortuga(folder, "play", *words, "--json")
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        if not found["void"]:
            break
    return found


def hostile(mode: str) -> str:
    """The SPEC of a hostile bot."""
    return python_bot(HOSTILE, mode)


def python_bot(script: Path, *arguments: str) -> str:
    """The SPEC of a bot that is a Python script. Paths may have spaces."""
    return f"cmd: {shlex.join([sys.executable, str(script), *arguments])}"


def processes_of(folder: Path) -> list[str]:
    """Command lines of all processes that were started for this folder.

    Bots carry it in their environment, jailed ones in the list of their mounts: the door comes from there. That list
    names it from the top of its file system, and writes spaces in its own way.
    """
    top = next(parent for parent in (folder, *folder.parents) if parent.is_mount())
    mounted = str(folder.relative_to(top)).replace(" ", r"\040")
    needles, found = {"environ": str(folder).encode(), "mountinfo": mounted.encode()}, []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if any(needle in (entry / name).read_bytes() for name, needle in needles.items()):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
    return found


def assert_nothing_left(folder: Path) -> None:
    """No process and no temporary file survives the command. What was killed may take a moment to vanish."""
    end = time.monotonic() + LIMIT_SECONDS
    while processes_of(folder) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes_of(folder) == []
    while list((folder / "tmp").iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list((folder / "tmp").iterdir()) == []
