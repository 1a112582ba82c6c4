"""Seeds, tokens and keys are closed to other users of the machine, from the first byte on."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.records.files import OTHERS, close_to_others, open_private, write_atomically
from server.arena.backup import backup
from server.arena.config import FILE as ARENA_FILE
from server.arena.keys import read_admin_key, write_admin_key
from server.arena.registry import Registry
from server.arena.serve import prepare
from server.cli.common.quick_event import write_manifest
from server.cli.main import main
from server.cli.serve import TerminalOutput
from server.system.database import open_to_write
from server.system.files import make_private
from server.tournament.folder import Folder
from support.events import make_event, run

PUBLIC = {"report.html", "lock"}
"""Files without a secret."""
SHARED_START, SHARED_BYTES = 0x40000002, 510
"""What SQLite locks of a file while a connection is open to it."""


@pytest.fixture(autouse=True)
def _wide_umask() -> Iterator[None]:
    """The umask hides nothing here: whatever is closed was closed on purpose."""
    old = os.umask(0)
    yield
    os.umask(old)


def open_to_others(path: Path) -> list[str]:
    """What below a folder, and of the folder itself, others have any right to."""
    return [
        str(one.relative_to(path))
        for one in [path, *path.rglob("*")]
        if not one.is_symlink() and one.stat().st_mode & OTHERS and one.name not in PUBLIC
    ]


_watchers: list[Callable[[], None]] = []


@contextmanager
def every_file_watched(folder: Path) -> Iterator[list[str]]:
    """Lists each file or folder below that was made open to others, even if it was closed a moment later."""
    found: list[str] = []

    def watch() -> None:
        if folder.exists():
            found.extend(open_to_others(folder))

    _watchers.append(watch)
    try:
        yield found
    finally:
        _watchers.remove(watch)


def _look_before(event: str, words: tuple[Any, ...]) -> None:
    """Called by Python before it does anything with files."""
    if _watchers and event.startswith(("open", "os.", "shutil.", "sqlite3.")):
        watchers = [*_watchers]
        _watchers.clear()  # looking is no cause to look again
        try:
            for watch in watchers:
                watch()
        finally:
            _watchers.extend(watchers)


sys.addaudithook(_look_before)


def test_an_event_is_closed_to_others_at_every_moment(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "event")
    manifest = make_event(tmp_path / "pattern").manifest.read_text()
    with every_file_watched(folder.path) as found:
        write_manifest(folder, manifest)
        run(folder)
    assert found == []
    assert open_to_others(folder.path) == []
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    for path in (folder.manifest, folder.agreement, folder.database, folder.journal, *folder.records.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_event_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event")
    run(folder)
    for path in [folder.path, *folder.path.iterdir()]:
        path.chmod(0o777)
    run(folder)
    assert open_to_others(folder.path) == []


def test_an_arena_is_closed_to_others_at_every_moment(tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    with every_file_watched(arena) as found:
        prepare(arena, TerminalOutput())
        write_admin_key(arena)
        with Registry.open(arena / "arena.db") as registry:
            registry.add("ann", "", b"1" * 32)
            assert (arena / "arena.db-wal").exists()
            assert open_to_others(arena) == []
        run(Folder(make_event(arena / "ladder").path))
    assert [one for one in found if not one.startswith("ladder")] == []
    assert stat.S_IMODE(arena.stat().st_mode) == 0o700


def test_an_arena_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / ARENA_FILE).write_text("")
    (tmp_path / "arena.db").touch(0o666)
    tmp_path.chmod(0o755)
    prepare(tmp_path, TerminalOutput())
    assert open_to_others(tmp_path) == []


def test_a_backup_is_closed_to_others_at_every_moment(tmp_path: Path) -> None:
    data, dest = tmp_path / "data", tmp_path / "copy"
    folder = make_event(data / "ladder")
    run(folder)
    Registry.open(data / "arena.db").close()
    (data / "bot").write_text("#!/bin/sh\n")
    (data / "bot").chmod(0o755)
    for path in folder.records.iterdir():
        path.chmod(0o666)
    with every_file_watched(tmp_path / "copy.partial") as found:
        backup(data, dest)
    assert (found, open_to_others(dest)) == ([], [])
    assert (dest / "bot").stat().st_mode & stat.S_IXUSR, "a program stays one"


def test_a_key_that_others_could_read_is_not_written_into_their_file(tmp_path: Path) -> None:
    path = tmp_path / "admin.key"
    path.write_text("old")
    path.chmod(0o666)
    with path.open() as spy:
        key = write_admin_key(tmp_path)
        assert spy.read() == "old"
    assert (read_admin_key(tmp_path), stat.S_IMODE(path.stat().st_mode)) == (key, 0o600)


def test_a_draft_that_was_left_open_is_not_written_to(tmp_path: Path) -> None:
    draft = tmp_path / f".secret.{os.getpid()}"
    draft.touch(0o666)
    with draft.open() as spy:
        write_atomically(tmp_path / "secret", b"seed", private=True)
        assert spy.read() == ""
    assert (tmp_path / "secret").read_bytes() == b"seed"


def test_what_is_not_private_follows_the_umask(tmp_path: Path) -> None:
    os.umask(0o022)
    write_atomically(tmp_path / "report", b"for everybody")
    assert stat.S_IMODE((tmp_path / "report").stat().st_mode) == 0o644


def test_a_file_that_is_appended_to_is_closed_first(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.touch(0o666)
    os.close(open_private(path, os.O_WRONLY | os.O_APPEND))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_closing_a_database_to_others_keeps_the_locks_on_it(tmp_path: Path) -> None:
    """POSIX frees all locks of a process on a file as soon as it closes any descriptor of that file."""
    path = tmp_path / "a.db"
    first = open_to_write(path, ("CREATE TABLE t (x)",), cure="")
    path.chmod(0o666)
    open_to_write(path, ("CREATE TABLE t (x)",), cure="").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    try_lock = f"""
import fcntl
with open({str(path)!r}, "rb+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, {SHARED_BYTES}, {SHARED_START})
"""
    done = subprocess.run([sys.executable, "-c", try_lock], capture_output=True, text=True, check=False)
    assert "BlockingIOError" in done.stderr, "the open connection has lost its lock"
    first.close()


def test_what_cannot_be_closed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_, **__: None)  # as on a disk without rights
    [words] = make_private(folder)
    assert f"the permissions of {folder} cannot be changed" in words

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)  # as with a folder of another user
    assert make_private(folder) == [words]
    assert not close_to_others(folder)


def test_a_new_tournament_holds_its_seed_in_private(tmp_path: Path) -> None:
    main(["tournament", "new", str(tmp_path / "cup")], standalone_mode=False)
    assert open_to_others(tmp_path / "cup") == []
