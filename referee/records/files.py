"""Writes files atomically, so that a crash never leaves half of one, and reads untrusted files safely."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

PRIVATE_FILE = 0o600
OTHERS = 0o077
"""The rights of everybody but the owner."""


def write_atomically(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write to a temporary name, sync, then rename. A crash leaves the old file or the new one, never a part.

    `private`: only its owner may read it, from its first byte on, whoever could read the old one.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)  # of a killed process that had our number
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE if private else 0o666)
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def open_private(path: Path, flags: int) -> int:
    """Open a file that only its owner may read, from its first byte on: it is made so, or taken from the others."""
    close_to_others(path)
    return os.open(path, flags | os.O_CREAT, PRIVATE_FILE)


def close_to_others(path: Path) -> bool:
    """Take all rights to a file or folder from everybody but its owner. False: that cannot be done."""
    try:
        if (mode := path.stat().st_mode) & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)
            return not path.stat().st_mode & OTHERS  # there are disks that know no rights
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """Return the content of a file. Raises OSError also for what is no regular file, which might keep a reader
    waiting for ever, and for one that is larger than it can be."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        if status.st_size > most_bytes:
            raise OSError(errno.EFBIG, f"it has {status.st_size} bytes, at most {most_bytes} are possible")
        return file.read()


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder: without it a power cut may lose the name of a file whose bytes are there."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
