"""A worker that has lost its cluster joins again: with a worker that is a small script, and real signals."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

from support.chaos import is_alive
from support.command import TIED_TO_US
from support.served import wait_for

WORKER = """
import os, signal, sys, time
from pathlib import Path
with open(sys.argv[1], "a") as file:
    print(os.getpid(), file=file, flush=True)
if len(Path(sys.argv[1]).read_text().split()) < 3:
    sys.exit(1)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("ready", file=open(sys.argv[1] + ".ready", "w"), flush=True)
while True:
    time.sleep(60)
"""
KEEPER = """
import os, sys
from server.cluster.rejoin import keep_joined
command = [sys.executable, "-c", sys.argv[1], sys.argv[2]]
sys.exit(keep_joined(command, os.environ, sys.argv[3], joined_seconds=float(sys.argv[4])))
"""


def start(starts: Path, address: str, joined_seconds: float) -> subprocess.Popen[bytes]:
    """The command of a worker, with another program in place of Dask's."""
    words = [sys.executable, "-c", KEEPER, WORKER, str(starts), address, str(joined_seconds)]
    return subprocess.Popen([*TIED_TO_US, *words])


def test_a_worker_that_ends_by_itself_is_started_again_until_it_is_told_to_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as scheduler:
        keeper = start(tmp_path / "starts", f"tls://127.0.0.1:{scheduler.getsockname()[1]}", 0.0)
        wait_for((tmp_path / "starts.ready").exists)
        keeper.send_signal(signal.SIGTERM)
        assert keeper.wait(60) == 7, "the exit code of the worker"
    pids = [int(pid) for pid in (tmp_path / "starts").read_text().split()]
    assert len(set(pids)) == 3
    assert not any(map(is_alive, pids))


def test_a_worker_that_never_joined_is_not_started_again(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as scheduler:
        keeper = start(tmp_path / "starts", f"tls://127.0.0.1:{scheduler.getsockname()[1]}", 3600.0)
        assert keeper.wait(60) == 1
    assert len((tmp_path / "starts").read_text().split()) == 1
