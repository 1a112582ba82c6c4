"""GetNotes: everybody gets what is for everybody, an owner also its own bot's, and nobody anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from referee.match.notes import SeatNote
from referee.records.notes import make_notes, pack_notes
from referee.records.record import pack
from referee.rules.engine import Seat
from server.arena.keys import new_token
from server.arena.ladders.retention import DAY_MILLIS, RetentionPolicy, delete_expired
from server.cli.main import main
from server.tournament.store import Store
from support.arena import Arena, block, code_of, fill
from support.forging import play_record
from tortuga.v1 import arena_pb2 as pb

MATCHES = block(0, ["ann", "bob"]) + block(1, ["bob", "ann-2"], [[2, 1], [1, 2]])
HOSTILE = "\x1b[31m</script>"


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as opened:
        fill(opened.archive.ladder, [MATCHES[:2], MATCHES[2:]])
        yield opened


@pytest.fixture
def tokens(arena: Arena) -> dict[str, str]:
    return arena.add_bots("ann", "bob", "cid", "ann-2")


def keep(arena: Arena, match_id: str, *, private: bool) -> None:
    """A record of that match, with a note of each seat in it or beside it."""
    notes = [SeatNote(Seat(seat), seat + 1, f"seat {seat} {HOSTILE}") for seat in (0, 1)]
    record = play_record("pavillon_noir", 2)
    record.match_id = match_id
    if private:
        arena.archive.ladder.notes(match_id).write_bytes(pack_notes(match_id, notes))
    else:
        record.notes.extend(make_notes(notes))
    arena.archive.ladder.record(match_id).write_bytes(pack(record))


def noted(arena: Arena, match_id: str, token: str = "") -> list[str]:
    metadata = [("authorization", f"Bearer {token}")] if token else []
    answer = arena.api.GetNotes(pb.GetNotesRequest(match_id=match_id), metadata=metadata)
    return [f"{note.seat}:{note.text.split()[1]}" for note in answer.notes]


def test_notes_for_everybody_need_no_token(arena: Arena, tokens: dict[str, str]) -> None:
    match_id = MATCHES[0].match_id
    keep(arena, match_id, private=False)
    assert noted(arena, match_id) == noted(arena, match_id, tokens["cid"]) == ["0:0", "1:1"]


def test_private_notes_are_for_the_owner_of_the_bot_alone(arena: Arena, tokens: dict[str, str]) -> None:
    match = MATCHES[0]
    keep(arena, match.match_id, private=True)
    seats = {seat.bot: number for number, seat in enumerate(match.seats)}
    assert noted(arena, match.match_id) == []
    assert noted(arena, match.match_id, tokens["cid"]) == []
    for bot in ("ann", "bob"):
        assert noted(arena, match.match_id, tokens[bot]) == [f"{seats[bot]}:{seats[bot]}"]


def test_a_later_version_belongs_to_its_bot_and_not_to_a_bot_of_the_same_name(
    arena: Arena, tokens: dict[str, str]
) -> None:
    """`ann-2` is the second version of ann; the bot called ann-2 has nothing to do with it."""
    match = MATCHES[2]
    keep(arena, match.match_id, private=True)
    seat = [one.bot for one in match.seats].index("ann-2")
    assert noted(arena, match.match_id, tokens["ann"]) == [f"{seat}:{seat}"]
    assert noted(arena, match.match_id, tokens["ann-2"]) == []


def test_a_wrong_token_is_refused_and_not_taken_for_none(arena: Arena) -> None:
    match_id = MATCHES[0].match_id
    keep(arena, match_id, private=False)
    assert code_of(lambda: noted(arena, match_id, new_token()))[0] is grpc.StatusCode.UNAUTHENTICATED


def test_the_record_that_is_handed_out_has_no_private_notes(arena: Arena) -> None:
    match_id = MATCHES[0].match_id
    keep(arena, match_id, private=True)
    chunks = arena.api.DownloadRecord(pb.DownloadRecordRequest(match_id=match_id))
    content = b"".join(chunk.data for chunk in chunks)
    assert content == arena.archive.ladder.record(match_id).read_bytes()
    code, _ = code_of(lambda: list(arena.api.DownloadRecord(pb.DownloadRecordRequest(match_id=f"{match_id}.notes"))))
    assert code is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("name", ["", "nothing", "../../etc/passwd", "x" * 10_000])
def test_unknown_matches_have_no_notes(name: str, arena: Arena) -> None:
    assert code_of(lambda: noted(arena, name))[0] is grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("damage", ["record", "notes", "gone"])
def test_what_cannot_be_read_is_said_to_be_gone(damage: str, arena: Arena, tokens: dict[str, str]) -> None:
    match_id = MATCHES[0].match_id
    keep(arena, match_id, private=True)
    if damage == "record":
        arena.archive.ladder.record(match_id).write_bytes(b"garbage")
    elif damage == "gone":
        arena.archive.ladder.record(match_id).unlink()
    else:
        arena.archive.ladder.notes(match_id).write_bytes(b"garbage")
    code, words = code_of(lambda: noted(arena, match_id, tokens["ann"]))
    assert (code, f"notes of {match_id} cannot" in words) == (grpc.StatusCode.NOT_FOUND, True)
    assert "its result is kept" in words


def test_notes_go_with_their_record(arena: Arena) -> None:
    folder = arena.archive.ladder
    for match in MATCHES:
        keep(arena, match.match_id, private=True)
    folder.logs.mkdir(exist_ok=True)
    with Store.open(folder.database) as store:
        delete_expired(folder, store, RetentionPolicy(records=1), 100 * DAY_MILLIS)
    assert list(folder.records.iterdir()) == []
    assert code_of(lambda: noted(arena, MATCHES[0].match_id))[0] is grpc.StatusCode.NOT_FOUND


def test_the_command_prints_them_harmlessly(
    arena: Arena, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = MATCHES[0].match_id
    keep(arena, match_id, private=True)
    words = ["client", "notes", match_id, "--server", arena.address]
    monkeypatch.delenv("TORTUGA_TOKEN", raising=False)
    assert "no notes that you may" in CliRunner().invoke(main, words).output
    monkeypatch.setenv("TORTUGA_TOKEN", tokens["ann"])
    shown = CliRunner().invoke(main, words)
    assert shown.exit_code == 0
    assert "ann: seat" in shown.output
    assert "\\x1b[31m" in shown.output
    assert "\x1b" not in shown.output
    assert "\x1b" not in CliRunner().invoke(main, [*words, "--json"]).output
