"""SQLite as we use it: one process writes, others may read, and what was committed survives a power cut.

Migrations go forward only. `PRAGMA user_version` counts the migration scripts that were applied; a released script is
never edited. What a database holds is decided by its owner: server/tournament/store.py, server/arena/registry.py.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import open_private
from server.system.logs import get_logger

SAFE_SQLITE = (3, 51, 3)
"""Older libraries can corrupt a WAL database when two connections checkpoint at once. We have one writer."""

HOST_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE}
"""Full or broken disks, and too many open files: trouble that says nothing about the file."""
_NO_SPACE = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
"""SQLite's names for a full disk. The second is of a file that it keeps beside the database."""

log = get_logger()


class DamagedDatabase(ConfigError):
    """The file is not a database, or a damaged one."""


def connect(path: Path, *, read_only: bool, cure: str) -> sqlite3.Connection:
    """Open a file; `cure` says what to do if it is damaged. Only its owner may read a file that is written to: what
    SQLite keeps beside it gets the same rights."""
    try:
        if not read_only:
            make_private(path)
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}",
            uri=True,
            isolation_level=None,
            timeout=5.0,
            check_same_thread=False,
        )
    except (sqlite3.OperationalError, OSError) as error:
        raise opening_error(path, error) from None
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("SELECT count(*) FROM sqlite_master")
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):  # locked, not readable, disk full: no damage
            raise opening_error(path, error) from None
        reason = "its schema is not text" if isinstance(error, UnicodeDecodeError) else error
        raise DamagedDatabase(f"{path} is damaged: {reason}; {cure}") from None
    return connection


def make_private(path: Path) -> None:
    """Make a file that only its owner may read, or take it from the others.

    A file that exists is not opened: closing it would free the locks of every connection that this process has to it.
    """
    with suppress(FileExistsError):
        os.close(open_private(path, os.O_WRONLY | os.O_EXCL))


def open_to_write(path: Path, migrations: Sequence[str], *, cure: str) -> sqlite3.Connection:
    """Open a file, make its tables or bring old ones up to date, and check it."""
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        log.debug("old_sqlite", version=sqlite3.sqlite_version, advice="keep to one writer; we do")
    connection = connect(path, read_only=False, cure=cure)
    try:
        migrate(connection, path, migrations)
        if not is_sound(connection):
            raise DamagedDatabase(f"{path} is damaged; {cure}")
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise opening_error(path, error) from None
        raise
    return connection


def opening_error(path: Path, error: sqlite3.OperationalError | OSError) -> OSError | ConfigError:
    """Return what to raise for a database that cannot be opened: the trouble of the machine as such, with the file's
    name, and anything else as something that people can put right."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, sqlite3.OperationalError):
        number = errno.ENOSPC if is_full(error) else errno.EIO if "disk I/O error" in str(error) else None
    if number in HOST_TROUBLE:
        return OSError(number, os.strerror(number), str(path))
    return ConfigError(f"{path} cannot be opened: {getattr(error, 'strerror', error)}")


def is_full(error: sqlite3.Error) -> bool:
    """Check whether SQLite found no space on the disk."""
    return getattr(error, "sqlite_errorname", "") in _NO_SPACE or "disk is full" in str(error)


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    """Bring a database up to date, a script and a transaction at a time."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise ConfigError(f"{path} was written by a newer version of tortuga")
    for number, script in enumerate(migrations[version:], start=version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script}; PRAGMA user_version = {number}; COMMIT")


def is_sound(connection: sqlite3.Connection) -> bool:
    """Return whether SQLite's own check passes. Raises OperationalError where the machine is in trouble."""
    # What the check finds may quote damaged names, which are not text.
    query = "SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check"
    try:
        return bool(connection.execute(query).fetchone()[0] == b"ok")
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
