"""Sets files aside: damaged or foreign files are never deleted but renamed, so that people can look at them."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

DAMAGED = ".damaged"
DATABASE_PARTS = ("", "-wal", "-shm", "-journal")
"""A database, and what SQLite keeps beside it: the latest rows may be there."""


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
    """The name under which a file would be set aside."""
    names = (path.with_name(f"{path.name}{DAMAGED}{f'.{number}' if number > 1 else ''}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def is_set_aside(path: Path) -> bool:
    """Whether a name is one that we gave to what was set aside."""
    stem, mark, rest = path.name.rpartition(DAMAGED)
    return bool(stem and mark) and (rest in DATABASE_PARTS or rest[1:].partition("-")[0].isdigit())
