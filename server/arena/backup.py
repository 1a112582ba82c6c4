"""Copies an arena's data folder while the server runs.

Databases are copied first, each as of one moment, by SQLite's backup; then everything else. A row is written after its
record, so every row of the copy has its record; a record newer than the copied rows is adopted when the copy is first
opened (server/tournament/repair/reconcile.py). The copy gets its name only when it is complete. It shares no byte with
the original: links would be quicker, but whatever damages a file would damage its backup as well.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from referee.errors import ConfigError
from referee.records.files import open_private, sync_folder
from server.arena.keys import FILE as ADMIN_KEY
from server.bots.bundle_store import FOLDER as BUNDLES
from server.bots.bundle_store import UNPACKED
from server.bots.kit_cache import FOLDER as KITS
from server.system.database import connect
from server.system.files import PRIVATE_FOLDER
from server.tournament.folder import RECORD_SUFFIX, Folder
from server.tournament.store import Store

DATABASE = ".db"
_SKIPPED_FILES = re.compile(rf"lock|{re.escape(ADMIN_KEY)}|.*\.db-(wal|shm|journal)|.*\.draft|\..*\.\d+")
"""The lock, the organiser's key (the next start creates another), the files SQLite keeps beside a database, and files
that are not complete yet."""
_SKIPPED_FOLDERS = re.compile(rf"{KITS}|{BUNDLES}/{UNPACKED}|(.*/)?\.[^/]*\.(draft|\d+)")
"""Matched by path, because an event may have any name: packages for builds, which can be fetched again, unpacked
bundles, which are unpacked again when needed, and folders that are not complete yet."""


@dataclass(slots=True)
class Backup:
    """The number of files that were copied, by kind."""

    databases: int = 0
    records: int = 0
    files: int = 0


def backup(directory: Path, dest: Path) -> Backup:
    """Copy a data folder to a new or empty folder."""
    directory, dest = directory.resolve(), dest.resolve()
    if not (directory / "arena.db").is_file():
        raise ConfigError(f"{directory} is not the data folder of an arena: it has no arena.db")
    if dest.is_relative_to(directory):
        raise ConfigError(f"{dest} is inside the data folder; name a folder outside it")
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise ConfigError(f"{dest} is not empty; name a new folder")
    draft = dest.with_name(f"{dest.name}.partial")
    try:
        draft.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise ConfigError(f"{draft} was left by a backup that was killed, or is being made; remove it") from None
    except OSError as error:
        raise ConfigError(f"{draft} cannot be created: {error.strerror}") from None
    try:
        copied = _fill(directory, draft)
        draft.replace(dest)
        sync_folder(dest.parent)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"the backup to {dest} failed: {error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return copied


def _fill(directory: Path, draft: Path) -> Backup:
    copied = Backup()
    databases = [path for path in _files(directory) if path.suffix == DATABASE]
    for path in databases:
        copy_database(path, _place(path, directory, draft))
        copied.databases += 1
    for path in _files(directory):
        if path.suffix != DATABASE:
            _copy(path, _place(path, directory, draft), copied)
    for path in databases:
        if path.name == Folder(path.parent).database.name:
            _release_missing(Folder(path.parent), Folder(_place(path, directory, draft).parent))
    for path in [draft, *draft.rglob("*")]:  # last: by then most of it is on the disk already
        if path.is_dir():
            sync_folder(path)
        elif not path.is_symlink():
            _sync(path)
    return copied


def copy_database(path: Path, copy: Path) -> None:
    """Copy a database as it is at this moment, even while others write to it."""
    cure = "put the last backup of it in its place"
    os.close(open_private(copy, os.O_WRONLY | os.O_EXCL))
    with closing(connect(path, read_only=True, cure=cure)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _files(directory: Path, folder: Path | None = None) -> Iterator[Path]:
    """Yield all files to copy in one folder of a data folder: no sockets, pipes or locks, and nothing half written."""
    for path in sorted((folder or directory).iterdir()):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue  # deleted a moment ago
        if stat.S_ISDIR(mode):
            if not _SKIPPED_FOLDERS.fullmatch(path.relative_to(directory).as_posix()):
                yield from _files(directory, path)
        elif (stat.S_ISREG(mode) or stat.S_ISLNK(mode)) and not _SKIPPED_FILES.fullmatch(path.name):
            yield path


def _place(path: Path, directory: Path, draft: Path) -> Path:
    target = draft / path.relative_to(directory)
    for folder in [*reversed(target.relative_to(draft).parents)][1:]:
        (draft / folder).mkdir(PRIVATE_FOLDER, exist_ok=True)
    return target


def _copy(path: Path, destination: Path, copied: Backup) -> None:
    """Copy a file, with its times and its owner's rights. A link remains a link."""
    try:
        if path.is_symlink():
            destination.symlink_to(path.readlink())
        else:
            with path.open("rb") as source:
                status = os.fstat(source.fileno())
                rights = status.st_mode & PRIVATE_FOLDER
                with open(os.open(destination, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights), "wb") as target:
                    shutil.copyfileobj(source, target)
                os.utime(destination, ns=(status.st_atime_ns, status.st_mtime_ns))
    except FileNotFoundError:
        return  # deleted meanwhile; _release_missing corrects its row
    if path.name.endswith(RECORD_SUFFIX):
        copied.records += 1
    else:
        copied.files += 1


def _release_missing(folder: Folder, copy: Folder) -> None:
    """Mark records as deleted on purpose that were deleted after the database was copied."""
    with Store.read_only(folder.database) as store:
        gone = [match_id for match_id in store.released_records() if not copy.record(match_id).exists()]
    if gone:
        with Store.open(copy.database) as store:
            store.release_records(gone)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
