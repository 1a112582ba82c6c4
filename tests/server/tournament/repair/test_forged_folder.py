"""Files that somebody put into an event's folder: no forged record changes a table, and no good one is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import RecordError
from referee.records.record import pack, read_record, sign
from referee.records.signature import SigningKey
from server.cli.main import main
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.repair import reconcile as reconcile_module
from server.tournament.store import Store
from support.events import Notes, dump, make_event, run
from tortuga.v1 import record_pb2 as pb


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = make_event(tmp_path, bots=["ann", "ben"], rounds=2)
    run(made)
    return made


def swap_winner(record: pb.Record) -> None:
    record.outcome.ranks[:] = [2, 1] if record.outcome.ranks[0] == 1 else [1, 2]
    record.outcome.scores[:] = [float(rank == 1) for rank in record.outcome.ranks]


def rename_bot(record: pb.Record) -> None:
    record.seats[0].bot_name = record.place.bots[0] = "eve"


def other_policy(record: pb.Record) -> None:
    record.fault_policy.faults_allowed += 1


def other_messages(record: pb.Record) -> None:
    record.story.messages_version += 1


def other_event(record: pb.Record) -> None:
    record.place.event = "elsewhere"


FORGERIES: dict[Callable[[pb.Record], None], str] = {
    swap_winner: "do not follow",
    rename_bot: "",
    other_policy: "fault policy",
    other_messages: "course only",
    other_event: "does not belong",
}


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forged_record_never_changes_a_table(folder: Folder, forge: Callable[[pb.Record], None]) -> None:
    path = sorted(folder.records.iterdir())[0]
    record, _ = read_record(path)
    forge(record)
    path.write_bytes(pack(record))
    done = CliRunner().invoke(main, ["ladder", "rebuild", str(folder.path)])
    assert done.exit_code == 1
    assert f"{path.name}: " in done.output
    assert FORGERIES[forge] in done.output
    assert "3 matches read" in done.output
    with Store.read_only(folder.database) as store:
        assert not store.has_match(record.match_id)
    notes = Notes()
    run(folder, notes)  # the match is played again
    assert len(notes.finished) == 1


def test_a_sound_folder_is_rebuilt_as_it_was(folder: Folder) -> None:
    before = dump(folder)
    assert CliRunner().invoke(main, ["ladder", "rebuild", str(folder.path)]).exit_code == 0
    assert dump(folder) == before


def test_a_record_of_other_messages_counts_where_the_reader_allows_it(folder: Folder) -> None:
    path = sorted(folder.records.iterdir())[0]
    record, _ = read_record(path)
    other_messages(record)
    key = SigningKey.open(folder.key)
    path.write_bytes(sign(pack(record), key) if key else pack(record))
    words = ["ladder", "rebuild", "--course-only", str(folder.path)]
    assert CliRunner().invoke(main, words).exit_code == 0


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_among_the_records_keeps_nobody_waiting(folder: Folder, make: Callable[[Path], None]) -> None:
    path = sorted(folder.records.iterdir())[0]
    path.unlink()
    make(path)
    make(folder.records / "x.tortuga")
    before = len(dump(folder)["match"])
    findings = rebuild(folder)
    assert len(findings.problems) == 2
    run(folder)
    assert len(dump(folder)["match"]) == before


@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
def test_a_read_error_that_passes_loses_no_match(folder: Folder, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = dump(folder)

    def fail(path: Path, most: int) -> bytes:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(reconcile_module, "read_regular_file", fail)
    with pytest.raises(RecordError, match=rf"{os.strerror(number)}.* try again"):
        run(folder)
    monkeypatch.undo()
    run(folder)
    assert dump(folder) == before
