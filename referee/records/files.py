"""Writing files so that a crash never leaves half of one, and reading files that strangers may have put there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write to a temporary name, sync, then rename. A crash leaves the old file or the new one, never a part."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """The content of a file. Raises OSError also for what is no file, which might keep a reader waiting for ever, and
    for one that is larger than it can be."""
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
