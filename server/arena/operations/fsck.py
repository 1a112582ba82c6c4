"""Checks the folder of an arena for damage: its settings, its registry, its ladders and its events.

DIR/ladder, DIR/events/NAME, DIR/challenges and DIR/archive/SEASON are checked as every event folder is
(server/tournament/repair/fsck.py). arena.db cannot be derived from anything else: if it is damaged, it is rebuilt from
its own rows, provided that all of them can be read.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, TortugaError
from referee.records.files import OTHERS, sync_folder
from server.arena.config import FILE, read_config
from server.arena.keys import FILE as KEY_FILE
from server.arena.ladders.seasons import FOLDER as SEASONS
from server.arena.registry import Registry
from server.arena.registry_schema import MIGRATIONS, EventState
from server.bots.bundle_store import FOLDER as BUNDLES
from server.bots.bundle_store import BundleStore
from server.system.database import DamagedDatabase, connect, is_sound, open_to_write
from server.system.files import free_name, set_aside, set_database_aside
from server.tournament.event import refuse_remains
from server.tournament.folder import Folder
from server.tournament.repair.fsck import BACKUP, check_event, is_event_folder, kind_of, open_to_others
from server.tournament.repair.problems import UNREADABLE, Problem

TABLES = (
    *("bot", "event", "entry", "paused", "team", "token", "audit", "neutral", "submission"),
    *("frozen", "season", "series", "event_zone", "news"),
)
"""All tables, in an order in which they can be filled."""
PLAYED = (EventState.RUNNING, EventState.FINISHED)


def is_arena_folder(path: Path) -> bool:
    """Return whether there is anything of an arena in a folder."""
    return any(os.path.lexists(path / name) for name in (FILE, "arena.db"))


def event_folders(directory: Path) -> list[Folder]:
    """Return the folders of the ladders, of all events, of the challenges and of archived seasons."""
    events = directory / "events"
    paths = [directory / "ladder", *(sorted(events.iterdir()) if events.is_dir() else ()), directory / "challenges"]
    paths += sorted((directory / SEASONS).glob("[!.]*"))
    return [Folder(path) for path in paths if path.is_dir() and is_event_folder(path)]


def check_arena(directory: Path) -> list[Problem]:
    """Return all that is wrong with an arena's folder."""
    problems = [
        *check_rights(directory),
        *check_settings(directory),
        *check_local_doors(directory),
        *check_registry(directory),
        *check_bundles(directory),
    ]
    for folder in event_folders(directory):
        place = folder.path.relative_to(directory)
        problems += [replace(problem, file=f"{place}/{problem.file}") for problem in check_event(folder)]
    return problems


def check_rights(directory: Path) -> Iterator[Problem]:
    """Yield what is open to other users."""
    if not (directory / "arena.db").exists():
        return  # never started: the first start restricts it
    for path in (directory, *(directory / name for name in (FILE, "arena.db", KEY_FILE))):
        if path.exists() and path.stat().st_mode & OTHERS:
            yield open_to_others(path, str(path.relative_to(directory)))


def check_settings(directory: Path) -> Iterator[Problem]:
    """Check arena.toml, which belongs to the organiser."""
    path = directory / FILE
    if not os.path.lexists(path):
        yield Problem(
            file=FILE,
            what="it is missing",
            means="the next start writes one with the default settings, whose ladders may differ",
            repair=f"{BACKUP}, or start the server and edit it",
        )
        return
    if not path.is_file():
        yield Problem(file=FILE, what=f"it is {kind_of(path)}", means="the server cannot start", repair=BACKUP)
        return
    try:
        read_config(path, {})
    except ConfigError as error:
        yield Problem(file=FILE, what=str(error), means="the server cannot start", repair="correct it")


def check_local_doors(directory: Path) -> Iterator[Problem]:
    """Check the sockets of this machine.

    A socket of the server that ran last may be there; anything else is in the way.
    """
    for name, door in (("admin.sock", "the organiser's door"), ("web.sock", "the door of the pages")):
        path = directory / name
        if os.path.lexists(path) and not stat.S_ISSOCK(path.lstat().st_mode):
            yield Problem(
                file=path.name,
                what=f"it is {kind_of(path)}",
                means=f"the server cannot open {door} there",
                repair=f"sets it aside as {free_name(path).name}",
                mend=partial(set_aside, path),
            )


def check_bundles(directory: Path) -> Iterator[Problem]:
    """Check that each bundle still has the bytes that it is named after."""
    store = BundleStore(directory / BUNDLES)
    for sha256 in store.all():
        try:
            store.find(sha256)
        except (ConfigError, OSError) as error:
            yield Problem(
                file=f"{BUNDLES}/{sha256[:2]}/{sha256}.tar",
                what=str(error),
                means="the program that played this bot's matches is lost, and a bot that needs it cannot start",
                repair=f"{BACKUP}, or host or submit the same bot again",
            )


# The registry


def check_registry(directory: Path) -> Iterator[Problem]:
    """Check arena.db: whether it can be read, its rows belong together, and its events have their folders."""
    path = directory / "arena.db"
    lost = "bots, tokens and the calendar are lost"
    try:
        refuse_remains(path)
        if not path.exists():
            if event_folders(directory):
                yield Problem(file=path.name, what="it is missing", means=lost, repair=BACKUP)
            return
        with closing(connect(path, read_only=True, cure=BACKUP)) as database:
            damage = "" if is_sound(database) else "SQLite finds damaged pages in it"
            if not damage and database.execute("PRAGMA foreign_key_check").fetchone() is not None:
                damage = "there are entries of bots or events that it does not have"
    except DamagedDatabase as error:
        damage = str(error)
    if not damage:
        yield from check_calendar(directory)
        return
    try:
        rows = rescue_rows(path)
    except (sqlite3.Error, ConfigError) as error:
        yield Problem(file=path.name, what=damage, means=lost, repair=f"{BACKUP}: not all rows can be read ({error})")
        return
    counts = ", ".join(f"{len(rows[table])} of {table}" for table in TABLES if rows[table])
    yield Problem(
        file=path.name,
        what=damage,
        means="bots, entries and events can be wrong, or the server does not start",
        repair=f"rebuilds it from its rows, all of which can be read ({counts}); it stays as {free_name(path).name}",
        mend=partial(remake_registry, path, rows),
    )


def rescue_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of a damaged registry. Raises if any cannot be read, or if it is of another version."""
    with closing(connect(path, read_only=True, cure=BACKUP)) as database:
        version: int = database.execute("PRAGMA user_version").fetchone()[0]
        if version != len(MIGRATIONS):
            raise ConfigError(f"its version is {version}")
        return {table: database.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall() for table in TABLES}


def remake_registry(path: Path, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    """Replace a damaged registry by a new one with these rows. Entries of missing bots or events are left out."""
    bots, events = ({row[0].lower() for row in rows[table]} for table in ("bot", "event"))
    entries = [row for row in rows["entry"] if row[0].lower() in events and row[1].lower() in bots]
    draft = path.with_name(f"{path.name}.draft")
    draft.unlink(missing_ok=True)
    with closing(open_to_write(draft, MIGRATIONS, cure=BACKUP)) as database:
        database.execute("BEGIN IMMEDIATE")
        with database:
            for table, rescued in {**rows, "entry": entries}.items():
                _insert(database, table, rescued)
    set_database_aside(path)
    draft.rename(path)
    sync_folder(path.parent)


def _insert(database: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def check_calendar(directory: Path) -> Iterator[Problem]:
    """Check that all rows can be understood, and that every event that was played is there."""
    path = directory / "arena.db"
    with tempfile.TemporaryDirectory(prefix="tortuga-") as scratch:
        copy = Path(scratch) / path.name
        source = connect(path, read_only=True, cure=BACKUP)
        with closing(source), closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        try:
            with Registry.open(copy) as registry:
                events = {event.name: event.state for event in registry.events()}
        except (TortugaError, ValueError, TypeError) as error:
            what = f"it cannot be understood: {error}".replace(str(copy), path.name)
            yield Problem(file=path.name, what=what, means=UNREADABLE, repair=f"{BACKUP}, or update tortuga")
            return
    for name, state in events.items():
        if state in PLAYED and not is_event_folder(directory / "events" / name):
            yield Problem(
                file=f"events/{name}",
                what="it is missing",
                means=f"the event is {state}, and its results are lost",
                repair=BACKUP,
            )
    for folder in event_folders(directory):
        if folder.path.name not in events and folder.path.parent.name == "events":
            yield Problem(
                file=f"events/{folder.path.name}",
                what="the calendar does not have this event",
                means="it is shown to nobody, and an event of this name cannot begin",
                repair="move it away, or take arena.db from a backup that has it",
            )
