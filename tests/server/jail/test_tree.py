"""What the processes of a bot use together, where no cgroup counts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from server.jail import tree
from server.jail.tree import Tree, find_below, measure_folder, read_use

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

PLENTY = 1 << 40


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


def below(parent: str, children: int) -> subprocess.Popen[bytes]:
    """A process that runs `parent`, then starts children of its own, and waits."""
    code = (
        f"import os, time, threading, mmap\n{parent}\nfor _ in range({children}):\n    os.fork() or time.sleep(600)\n"
    )
    return subprocess.Popen([sys.executable, "-c", f"{code}time.sleep(600)"], process_group=0)


def counted(process: subprocess.Popen[bytes], scratch: Path, **limits: int) -> Tree:
    wide = {"memory_bytes": PLENTY, "tasks": PLENTY, "scratch_bytes": PLENTY}
    return Tree(process.pid, str(scratch), **{**wide, **limits})


def end(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, 9)
    process.wait()


def test_processes_and_threads_are_counted_together(tmp_path: Path) -> None:
    # The parent of the tree stands for the keeper, which does not count.
    process = below(
        "os.fork() and time.sleep(600)\n[threading.Thread(target=time.sleep, args=(600,)).start() for _ in 'ab']", 2
    )
    try:
        until(lambda: len(find_below(process.pid)) == 3)
        until(lambda: sum(read_use(pid)[0] for pid in find_below(process.pid)) == 5)
        assert counted(process, tmp_path, tasks=5).crossed() is None
        assert counted(process, tmp_path, tasks=4).crossed() == {"limit": "tasks", "used": 5, "allowed": 4}
    finally:
        end(process)


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    size = 64 << 20
    eat = f"os.fork() and time.sleep(600)\neaten = mmap.mmap(-1, {size})\neaten.write(b'x' * {size})"
    process = below(eat, 3)
    try:
        until(lambda: len(find_below(process.pid)) == 4)
        assert counted(process, tmp_path, memory_bytes=2 * size).crossed() is None
        crossing = counted(process, tmp_path, memory_bytes=size // 2).crossed()
        assert crossing is not None
        assert (crossing["limit"], crossing["allowed"]) == ("memory", size // 2)
        assert size * 0.9 < int(crossing["used"]) < size * 2
    finally:
        end(process)


def test_a_long_chain_of_processes_is_walked_to_its_end() -> None:
    deep = 50
    code = f"import os, time\nfor _ in range({deep}):\n    if os.fork(): break\ntime.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code], process_group=0)
    try:
        until(lambda: len(find_below(process.pid)) == deep)
        assert len(find_below(process.pid, enough=10)) == 11
    finally:
        end(process)


def test_files_count_by_what_they_use(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "large").write_bytes(b"x" * (1 << 20))
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert 1 << 20 <= measure_folder(str(tmp_path), PLENTY) < 2 << 20
    assert measure_folder(str(tmp_path), 1 << 19) > 1 << 19


def test_empty_files_count_too(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert measure_folder(str(tmp_path), PLENTY) == 100 * tree.SMALLEST_FILE_BYTES


def test_what_is_too_deep_to_be_measured_counts_as_too_much(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("x" * 200, dir_fd=here)
        deeper = os.open("x" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    assert measure_folder(str(tmp_path), PLENTY) == PLENTY + 1


def test_a_folder_that_is_gone_uses_nothing(tmp_path: Path) -> None:
    assert measure_folder(str(tmp_path / "gone"), PLENTY) == 0


def test_a_full_scratch_folder_is_a_crossing(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (1 << 20))
    crossing = Tree(os.getpid(), str(tmp_path), memory_bytes=PLENTY, tasks=PLENTY, scratch_bytes=1 << 19).crossed()
    assert crossing is not None
    assert (crossing["limit"], crossing["allowed"]) == ("scratch", 1 << 19)
