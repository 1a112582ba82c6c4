"""What all programs share: how a try is made and told, and system calls that Python has no function for."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Action = Callable[[], str]
"""Tries something. Returns what it reached; raises OSError or AttemptRefused if it was held, Absent if there is nothing
here to try it on."""
Tries = Iterator[tuple[str, Action]]
"""What a program tries, one after the other, each with a name."""

LIBC = ctypes.CDLL(None, use_errno=True)

ARCHITECTURES = ("x86_64", "aarch64")
SYSTEM_CALLS = {
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "unshare": (272, 97),
    "clone": (56, 220),
    "clone3": (435, 435),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "fsopen": (430, 430),
    "open_tree": (428, 428),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "syslog": (103, 116),
}
"""Their numbers on each of these architectures."""


class AttemptRefused(Exception):
    """It was held, and this is how."""


class Absent(Exception):
    """This machine has nothing to try it on."""


class Left(str):
    """A path that the bot wrote. Whoever started the bot looks whether it is there outside."""


class Targets:
    """The facts that a bot may know of its surroundings at best: paths, process ids, ports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: dict[str, Any] = json.loads((folder / "targets.json").read_text())

    def text(self, name: str) -> str:
        """Return a path or a word."""
        return str(self.told[name])

    def number(self, name: str) -> int:
        """Return a port, a key or a limit."""
        return int(self.told[name])

    def process(self, name: str) -> int:
        """Return the id of a process, if that id means the same process here: a pid namespace has its own."""
        pid, started = self.told[name]
        try:
            seen = start_time(pid)
        except FileNotFoundError:
            raise AttemptRefused("no such process is seen here") from None
        except OSError:
            return int(pid)  # /proc is closed, which says nothing about the process
        if seen != started:
            raise AttemptRefused("its number means another process here")
        return int(pid)

    def nonce(self) -> str:
        """Return a word that names what this run leaves anywhere."""
        return self.text("nonce")


def start_time(pid: int) -> int:
    """Return when a process was started, in clock ticks since boot."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])


def call(name: str, *arguments: int | bytes | ctypes.Array[Any] | ctypes.Structure | None) -> int:
    """Make a system call. Raises OSError if it fails."""
    if platform.machine() not in ARCHITECTURES:
        raise Absent(f"the system calls of {platform.machine()} are not known to us")
    number = SYSTEM_CALLS[name][ARCHITECTURES.index(platform.machine())]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *map(as_word, arguments))
    if result < 0:
        refusal = ctypes.get_errno()
        raise OSError(refusal, os.strerror(refusal), name)
    return int(result)


def as_word(value: Any) -> Any:
    """Convert an argument to what the kernel takes: 64 bits, or a pointer."""
    if isinstance(value, int):
        return ctypes.c_long(value)
    return ctypes.byref(value) if isinstance(value, ctypes.Structure) else value


def tell(**facts: Any) -> None:
    """Print one line for whoever started us."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def make_try(name: str, action: Action) -> None:
    """Try something and tell how it ended."""
    outcome, detail = judge(action)
    tell(**{"try": name}, outcome=outcome, detail=detail[:200])


def judge(action: Action) -> tuple[str, str]:
    """Return how a try ended: reached, left, refused, absent, or broken if the program itself is at fault."""
    try:
        detail = action()
    except Absent as reason:
        return "absent", str(reason)
    except AttemptRefused as reason:
        return "refused", str(reason)
    except OSError as error:
        return "refused", f"{errno.errorcode.get(error.errno or 0, '?')}: {error.strerror or error}"
    except ValueError as error:
        if "limit" not in str(error):  # what Python says instead of EPERM when a limit is raised
            return "broken", f"ValueError: {error}"
        return "refused", f"EPERM: {error}"
    except MemoryError:
        return "refused", "ENOMEM: no memory"
    except Exception as error:
        return "broken", f"{type(error).__name__}: {error}"
    return ("left" if isinstance(detail, Left) else "reached"), detail


def in_child(action: Action, seconds: float = 20.0) -> str:
    """Try something that may cost the process its life, or that cannot be undone, in a child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(judge(action)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    deadline = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AttemptRefused(f"not done within {seconds:.0f} s")
        time.sleep(0.005)
    answer = os.read(reading, 4096)
    os.close(reading)
    if not answer:
        raise AttemptRefused(f"killed by signal {os.waitstatus_to_exitcode(ended[1]) * -1}")
    outcome, detail = json.loads(answer)
    if outcome == "refused":
        raise AttemptRefused(detail)
    if outcome == "absent":
        raise Absent(detail)
    if outcome == "broken":
        raise RuntimeError(detail)
    return Left(detail) if outcome == "left" else str(detail)
