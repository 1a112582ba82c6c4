"""Notes in records and beside them: no part of the story, bounded, sealed, and never proven."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from referee.errors import RecordError
from referee.games import find_game
from referee.match.ids import BotIdentity
from referee.match.match import Match, MatchResult
from referee.match.notes import MAX_NOTE_BYTES, MAX_NOTES, MAX_NOTES_BYTES, SeatNote
from referee.records.notes import all_notes, notes_path, pack_notes, read_notes
from referee.records.record import make_record, pack, unpack
from referee.records.shape import MAX_SEATS
from referee.records.verify import verify
from referee.rules.chance import derive_secret
from referee.rules.engine import Seat
from referee.wire import make_terms
from support.players import QuietHost, ScriptedPlayer
from support.virtual_time import run
from tortuga.v1 import record_pb2 as pb

HOSTILE = "\x1b]0;owned\x07</script>\0\u202e\r\n"


def play(note: bytes | None = HOSTILE.encode(), times: int = 1) -> MatchResult:
    game = find_game("pavillon_noir")
    variant = game.info.read_variant({"max_rounds": "1"})
    terms = make_terms(game, variant, derive_secret("notes"), match_id="m", seed="notes")
    talker = ScriptedPlayer(lambda question: 0, note=None if note is None else lambda question: note * times)
    return run(Match(terms, [talker, ScriptedPlayer(lambda question: 1)], QuietHost()).play())


def record_of(result: MatchResult, *, with_notes: bool = True) -> pb.Record:
    bots = [BotIdentity(name="one"), BotIdentity(name="two")]
    return make_record(result, bots, server_version="0", started_unix_millis=1, with_notes=with_notes)


def test_a_record_with_notes_holds_and_has_the_same_story() -> None:
    with_notes, without = record_of(play()), record_of(play(None))
    assert len(with_notes.notes) > 3
    assert {note.text for note in with_notes.notes} == {HOSTILE}
    record, sealed = unpack(pack(with_notes))
    assert record == with_notes
    verify(record, sealed=sealed)
    assert with_notes.story == without.story
    del with_notes.notes[:]
    assert with_notes == without, "they stand in their own field and nowhere else"


def test_whoever_changes_a_note_breaks_the_seal_and_nothing_else() -> None:
    record = record_of(play())
    packed = pack(record)
    record.notes[0].text = "I never said that"
    forged = pack(record)
    again, holds = unpack(forged)
    verify(again, sealed=holds)  # with a new seal, since no hash chain covers notes
    head = packed.index(b"TT") + 4 + 32  # where the seal ends
    changed, sealed = unpack(packed[:head] + forged[head:])
    with pytest.raises(RecordError, match="seal"):
        verify(changed, sealed=sealed)


def test_the_record_leaves_out_notes_that_are_not_for_everybody() -> None:
    assert not record_of(play(), with_notes=False).notes


def with_note(**fields: int | str) -> bytes:
    record = record_of(play(None))
    record.notes.add(**{"seat": 0, "decision": 1, "text": "x", **fields})
    return pack(record)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"seat": 2}, "seat 2, .*seats 0 to 1"),
        ({"decision": 0}, "on no decision"),
        ({"decision": 10_000}, "on a decision after"),
        ({"text": ""}, "a note has 0 bytes"),
        ({"text": "x" * (MAX_NOTE_BYTES + 1)}, "a note has 201 bytes"),
        ({"text": "é" * 101}, "a note has 202 bytes"),
    ],
)
def test_a_strange_note_is_refused(fields: dict[str, int | str], why: str) -> None:
    with pytest.raises(RecordError, match=why):
        unpack(with_note(**fields))


def test_a_note_on_a_question_of_another_seat_is_a_contradiction() -> None:
    record = record_of(play(None))
    whose = record.story.moments[0].answers[0].seat
    record.notes.add(seat=1 - whose, decision=1, text="x")
    again, sealed = unpack(pack(record))
    with pytest.raises(RecordError, match=f"decision 1: .*note.*seat {1 - whose}, .*not asked"):
        verify(again, sealed=sealed)


def test_more_notes_than_the_referee_keeps_are_refused() -> None:
    record = record_of(play(None))
    record.notes.extend(pb.RecordNote(decision=1, text="x") for _ in range(MAX_NOTES))
    unpack(pack(record))
    record.notes.add(decision=1, text="x")
    with pytest.raises(RecordError, match=f"more than {MAX_NOTES_BYTES} bytes together"):
        unpack(pack(record))


def test_millions_of_empty_notes_are_refused_before_they_are_parsed() -> None:
    record = record_of(play(None))
    empty = pb.Record(notes=[pb.RecordNote()]).SerializeToString()
    raw = record.SerializeToString() + empty * (MAX_SEATS * MAX_NOTES + 1)
    with pytest.raises(RecordError, match=f"more than {MAX_SEATS * MAX_NOTES} notes"):
        unpack(gzip.compress(raw))


def test_the_fullest_notebooks_of_the_most_seats_can_be_read_again() -> None:
    """Also if all notes are the same, so that the file is tiny."""
    game = find_game("pirates_cove")
    terms = make_terms(game, game.info.read_variant({}), derive_secret("notes"), match_id="m")
    result = run(Match(terms, [ScriptedPlayer(lambda question: 0) for _ in range(5)], QuietHost()).play())
    answers = [answer for moment in result.moments for answer in moment.answers]
    first = {seat: next(at for at, one in enumerate(answers, 1) if one.seat == seat) for seat in range(5)}
    record = make_record(result, [BotIdentity(name="x")] * 5, server_version="0", started_unix_millis=1)
    notes = [SeatNote(Seat(seat), first[seat], "x") for seat in range(5) for _ in range(MAX_NOTES)]
    record.notes.extend(pb.RecordNote(seat=one.seat, decision=one.decision, text=one.text) for one in notes)
    read, sealed = unpack(pack(record))
    assert len(read.notes) == 5 * MAX_NOTES
    verify(read, sealed=sealed)


# The file beside the record


def test_a_file_of_notes_is_read_with_its_record_and_with_no_other(tmp_path: Path) -> None:
    result = play(b"mine")
    record, path = record_of(result, with_notes=False), tmp_path / "m.tortuga"
    assert list(all_notes(record, path)) == []
    notes_path(path).write_bytes(pack_notes("m", result.notes))
    assert read_notes(tmp_path / "m.notes").match_id == "m"
    assert [note.text for note in all_notes(record, path)] == ["mine"] * len(result.notes)
    notes_path(path).write_bytes(pack_notes("another match", result.notes))
    assert list(all_notes(record, path)) == []


def test_no_notes_no_file() -> None:
    assert pack_notes("m", ()) == b""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x1f\x8b\x08",
        b"no gzip at all",
        gzip.compress(b"\xff\xff\xff"),
        gzip.compress(b"\0" * 10_000_000),
        gzip.compress(pb.MatchNotes(notes=[pb.RecordNote()] * 40_000).SerializeToString()),
        gzip.compress(pb.MatchNotes(notes=[pb.RecordNote(seat=9, decision=1, text="x")]).SerializeToString()),
        gzip.compress(pb.MatchNotes(notes=[pb.RecordNote(decision=1, text="x" * 999)]).SerializeToString()),
    ],
    ids=["empty", "cut short", "text", "garbage", "bomb", "many", "a ninth seat", "too long"],
)
def test_a_strange_file_of_notes_is_refused_and_harms_no_reader(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.tortuga"
    notes_path(path).write_bytes(content)
    with pytest.raises(RecordError):
        read_notes(notes_path(path))
    assert list(all_notes(record_of(play(None)), path)) == []


def test_a_pipe_instead_of_notes_keeps_nobody_waiting(tmp_path: Path) -> None:
    path = tmp_path / "m.tortuga"
    os.mkfifo(notes_path(path))
    assert list(all_notes(record_of(play(None)), path)) == []
