"""Strangers who open connections and say nothing: matches go on, records are written, and others get in afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.arena.open_files import OWN_FILES, connections_per_door
from server.bench.process_costs import resident_bytes
from support.ladders import make_config
from support.served import Served, check_ladder, dialled_in, wait_for, wait_for_matches
from support.sizes import pick, sized

STRANGERS = r"""
import resource, socket, sys
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
held = []
for door in range(1, len(sys.argv) - 1):
    host, _, port = sys.argv[door].rpartition(":")
    for number in range(int(sys.argv[-1])):
        one = socket.socket()
        one.bind((f"127.0.{1 + number // 10000}.{1 + number % 200}", 0))
        try:
            one.connect((host, int(port)))
            one.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")  # and an empty SETTINGS frame
        except OSError:
            pass  # refused: that is allowed
        held.append(one)
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def strangers(count: int, *doors: str) -> Iterator[None]:
    """So many connections at each door on which nothing is said."""
    command = [sys.executable, "-c", STRANGERS, *doors, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        try:
            yield
        finally:
            process.kill()


@sized
@pytest.mark.timeout(300)
@pytest.mark.parametrize("count", [1100, pick(quick=2000, ci=9500)])
def test_silent_connections_cost_no_match_and_keep_nobody_out_for_long(count: int, tmp_path: Path) -> None:
    served = Served(tmp_path, make_config(), open_files=1024).start()
    try:
        tokens = served.add("ann", "ben", "cat", "dan")
        first = {name: tokens[name] for name in ("ann", "ben")}
        with dialled_in(served.bots, first):
            wait_for_matches(served, 1)
            with strangers(count, served.bots, served.public):
                before = served.status().matches
                wait_for_matches(served, before + 3)
                assert resident_bytes(served.process.pid) < 500 * 2**20
            with dialled_in(served.bots, {name: tokens[name] for name in ("cat", "dan")}):
                wait_for(lambda: served.status().connected >= 4)
                wait_for_matches(served, served.status().matches + 2)
        status = served.status()
        assert (status.voided, status.faults) == (0, 0)
        told = served.told()
    finally:
        served.close()
    assert served.process.returncode == 0
    check_ladder(served.path, told)


def test_our_own_files_are_kept_apart() -> None:
    assert connections_per_door(1024) == (1024 - OWN_FILES) // 2
    assert 2 * connections_per_door(20_000) + OWN_FILES <= 20_000
    assert connections_per_door(100) == 16
