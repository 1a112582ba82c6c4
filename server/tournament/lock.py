"""The lock of an event's folder: one process runs an event at a time.

The kernel frees the lock of a process that was killed. The lock file also lists the scratch folders of that process, so
that the next one can remove them.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from referee.errors import ConfigError
from server.tournament.folder import Folder

ASKERS_SECONDS = 1.0
"""How long to retry a lock without a holder: whoever asks (`lock_holder`) takes it for a moment."""


class FolderLock:
    """The lock of a folder, held by this process, and the scratch folders to remove after it."""

    def __init__(self, file: Any, scratch: list[str]) -> None:
        self._file = file
        self._scratch = scratch

    def new_scratch(self) -> Path:
        """The path of a private folder for a worker. It is written down before it is made, so that it is never lost."""
        path = Path(tempfile.gettempdir()) / f"tortuga-{os.urandom(6).hex()}"
        self._scratch.append(str(path))
        self.write()
        return path

    def write(self) -> None:
        """Write who holds the lock, for those who are refused and for those who come after."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "scratch": self._scratch}, self._file)
        self._file.flush()

    def remove_scratch(self) -> None:
        """Remove all scratch folders that were written down."""
        for path in self._scratch:
            shutil.rmtree(path, ignore_errors=True)
        self._scratch = []


@contextmanager
def lock_folder(folder: Folder) -> Iterator[FolderLock]:
    """Be the one process that runs this event."""
    try:
        file = (folder.path / "lock").open("a+")
    except OSError as error:
        raise ConfigError(f"cannot write into the folder {folder.path}: {error.strerror}") from None
    with file:
        _take(folder, file)
        lock = FolderLock(file, _left_behind(file))
        lock.remove_scratch()
        lock.write()
        try:
            yield lock
        finally:
            lock.remove_scratch()
            file.seek(0)
            file.truncate()


def lock_holder(folder: Folder) -> int | None:
    """The process that runs the event at this moment, if any does."""
    try:
        with (folder.path / "lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(json.load(file).get("pid", 0)) or None
    except (OSError, ValueError):
        pass
    return None


def _take(folder: Folder, file: Any) -> None:
    deadline = time.monotonic() + ASKERS_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            pid = lock_holder(folder)
            if pid is not None or time.monotonic() > deadline:
                raise ConfigError(f"{folder.path} is being run by process {pid or 'unknown'}") from None
            time.sleep(0.02)


def _left_behind(file: Any) -> list[str]:
    file.seek(0)
    try:
        # Only paths that look like ours: the file could have been edited.
        return [path for path in json.load(file)["scratch"] if Path(path).name.startswith("tortuga-")]
    except (ValueError, KeyError, TypeError):
        return []
