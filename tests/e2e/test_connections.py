"""Strangers who open connections and say nothing: matches go on, records are written, and others get in afterwards."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.processes import resident_bytes
from server.system.processes import OWN_FILES, connections_per_door
from support.ladders import make_config
from support.served import Served, check_ladder, dialled_in, wait_for, wait_for_matches
from support.sizes import pick, sized

STRANGERS = r"""
import resource, select, socket, sys
count, wanted = int(sys.argv[2]), int(sys.argv[2]) + 100
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), max(hard, wanted)))
except ValueError:  # only root may have more
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
host, _, port = sys.argv[1].rpartition(":")
held = []
for number in range(count):
    try:
        one = socket.socket()
        held.append(one)
        one.bind((f"127.0.{1 + number // 10000}.{1 + number % 200}", 0))
        one.connect((host, int(port)))
        one.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")  # and an empty SETTINGS frame
    except OSError:
        pass  # refused, or no more files: that is allowed
print("open", flush=True)
sys.stdin.readline()
look = select.poll()
for one in held:
    look.register(one, select.POLLIN)
closed = 0
for number, _ in look.poll(0):
    try:
        while data := socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM).recv(65536, socket.MSG_DONTWAIT):
            pass
        closed += 1
    except BlockingIOError:
        pass
    except OSError:
        closed += 1
print(len(held), len(held) - closed, flush=True)
sys.stdin.read()
"""


PROCESSES_PER_DOOR = 2
"""One may not be allowed to open that many files."""


class Strangers:
    """Connections at some doors on which nothing is said but that it will be HTTP/2."""

    def __init__(self, count: int, *doors: str) -> None:
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-c", STRANGERS, door, str(count // PROCESSES_PER_DOOR)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for door in doors
            for _ in range(PROCESSES_PER_DOOR)
        ]

    def __enter__(self) -> Strangers:
        assert self._hear() == ["open"] * len(self._processes)
        return self

    def counts(self) -> tuple[int, int]:
        """How many connections were made, and how many of them the server has not closed yet."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        made, left = zip(*(map(int, line.split()) for line in self._hear()), strict=True)
        return sum(made), sum(left)

    def _hear(self) -> list[str]:
        return [process.stdout.readline().strip() for process in self._processes if process.stdout is not None]

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


@sized
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [1100, pick(quick=2000, ci=9500, full=20_000)])
def test_silent_connections_cost_no_match_and_keep_nobody_out_for_long(count: int, tmp_path: Path) -> None:
    served = Served(tmp_path, make_config(), open_files=1024).start()
    try:
        tokens = served.add("ann", "ben", "cat", "dan")
        first = {name: tokens[name] for name in ("ann", "ben")}
        with dialled_in(served.bots, first):
            wait_for_matches(served, 1)
            with Strangers(count, served.bots, served.public) as strangers:
                made, still_open = strangers.counts()
                wait_for_matches(served, served.status().matches + 3)
                memory = resident_bytes(served.process.pid, peak=True)
                assert memory < 500 * 2**20
                assert made > 1024, "more than it could open when it was started"
            left_at = time.monotonic()
            with dialled_in(served.bots, {name: tokens[name] for name in ("cat", "dan")}):
                wait_for(lambda: served.status().connected >= 4)
                waited = time.monotonic() - left_at
                wait_for_matches(served, served.status().matches + 2)
        status = served.status()
        assert (status.voided, status.faults) == (0, 0)
        told = served.told()
        print(f"{made} connections at both doors, {still_open} of them not closed by the server at once")
        print(f"{memory / 2**20:.0f} MB of memory at most; new bots came in {waited:.1f} s after the strangers left")
    finally:
        served.close()
    assert served.process.returncode == 0
    check_ladder(served.path, told)


def test_our_own_files_are_kept_apart() -> None:
    assert connections_per_door(1024) == (1024 - OWN_FILES) // 2
    assert 2 * connections_per_door(20_000) + OWN_FILES <= 20_000
    assert connections_per_door(100) == 16
