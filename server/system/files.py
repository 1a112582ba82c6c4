"""Files and folders on disk: those that somebody is about to write to, and those that are set aside.

Damaged or foreign files are never deleted but renamed, so that people can look at them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import close_to_others

PRIVATE_FOLDER = 0o700


@contextmanager
def naming(folder: Path) -> Iterator[None]:
    """Name the folder in errors of the machine that name no file: writing to an open file gives such."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(folder)
        raise


def check_writable(folder: Path) -> None:
    """Make a folder if need be, and refuse one that cannot be written to: before the work, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot create the folder {folder}: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"cannot write into the folder {folder}")


def make_private(folder: Path, secrets: Iterable[Path] = ()) -> list[str]:
    """Make a folder that only its owner may enter, or close one that others may: seeds, keys and tokens lie in it.

    `secrets` are files in it, closed as well: they may be copied. Returns in words what could not be closed.
    """
    with suppress(OSError):  # check_writable says what is wrong
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    check_writable(folder)
    left_open = [path for path in (folder, *secrets) if not close_to_others(path)]
    if not left_open:
        return []
    return [
        f"other users of this machine may be able to read seeds and keys: the permissions of {left_open[0]} cannot be "
        "changed. Let its owner run `chmod -R go=` on the folder, or move it to a file system that supports permissions"
    ]


DAMAGED = ".damaged"
DATABASE_PARTS = ("", "-wal", "-shm", "-journal")
"""A database and the files that SQLite keeps beside it: the latest rows may be there."""


def set_aside(path: Path) -> Path | None:
    """Rename a file to NAME.damaged, or NAME.damaged.2 if there is one; gives its new path. None: it is not there."""
    if not os.path.lexists(path):
        return None
    aside = free_name(path)
    path.rename(aside)
    return aside


def set_database_aside(path: Path) -> Path:
    """Rename a database with all its parts, so that it can still be read; gives its new path."""
    aside = free_name(path)
    for part in DATABASE_PARTS:
        old = path.with_name(path.name + part)
        if os.path.lexists(old):
            old.rename(aside.with_name(aside.name + part))
    return aside


def free_name(path: Path) -> Path:
    """Return the name under which a file would be set aside."""
    names = (path.with_name(f"{path.name}{DAMAGED}{f'.{number}' if number > 1 else ''}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def is_set_aside(path: Path) -> bool:
    """Check whether a name is one that we gave to a file that was set aside."""
    stem, mark, rest = path.name.rpartition(DAMAGED)
    return bool(stem and mark) and (rest in DATABASE_PARTS or rest[1:].partition("-")[0].isdigit())
