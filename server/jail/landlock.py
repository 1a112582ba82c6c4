"""The Landlock rules for a fenced bot: which files it may access, using what this kernel supports.

enclosure.py hands them to the kernel, in the bot's own process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

CREATE_RULESET = 444
"""The same number on every architecture."""
ASK_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEVICE, RESOLVE_UNIX = 1 << 13, 1 << 14, 1 << 15, 1 << 16
RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: REFER, 3: TRUNCATE, 5: IOCTL_DEVICE, 9: RESOLVE_UNIX}
"""Rights over files that each version added."""
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE | RESOLVE_UNIX
"""Rights that a file can have; the others are of folders."""
TCP, SCOPES = 3, 3
"""Binding and connecting (version 4); abstract sockets and signals (version 6)."""

READABLE = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version")
"""Files in /proc that may be read. Not all of /proc: the command lines of others are there."""
KERNEL_SETTINGS = ("/proc/sys/vm/overcommit_memory", "/proc/sys/vm/max_map_count", "/proc/sys/kernel/osrelease")
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")


@cache
def abi() -> int:
    """Return the version of Landlock that this kernel has; 0 for none."""
    try:
        version = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    except (AttributeError, OSError):
        return 0
    return max(0, int(version))


def fence_rules(
    visible: Iterable[Path], *, writable: Iterable[Path], door: Path | None, version: int
) -> dict[str, Any]:
    """Return the rules for the kernel: the rights that are governed, and each path with the rights that it keeps."""
    governed = sum(rights for since, rights in RIGHTS_BY_ABI.items() if since <= version)
    rules = [(path, EXECUTE | READ_FILE | READ_DIR) for path in visible]
    rules += [(Path(path), READ_FILE | READ_DIR) for path in (*READABLE, *KERNEL_SETTINGS)]
    rules += [(Path("/dev/zero"), READ_FILE)]  # never to write: shared mappings of it are memory that no rlimit counts
    rules += [(Path(path), READ_FILE | WRITE_FILE) for path in DEVICES]
    rules += [(path, governed & ~(IOCTL_DEVICE | RESOLVE_UNIX)) for path in writable]
    if door is not None and version >= 9:
        rules.append((door, RESOLVE_UNIX))
    return {
        "governed": [governed, TCP if version >= 4 else 0, SCOPES if version >= 6 else 0],
        "rules": [
            [os.fspath(path), rights & governed & (-1 if path.is_dir() else OF_FILES)]
            for path, rights in rules
            if path.exists()
        ],
    }
