"""`tortuga fsck` on folders of events that were damaged in every way we know: the damage is named and mended, and the
event goes on with the same table."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.records.record import pack, read_record
from server.cli.main import main
from server.play.summary import summarize
from server.system.files import DATABASE_PARTS, is_set_aside
from server.tournament.event import rebuild
from server.tournament.folder import Folder, lock_folder
from server.tournament.runner import Ending
from server.tournament.store import Store
from support.events import Notes, dump, make_event, run

Damage = Callable[[Folder], object]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made = make_event(tmp_path_factory.mktemp("played"), bots=["ann", "crash"], rounds=3)
    run(made)
    return made


@pytest.fixture
def folder(played: Folder, tmp_path: Path) -> Folder:
    shutil.copytree(played.path, tmp_path / "event")
    return Folder(tmp_path / "event")


def fsck(folder: Folder, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["fsck", str(folder.path), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def names(folder: Folder) -> set[str]:
    """All files, but for what SQLite makes when it is asked."""
    found = (str(path.relative_to(folder.path)) for path in folder.path.rglob("*"))
    return {name for name in found if not name.endswith(DATABASE_PARTS[1:])}


def first(folder: Folder) -> Path:
    return min(folder.records.glob("*.tortuga"))


def sql(script: str) -> Damage:
    def damage(folder: Folder) -> None:
        database = sqlite3.connect(folder.database)
        database.executescript(script)
        database.close()

    return damage


def overwrite(which: str, content: bytes) -> Damage:
    return lambda folder: (folder.path / which).write_bytes(content)


def cut_database(folder: Folder) -> None:
    os.truncate(folder.database, folder.database.stat().st_size // 2)


def lose_database_but_not_its_rows(folder: Folder) -> None:
    with Store.open(folder.database) as store:
        store.remove_matches([first(folder).stem])
        rows = folder.database.with_name("tortuga.db-wal").read_bytes()
    folder.database.unlink()
    folder.database.with_name("tortuga.db-wal").write_bytes(rows)


def flip_byte(folder: Folder) -> None:
    content = bytearray(first(folder).read_bytes())
    content[100] ^= 1
    first(folder).write_bytes(content)


def forge_record(folder: Folder) -> None:
    """With its row: nobody could tell by the hash."""
    path = first(folder)
    record, _ = read_record(path)
    record.outcome.ranks[:] = reversed(record.outcome.ranks)
    path.write_bytes(pack(record))
    with Store.open(folder.database) as store:
        store.remove_matches([record.match_id])
        store.add([summarize(record, path.read_bytes())], ())


def unknown_forgery(folder: Folder) -> None:
    record, _ = read_record(first(folder))
    record.match_id = "x"
    (folder.records / "x.tortuga").write_bytes(pack(record))


def unknown_record(folder: Folder) -> None:
    with Store.open(folder.database) as store:
        store.remove_matches([first(folder).stem])


def pipe_for(which: str) -> Damage:
    def damage(folder: Folder) -> None:
        path = folder.path / which
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return damage


def pipe_for_record(folder: Folder) -> None:
    pipe_for(f"records/{first(folder).name}")(folder)


def socket_among_records(folder: Folder) -> None:
    here = Path.cwd()
    try:
        os.chdir(folder.records)  # the path of a socket must be short
        socket.socket(socket.AF_UNIX).bind("x.tortuga")
    finally:
        os.chdir(here)


def folder_for_record(folder: Folder) -> None:
    first(folder).unlink()
    (folder.records / "x.tortuga").mkdir()


def cut_journal(folder: Folder) -> None:
    os.truncate(folder.journal, folder.journal.stat().st_size - 5)


def forget_lines(folder: Folder) -> None:
    lines = folder.journal.read_text().splitlines(keepends=True)
    folder.journal.write_text("".join(line for line in lines if "match_finished" not in line))


def mode(which: str, bits: int) -> Damage:
    return lambda folder: (folder.path / which).chmod(bits)


MENDED: dict[str, tuple[Damage, str, str]] = {
    "agreement of brackets": (overwrite("event.json", b"[" * 100_000), "event.json", "cannot be read"),
    "agreement of bytes": (overwrite("event.json", b"\xff\xfe"), "event.json", "cannot be read"),
    "agreement without roster": (overwrite("event.json", b'{"format": 1}'), "event.json", "is damaged"),
    "agreement gone": (lambda folder: folder.agreement.unlink(), "event.json", "it is missing"),
    "agreement a pipe": (pipe_for("event.json"), "event.json", "it is a pipe"),
    "manifest gone": (lambda folder: folder.manifest.unlink(), "tournament.toml", "it is missing"),
    "manifest garbage": (overwrite("tournament.toml", b"name = ["), "tournament.toml", "writes it again"),
    "journal with a bad byte": (overwrite("events.jsonl", b'{"event": "a\xff"}\n'), "events.jsonl", "1 line cannot"),
    "journal of brackets": (overwrite("events.jsonl", b"[" * 100_000 + b"\n"), "events.jsonl", "1 line cannot"),
    "journal cut": (cut_journal, "events.jsonl", "1 line cannot be read"),
    "journal gone": (lambda folder: folder.journal.unlink(), "events.jsonl", "6 matches finished"),
    "journal without results": (forget_lines, "events.jsonl", "6 matches finished"),
    "journal a pipe": (pipe_for("events.jsonl"), "events.jsonl", "it is a pipe"),
    "database gone": (lambda folder: folder.database.unlink(), "tortuga.db", "it is missing"),
    "database garbage": (overwrite("tortuga.db", b"garbage" * 1000), "tortuga.db", "not a database"),
    "database cut": (cut_database, "tortuga.db", "damaged"),
    "database a pipe": (pipe_for("tortuga.db"), "tortuga.db", "it is a pipe"),
    "rows without database": (lose_database_but_not_its_rows, "tortuga.db", "only parts of it exist"),
    "seats without matches": (sql("DELETE FROM match"), "tortuga.db", "without their match"),
    "matches without seats": (sql("DELETE FROM seat WHERE seat = 1"), "tortuga.db", "without all their seats"),
    "a wrong count": (sql("UPDATE contest_total SET matches = 9"), "tortuga.db", "number of matches"),
    "wrong sums": (sql("UPDATE bot_total SET answers = 9"), "tortuga.db", "sums in bot_total"),
    "a lost fault": (sql("DELETE FROM fault"), "tortuga.db", "faults differ"),
    "a wrong live ladder": (sql("UPDATE live_change SET change = '[5,-5]'"), "tortuga.db", "live_total"),
    "no live ladder": (sql("DELETE FROM live_change; DELETE FROM live_total"), "tortuga.db", "live ladder"),
    "ranks of one table": (sql("UPDATE match SET ranks = '[2,1]'"), "tortuga.db", "those of their seats"),
    "forged rows": (
        sql("UPDATE seat SET score = 99"),
        "tortuga.db",
        "rows of 6 matches",
    ),
    "record gone": (lambda folder: first(folder).unlink(), "records/", "the record is gone"),
    "record changed": (flip_byte, "records/", "the record was changed"),
    "record emptied": (lambda folder: first(folder).write_bytes(b""), "records/", "0 bytes instead of"),
    "record forged with its row": (forge_record, "records/", "do not follow"),
    "record forged": (unknown_forgery, "records/x.tortuga", "it does not count"),
    "record without a row": (unknown_record, "records/", "it has no row"),
    "record a pipe": (pipe_for_record, "records/", "not a regular file"),
    "pipe": (pipe_for("records/x.tortuga"), "records/x.tortuga", "not a regular file"),
    "socket": (socket_among_records, "records/x.tortuga", "sets it aside"),
    "folder": (folder_for_record, "records/x.tortuga", "Is a directory"),
    "stranger": (overwrite("records/notes.txt", b"hello"), "records/notes.txt", "it is not a record"),
    "all records gone": (lambda folder: shutil.rmtree(folder.records), "records/", "the record is gone"),
    "records a pipe": (pipe_for("records"), "records", "it is a pipe"),
    "drafts": (overwrite("records/.x.tortuga.123", b"half"), "records/.x.tortuga.123", "did not finish"),
    "draft of the agreement": (overwrite(".event.json.123", b"half"), ".event.json.123", "did not finish"),
    "draft of a rebuild": (overwrite("tortuga.db.draft", b"half"), "tortuga.db.draft", "did not finish"),
    "key for all": (mode("signing.key", 0o644), "signing.key", "other users"),
    "agreement for all": (mode("event.json", 0o644), "event.json", "other users"),
    "database for a group": (mode("tortuga.db", 0o660), "tortuga.db", "other users"),
    "folder for all": (mode(".", 0o755), ".", "other users"),
    "records for all": (mode("records", 0o777), "records", "other users"),
}


def test_a_sound_folder_is_clean_and_left_as_it_is(folder: Folder) -> None:
    before = names(folder)
    for words in ((), ("--repair",)):
        assert fsck(folder, *words) == (0, f"{folder.path}: all is well\n")
    assert names(folder) == before | {"lock"}


@pytest.mark.few(12)
@pytest.mark.parametrize("case", MENDED)
def test_what_is_damaged_is_named_and_mended_and_the_event_goes_on_with_the_same_table(
    case: str, folder: Folder, played: Folder
) -> None:
    damage, file, words = MENDED[case]
    damage(folder)
    before = names(folder)
    code, output = fsck(folder)
    assert code == 1
    assert [line for line in output.splitlines() if line.startswith(file) and words in line], output
    assert names(folder) == before, "looking changes nothing"
    code, output = fsck(folder, "--repair")
    assert (code, f"mended: {file}" in output) == (0, True), output
    kept = {Path(name) for name in names(folder)}
    gone = [name for name in before if Path(name) not in kept and ".draft" not in name and ".123" not in name]
    assert all(any(path.name.startswith(Path(name).name) and is_set_aside(path) for path in kept) for name in gone)
    assert fsck(folder) == (0, f"{folder.path}: all is well\n")
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == dump(played)
    assert fsck(folder)[0] == 0
    before_rebuild = dump(folder, measured=True)
    assert rebuild(folder).problems == []
    assert dump(folder, measured=True) == before_rebuild


def change_seed(folder: Folder) -> None:
    folder.manifest.write_text(folder.manifest.read_text().replace('seed = "s"', 'seed = "t"'))


def lose_both(folder: Folder) -> None:
    folder.agreement.unlink()
    change_seed(folder)


def newer_database(folder: Folder) -> None:
    sql("PRAGMA user_version = 99")(folder)


def flip_key(folder: Folder) -> None:
    content = folder.key.read_bytes()
    folder.key.write_bytes(content[:-1] + bytes((content[-1] ^ 4,)))


LEFT: dict[str, tuple[Damage, str, str]] = {
    "manifest changed": (change_seed, "tournament.toml", "is not touched"),
    "agreement and seed gone": (lose_both, "event.json", "another seed"),
    "newer agreement": (overwrite("event.json", b'{"format": 99}'), "event.json", "update tortuga"),
    "newer database": (newer_database, "tortuga.db", "update tortuga"),
    "key damaged": (overwrite("signing.key", b"short"), "signing.key", "take it from a backup"),
    "key with another bit": (flip_key, "signing.key", "signed none of the records"),
    "key gone": (lambda folder: folder.key.unlink(), "signing.key", "take it from a backup"),
}


@pytest.mark.parametrize("case", LEFT)
def test_what_cannot_be_mended_is_left_as_it_is_with_what_helps(case: str, folder: Folder) -> None:
    if "key" in case:
        pytest.importorskip("cryptography", reason="the extra `signatures` is not installed")
    damage, file, words = LEFT[case]
    damage(folder)
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    for flags in ((), ("--repair",)):
        code, output = fsck(folder, *flags)
        assert code == 1
        assert [line for line in output.splitlines() if line.startswith(file) and words in line], output
        assert {path: path.read_bytes() for path in before} == before


def test_everything_at_once_is_mended(folder: Folder, played: Folder) -> None:
    for case in ("agreement of bytes", "journal cut", "database garbage", "record changed", "stranger", "drafts"):
        MENDED[case][0](folder)
    assert fsck(folder)[0] == 1
    assert fsck(folder, "--repair")[0] == 0
    assert fsck(folder)[0] == 0
    assert run(folder) is Ending.FINISHED
    assert dump(folder) == dump(played)


def test_programs_get_the_same(folder: Folder) -> None:
    flip_byte(folder)
    code, output = fsck(folder, "--json")
    table: dict[str, Any] = json.loads(output)
    assert (code, table["kind"], table["mended"]) == (1, "event", [])
    [problem] = table["problems"]
    assert (problem["what"], problem["can_be_mended"]) == ("the record was changed", True)
    assert "no result" in problem["means"]
    table = json.loads(fsck(folder, "--repair", "--json")[1])
    assert (table["problems"], [one["file"] for one in table["mended"]]) == ([], [problem["file"]])


def test_a_folder_that_somebody_runs_is_left_alone(folder: Folder) -> None:
    flip_byte(folder)
    with lock_folder(folder):
        code, output = fsck(folder, "--repair")
    assert (code, f"{folder.path} is being run by process {os.getpid()}" in output) == (2, True)


def test_any_other_folder_is_refused(tmp_path: Path) -> None:
    code, output = fsck(Folder(tmp_path))
    assert code == 2
    assert all(fact in output for fact in (str(tmp_path), "tournament.toml", "arena.toml"))
    assert list(tmp_path.iterdir()) == []
    assert fsck(Folder(tmp_path / "nowhere"))[0] == 2


def test_an_event_that_has_not_begun_is_clean_or_has_a_wrong_manifest(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    assert fsck(folder)[0] == 0
    folder.manifest.write_text("name = 3")
    code, output = fsck(folder)
    assert (code, "the event cannot begin" in output) == (1, True)


def test_a_name_among_the_records_reaches_no_terminal(folder: Folder) -> None:
    (folder.records / "\x1b[31mred.tortuga").write_bytes(b"")
    (folder.records / os.fsdecode(b"\xff.txt")).write_bytes(b"")
    code, output = fsck(folder)
    assert (code, "\x1b" in output, "\\x1b[31mred" in output) == (1, False, True)
    assert fsck(folder, "--repair")[0] == 0


def test_rows_whose_records_were_deleted_on_purpose_outlive_a_repair(folder: Folder) -> None:
    path = first(folder)
    with Store.open(folder.database) as store:
        store.release_records([path.stem])
    path.unlink()
    assert fsck(folder)[0] == 0
    expected = dump(folder)
    sql("UPDATE contest_total SET faults = 9")(folder)
    assert fsck(folder, "--repair")[0] == 0
    assert dump(folder) == expected
    notes = Notes()
    assert run(folder, notes) is Ending.FINISHED
    assert (notes.finished, notes.warnings) == ([], [])
