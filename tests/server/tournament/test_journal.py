"""events.jsonl: whole lines, whatever happens to the process or to the disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.errors import RecordError
from server.tournament.journal import VERSION, Journal, drop_partial_line, read_journal, read_rare, read_steps
from support.events import make_event, run

FIELDS = {
    "run_started": {"commitment", "jail_level", "matches_done", "matches_planned"},
    "match_started": {"match", "contest", "block", "rotation", "label", "bots"},
    "match_finished": {"match", "contest", "block", "rotation", "bots", "ranks", "scores", "reason", "decisions"},
    "fault": {"match", "bot", "seat", "kind", "decision", "message", "out", "log"},
    "live_elo": {"match", "bot", "elo", "change"},
    "quarantine": {"contest", "bot", "faulted", "matches"},
    "run_finished": {"matches_done", "matches_planned", "seed"},
}


def test_every_line_has_its_version_its_kind_and_the_fields_of_its_kind(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "crash"], rounds=12)
    run(folder)
    lines = [json.loads(line) for line in folder.journal.read_text().splitlines()]
    assert {line["event"] for line in lines} == set(FIELDS)
    for line in lines:
        assert (line["v"], set(line) - {"v", "at", "event"}) == (VERSION, FIELDS[line["event"]])
        assert line["at"].endswith("+00:00")
    assert [lines[0]["event"], lines[-1]["event"], lines[-1]["seed"]] == ["run_started", "run_finished", "s"]


def test_a_line_that_was_cut_off_is_removed_and_the_next_one_begins_afresh(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"event": "a"}\n{"event": "b')
    assert [line["event"] for line in read_journal(path)] == ["a"]
    journal = Journal(path)
    journal.write("c")
    journal.close()
    assert [line["event"] for line in read_journal(path)] == ["a", "c"]


@pytest.mark.parametrize(
    ("found", "left"), [("", ""), ("cut o", ""), ("one\n", "one\n"), ("one\ntwo\ncut o", "one\ntwo\n")]
)
def test_only_a_line_that_was_cut_off_is_removed(found: str, left: str, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(found)
    drop_partial_line(path)
    assert path.read_text() == left


@pytest.mark.parametrize("damage", [b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"null\n", b'{"event": 3}\n', b"\0\0\n"])
def test_a_damaged_line_is_left_out(damage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"event": "a"}\n' + damage + b'{"event": "b"}\n')
    assert [line["event"] for line in read_journal(path)] == ["a", "b"]


def test_a_damaged_journal_does_not_stop_an_event(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "ben"], rounds=1)
    run(folder)
    before = folder.journal.read_bytes()
    folder.journal.write_bytes(before.replace(b"match_finished", b"match_finish\xffd", 1))
    run(folder)
    assert [line["event"] for line in read_journal(folder.journal, ["match_finished"])].count("match_finished") == 2


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_in_place_of_the_journal_is_set_aside(make: Callable[[Path], None], tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "ben"], rounds=1)
    make(folder.journal)
    assert list(read_journal(folder.journal)) == []
    assert list(read_steps(folder.journal, ["match_finished"])) == []
    run(folder)
    assert len(list(read_journal(folder.journal, ["match_finished"]))) == 2
    assert folder.journal.with_name("events.jsonl.damaged").exists()


def test_without_a_file_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert list(read_journal(tmp_path / "events.jsonl")) == []


@contextmanager
def instead(journal: Journal, device: str, mode: int = os.O_WRONLY) -> Iterator[None]:
    """The journal's file is this device for a while."""
    number = journal._file.fileno()
    kept, other = os.dup(number), os.open(device, mode)
    os.dup2(other, number)
    try:
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
        os.close(other)


def test_while_the_disk_is_full_lines_are_kept_and_written_when_there_is_space(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "events.jsonl")
    journal.write("a")
    with instead(journal, "/dev/full"):
        journal.write("b")
        journal.write("c")
    journal.write("d")
    journal.close()
    assert [line["event"] for line in read_journal(tmp_path / "events.jsonl")] == ["a", "b", "c", "d"]


def test_what_was_kept_is_written_at_the_end(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "events.jsonl")
    with instead(journal, "/dev/full"):
        journal.write("a")
    journal.close()
    assert [line["event"] for line in read_journal(tmp_path / "events.jsonl")] == ["a"]


def test_another_error_is_named(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "events.jsonl")
    with instead(journal, "/dev/null", os.O_RDONLY), pytest.raises(RecordError, match=r"events\.jsonl"):
        journal.write("a")


def test_steps_are_read_as_lines_are(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert list(read_steps(path, ["match_started"])) == []
    path.touch()
    assert list(read_steps(path, ["match_started"])) == []
    journal = Journal(path)
    journal.write("run_started", matches_done=0)
    journal.write("match_started", match="a", bots=["x", 'y"event": "match_started", "match": "z"'])
    journal.write("match_void", contest="c", reason="no match")
    journal.write("match_finished", match="a")
    journal.close()
    with path.open("ab") as file:
        file.write(b'{"v": 1, "event": "match_finished", "match": "cut off')
    kinds = ["run_started", "match_started", "match_void"]
    expected = [(line["event"], line.get("match", "")) for line in read_journal(path, kinds)]
    assert (
        list(read_steps(path, kinds)) == expected == [("run_started", ""), ("match_started", "a"), ("match_void", "")]
    )
    assert list(read_steps(path, ["match_finished"])) == [("match_finished", "a")]


def test_lines_of_a_rare_kind_are_read_as_all_are(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert list(read_rare(path, "match_void")) == []
    path.touch()
    assert list(read_rare(path, "match_void")) == []
    journal = Journal(path)
    journal.write("match_void", contest="c", reason="first", late=["ann"])
    journal.write("match_started", match="a", bots=['"event": "match_void"'])
    journal.write("match_void", contest="c", reason='"event": "match_void"')
    journal.close()
    with path.open("ab") as file:
        file.write(b'["damaged", {"event": "match_void"}]\n{"event": "match_void", "cut": "off')
    found = list(read_rare(path, "match_void"))
    assert found == list(read_journal(path, ["match_void"]))
    assert [line["reason"] for line in found] == ["first", '"event": "match_void"']
