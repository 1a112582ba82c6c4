"""A backup that is taken while the arena is busy opens, agrees with itself, and has everything that was there."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.arena import backup as backup_module
from server.arena.backup import backup
from server.arena.registry import Registry
from server.cli.main import main
from server.play.summary import MatchSummary
from server.tournament.folder import Folder
from server.tournament.repair.reconcile import reconcile
from server.tournament.store import Store
from support.arena import fill, open_manifest
from support.events import dump, make_event, run


def arena_folder(path: Path) -> Folder:
    """A data folder with real records on its ladder."""
    path.mkdir()
    folder = make_event(path / "ladder", rounds=4)
    run(folder)
    with Registry.open(path / "arena.db") as registry:
        registry.add("ann", "", b"1" * 32)
    (path / "arena.toml").write_text("config")
    return folder


def test_a_copy_has_everything_and_nothing_worthless(tmp_path: Path) -> None:
    data = tmp_path / "data"
    folder = arena_folder(data)
    fill(Folder(data / "events" / "cup"), [], open_manifest())
    (folder.records / ".half.tortuga.123").write_bytes(b"half")
    (data / "lock").write_text("{}")
    (data / "admin.key").write_text("of the process that runs")
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(data / "admin.sock"))
    done = backup(data, tmp_path / "copy")
    door.close()
    assert (done.databases, done.records) == (3, 24)
    copied = {str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*") if path.is_file()}
    there = {str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()}
    assert there - copied == {"lock", "admin.key", "ladder/lock", "ladder/records/.half.tortuga.123"} | {
        one for one in there if one.endswith(("-wal", "-shm"))
    }
    assert dump(Folder(tmp_path / "copy" / "ladder"), measured=True) == dump(folder, measured=True)
    with Registry.open(tmp_path / "copy" / "arena.db") as registry:
        assert registry.find(b"1" * 32) == "ann"


@pytest.mark.parametrize("name", ["kits", "unpacked", "lock", "cup.draft", "admin.key"])
def test_an_event_may_be_called_like_something_worthless(name: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    arena_folder(data)
    fill(Folder(data / "events" / name), [], open_manifest())
    for worthless in (data / "kits" / "go", data / "bundles" / "unpacked" / "ab", data / "archive" / ".2026.draft"):
        worthless.mkdir(parents=True)
        (worthless / "file").write_text("can be had again")
    backup(data, tmp_path / "copy")
    assert Folder(tmp_path / "copy" / "events" / name).database.is_file()
    assert not {*(tmp_path / "copy").rglob("file")}


def test_whatever_becomes_of_a_live_file_its_copy_stays_as_it_was(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    arena_folder(data)
    (data / "bot").mkdir()
    (data / "bot" / "current").symlink_to("nowhere")
    backup(data, copy)
    copied = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert len([path for path in copied if path.suffix == ".tortuga"]) == 24
    for path in [path for path in data.rglob("*") if path.is_file()]:
        content = bytearray(path.read_bytes())
        if content:
            content[len(content) // 2] ^= 1
            with path.open("rb+") as file:  # in place, as a failing disk or a careless editor would
                file.write(content)
    assert {path: path.read_bytes() for path in copied} == copied
    assert (copy / "bot" / "current").readlink() == Path("nowhere")


def test_the_records_of_a_restored_backup_hold(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    folder = arena_folder(data)
    backup(data, copy)
    [record, *_] = folder.records.iterdir()
    content = bytearray(record.read_bytes())
    content[len(content) // 2] ^= 1
    with record.open("rb+") as file:
        file.write(content)
    records = [str(path) for path in (copy / "ladder" / "records").iterdir()]
    assert len(records) == 24
    verified = CliRunner().invoke(main, ["replay", "verify", *records])
    assert verified.exit_code == 0, verified.output
    assert CliRunner().invoke(main, ["replay", "verify", str(record)]).exit_code != 0
    shutil.rmtree(data)
    copy.rename(data)
    with Store.open(folder.database) as store:
        findings = reconcile(folder, store, folder.require_agreement())
    assert [*findings.problems, *findings.lost] == []


def test_times_are_kept_because_logs_are_deleted_by_them(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    folder = arena_folder(data)
    (folder.logs / "old.log").write_text("words")
    os.utime(folder.logs / "old.log", ns=(10**9, 10**9))
    backup(data, copy)
    assert (copy / "ladder" / "logs" / "old.log").stat().st_mtime_ns == 10**9


def test_a_backup_while_a_writer_is_busy_has_every_match_that_was_there(tmp_path: Path) -> None:
    data = tmp_path / "data"
    folder = arena_folder(data)
    agreement = folder.require_agreement()
    with Store.read_only(folder.database) as store:
        matches = list(store.matches())
    contents = {match.match_id: folder.record(match.match_id).read_bytes() for match in matches}
    with Store.open(folder.database) as store:
        store.remove_matches([match.match_id for match in matches[6:]])
        for match in matches[6:]:
            folder.record(match.match_id).unlink()
    started, stop = threading.Event(), threading.Event()

    def write() -> None:
        """The rest, one by one, each record before its row, over and over."""
        with Store.open(folder.database) as store:
            while not stop.is_set():
                for match in matches[6:]:
                    write_atomically(folder.record(match.match_id), contents[match.match_id])
                    store.add([match], ())
                    started.set()
                    if stop.is_set():
                        return
                for match in matches[6:]:
                    store.remove_matches([match.match_id])
                    # The file stays: in an arena no record goes before its row is told.

    writer = threading.Thread(target=write)
    writer.start()
    started.wait()
    try:
        for number in range(5):
            backup(data, tmp_path / f"copy-{number}")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        copy = Folder(tmp_path / f"copy-{number}" / "ladder")
        with Store.open(copy.database) as store:
            findings = reconcile(copy, store, agreement)
            assert [*findings.problems, *findings.lost] == []
            assert {match.match_id for match in matches[:6]} <= {match.match_id for match in store.matches()}


def test_a_record_that_is_let_go_meanwhile_is_not_missed_in_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    folder = arena_folder(data)
    copy_database = backup_module.copy_database
    gone: list[MatchSummary] = []

    def copy_and_sweep(path: Path, copy: Path) -> None:
        copy_database(path, copy)
        if path == folder.database:
            with Store.open(path) as store:
                gone.append(next(store.matches()))
                store.release_records([gone[0].match_id])
            folder.record(gone[0].match_id).unlink()

    monkeypatch.setattr(backup_module, "copy_database", copy_and_sweep)
    backup(data, tmp_path / "copy")
    copy = Folder(tmp_path / "copy" / "ladder")
    with Store.open(copy.database) as store:
        assert reconcile(copy, store, folder.require_agreement()).problems == []
        assert store.match(gone[0].match_id) == replace(gone[0], kept=False)


def test_what_is_in_the_way_is_never_touched(tmp_path: Path) -> None:
    data = tmp_path / "data"
    arena_folder(data)
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("mine")
    (tmp_path / "old.partial").mkdir()
    for dest, words in [
        (full, "is not empty"),
        (data / "backups" / "1", "inside the data folder"),
        (tmp_path / "old", "was left by a backup that was killed"),
    ]:
        with pytest.raises(ConfigError, match=words):
            backup(data, dest)
    assert (full / "mine").read_text() == "mine"
    with pytest.raises(ConfigError, match=r"has no arena\.db"):
        backup(full, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "full", "old.partial"]


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    arena_folder(data)

    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_module, "_sync", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        backup(data, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
