"""Who may read the bots' notes of an event: in the record, in a file beside it, or nowhere."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.records.notes import read_notes
from referee.records.record import read_record
from server.cli.main import main
from server.play.replay import read_moments, record_json, tell_record
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.runner import Ending
from support.events import dump, make_event, run

BOTS = ["ann", "talker"]


def played(path: Path, notes: str) -> Folder:
    folder = make_event(path, bots=BOTS, rounds=2, notes=notes)
    assert run(folder) is Ending.FINISHED
    return folder


def records(folder: Folder) -> list[Path]:
    return sorted(folder.records.glob("*.tortuga"))


def fsck(folder: Folder, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["fsck", str(folder.path), *words])
    return done.exit_code, done.output


def test_notes_for_everybody_stand_in_the_records(tmp_path: Path) -> None:
    folder = played(tmp_path, "everybody")
    for path in records(folder):
        record, sealed = read_record(path)
        seats = {note.seat for note in record.notes}
        assert sealed
        assert [record.seats[seat].bot_name for seat in seats] == ["talker"]
    assert not list(folder.records.glob("*.notes"))
    assert fsck(folder)[0] == 0


def test_notes_for_owners_stand_beside_the_records_for_nobody_else_to_read(tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    for path in records(folder):
        record, _ = read_record(path)
        assert not record.notes
        assert b"my question" not in record.SerializeToString()
        beside = folder.notes(path.stem)
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
        found = read_notes(beside)
        assert found.match_id == record.match_id
        assert found.notes[0].text == "my question 1"
    assert fsck(folder)[0] == 0


def test_notes_for_nobody_are_not_kept(tmp_path: Path) -> None:
    folder = played(tmp_path, "nobody")
    assert not any(read_record(path)[0].notes for path in records(folder))
    assert not list(folder.records.glob("*.notes"))


def test_the_setting_changes_nothing_but_the_notes(tmp_path: Path) -> None:
    rows = [dump(played(tmp_path / notes, notes)) for notes in ("everybody", "owner", "nobody")]
    assert rows[0] == rows[1] == rows[2]


def test_the_database_is_made_again_without_the_notes_and_leaves_them(tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    before, files = dump(folder), sorted(path.name for path in folder.records.iterdir())
    folder.database.unlink()
    assert rebuild(folder).problems == []
    assert dump(folder) == before
    assert sorted(path.name for path in folder.records.iterdir()) == files


def test_a_match_that_is_played_again_leaves_no_notes_of_the_first_time(tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    lost = records(folder)[0]
    lost.unlink()
    folder.notes(lost.stem).write_bytes(b"of another time")
    assert run(folder) is Ending.FINISHED
    assert read_notes(folder.notes(lost.stem)).match_id == lost.stem


def test_a_change_of_the_setting_under_a_half_played_event_is_refused(tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    folder.manifest.write_text(folder.manifest.read_text().replace('notes = "owner"', 'notes = "everybody"'))
    done = CliRunner().invoke(main, ["tournament", "run", str(folder.path)])
    assert done.exit_code == 2
    assert all(fact in done.output for fact in ("notes: ", '"owner"', '"everybody"'))


@pytest.mark.parametrize("damage", ["content", "name", "record"])
def test_fsck_sets_strange_notes_aside_and_loses_no_result(damage: str, tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    before = dump(folder)
    first, second = (folder.notes(path.stem) for path in records(folder)[:2])
    if damage == "content":
        first.write_bytes(b"\x1f\x8b\x08 no notes")
    elif damage == "name":
        first.write_bytes(second.read_bytes())
    else:
        first = folder.records / "unknown.notes"
        first.write_bytes(second.read_bytes())
    code, words = fsck(folder)
    assert code == 1
    assert f"records/{first.name}" in words.replace("\n", "")
    assert fsck(folder, "--repair")[0] == 0
    assert fsck(folder)[0] == 0
    assert not first.exists()
    assert first.with_name(f"{first.name}.damaged").exists()
    assert dump(folder) == before


# What people see


def test_the_organiser_sees_the_notes_beside_their_decisions(tmp_path: Path) -> None:
    folder = played(tmp_path, "owner")
    path = records(folder)[0]
    first = read_notes(folder.notes(path.stem)).notes[0]
    seat = f"{first.seat} talker"
    lines = [*tell_record(path)]
    assert f"      note of {seat} on decision {first.decision}: my question 1" in lines
    place = lines.index(f"      note of {seat} on decision {first.decision}: my question 1")
    assert any(line.startswith(f"{first.decision:>4}  {seat}") for line in lines[:place])
    assert not any(line.startswith(f"{first.decision + 2:>4}  ") for line in lines[:place])  # both chose together
    [moment] = read_moments(path, first.decision, first.seat)
    assert moment["answers"][0]["notes"] == ["my question 1"]
    assert '"text": "my question 1"' in record_json(path)
    shown = CliRunner().invoke(main, ["replay", "show", str(path), "--at", str(first.decision)])
    assert "      note: my question 1" in shown.output
    elsewhere = tmp_path / path.name
    elsewhere.write_bytes(path.read_bytes())  # as everybody else gets it
    assert not any("note of" in line for line in tell_record(elsewhere))
    assert "my question" not in record_json(elsewhere)


def test_verify_says_what_notes_are(tmp_path: Path) -> None:
    everybody, nobody = played(tmp_path / "one", "everybody"), played(tmp_path / "two", "nobody")
    for folder, told in ((everybody, True), (nobody, False)):
        done = CliRunner().invoke(main, ["replay", "verify", str(records(folder)[0])])
        assert done.exit_code == 0
        assert ("nothing proves them" in done.output) == told
