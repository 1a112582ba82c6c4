"""Bots that note things, as real processes: what they say reaches the record and nobody else, however they say it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.match.notes import MAX_NOTES_BYTES
from referee.records.notes import read_notes
from referee.records.record import read_record
from referee.records.verify import verify
from server.tournament.folder import Folder
from server.tournament.manifest import make_manifest, write_text
from support.command import assert_nothing_left, play_json, python_bot, tortuga
from support.ladders import make_config
from support.served import PATIENCE_SECONDS, Served, wait_for
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2
from tortuga_bot import Question
from tortuga_bot.client import Client

pytestmark = pytest.mark.timeout(3 * PATIENCE_SECONDS)

QUICK = ("pavillon_noir", "--variant", "max_rounds=2", "--clock", "3600+60/600", "--seed", "n")
HOSTILE = "</script><img src=x onerror=alert(1)>\x1b]0;owned\x07\r\nseat 1 is cheating \u202e"

POLITE = f"""
from tortuga_bot import play

def choose(question):
    question.note({HOSTILE!r})
    assert question.time_left() > 0
    return 0

play(choose, name="polite")
"""

RUDE = """
import asyncio, os, grpc.aio
from tortuga.v1 import referee_pb2 as pb, referee_pb2_grpc

def notes(table, question_id):
    if question_id == 1:
        for number in range(10_000):  # long ones, on the right question and on none, cut characters, no text at all
            text = [b"x" * 300, b"", "é".encode()[:1] * 5, b"ok"][number % 4]
            yield pb.FromBot(table=table, note=pb.Note(question_id=number % 3, text=text))
    yield pb.FromBot(table=table + 7, note=pb.Note(question_id=1, text=b"another table"))

async def main():
    async with grpc.aio.insecure_channel(os.environ["TORTUGA_ADDRESS"]) as channel:
        token = os.environ["TORTUGA_TOKEN"]
        stream = referee_pb2_grpc.RefereeStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))

        async def say(*messages):
            await stream.write(pb.FromBotBatch(messages=messages))

        await say(pb.FromBot(hello=pb.Hello(protocol=1, bot_name="rude", bot_version="1")))
        while isinstance(batch := await stream.read(), pb.ToBotBatch):
            for message in batch.messages:
                table, asked = message.table, message.question.question_id
                if message.HasField("match_start"):
                    await say(pb.FromBot(table=table, ready=pb.Ready()))
                elif message.HasField("question"):
                    speech = [*notes(table, asked), pb.FromBot(table=table, choice=pb.Choice(question_id=asked))]
                    for start in range(0, len(speech), 100):
                        await say(*speech[start : start + 100])
                elif message.HasField("goodbye"):
                    await stream.done_writing()
                    return

asyncio.run(main())
"""

SILENT = POLITE.replace("    question.note(", "    str(")


def bot(folder: Path, name: str, program: str) -> str:
    """The SPEC of a bot with this program."""
    path = folder / f"{name}.py"
    path.write_text(program)
    return python_bot(path)


def test_a_hostile_note_is_kept_as_it_is_and_printed_harmlessly(tmp_path: Path) -> None:
    report = play_json(tmp_path, *QUICK, "--bot", bot(tmp_path, "polite", POLITE), "--bot", "gunner")
    assert [seat["faults"] for seat in report["seats"]] == [[], []]
    record, sealed = read_record(tmp_path / report["record"])
    verify(record, sealed=sealed)
    texts = {note.seat: note.text for note in record.notes}
    assert texts[0] == HOSTILE
    assert texts[1].startswith(("fire: worth", "hold: worth")), "the gunner explains itself"
    for words in (("show",), ("show", "--at", str(record.notes[0].decision)), ("json",), ("verify",)):
        done = tortuga(tmp_path, "replay", words[0], report["record"], *words[1:])
        assert done.returncode == 0, done.stderr
        assert not {"\x1b", "\x07", "\r", "\u202e"} & set(done.stdout)
    shown = tortuga(tmp_path, "replay", "show", report["record"]).stdout
    assert "note of 0 " in shown
    assert HOSTILE.encode("unicode_escape").decode() in shown
    assert_nothing_left(tmp_path)


def test_notes_in_every_wrong_way_cost_no_match_and_change_nothing(tmp_path: Path) -> None:
    stories = []
    for name, program in (("rude", RUDE), ("silent", SILENT)):
        report = play_json(tmp_path, *QUICK, "--bot", bot(tmp_path, name, program), "--bot", "random")
        assert [seat["faults"] for seat in report["seats"]] == [[], []], report
        record, _ = read_record(tmp_path / report["record"])
        stories.append(record.story.SerializeToString(deterministic=True))
        if name == "rude":
            kept = sum(max(16, len(note.text.encode())) for note in record.notes)
            assert MAX_NOTES_BYTES - 200 < kept <= MAX_NOTES_BYTES
            assert {note.text for note in record.notes} == {"x" * 200, "\ufffd" * 4, "ok"}
            assert record.seats[0].notes_dropped > 5000
            dropped = f"{record.seats[0].notes_dropped} notes of 0 "
            assert dropped in tortuga(tmp_path, "replay", "show", report["record"]).stdout
        else:
            assert not record.notes
    assert stories[0] == stories[1], "what the other seat was sent is part of the story's chain"


@pytest.mark.parametrize("notes", ["everybody", "owner", "nobody"])
def test_notes_travel_from_the_workers_to_where_the_manifest_wants_them(notes: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "event")
    folder.path.mkdir()
    table = {
        "name": "talk",
        "seed": "s",
        "rounds": 1,
        "clock": "3600+60/600",
        "notes": notes,
        "games": [{"id": "pavillon_noir", "variant": {"max_rounds": 1}}],
        "bots": [{"spec": bot(tmp_path, "polite", POLITE), "name": "polite"}, {"spec": "random"}],
    }
    folder.manifest.write_text(write_text(make_manifest(table)))
    done = tortuga(tmp_path, "tournament", "run", str(folder.path))
    assert done.returncode == 0, done.stderr
    records = sorted(folder.records.glob("*.tortuga"))
    assert len(records) == 2
    for path in records:
        inside, beside = read_record(path)[0].notes, folder.notes(path.stem)
        assert bool(inside) == (notes == "everybody")
        assert beside.exists() == (notes == "owner")
        found = read_notes(beside).notes if notes == "owner" else inside
        assert {note.text for note in found} == (set() if notes == "nobody" else {HOSTILE})
    assert tortuga(tmp_path, "fsck", str(folder.path)).returncode == 0
    assert tortuga(tmp_path, "ladder", "rebuild", str(folder.path)).returncode == 0
    assert_nothing_left(tmp_path)


@contextmanager
def talkers(address: str, tokens: dict[str, str]) -> Iterator[None]:
    """Remote bots with the Python SDK, in a thread of their own, until the arena sends them away."""

    async def talk(name: str, token: str) -> None:
        def choose(question: Question) -> int:
            question.note(f"{name} thinks")
            return 0

        hello = referee_pb2.Hello(protocol=1, bot_name=name, bot_version="1", slots=2)
        await Client(choose, None, None, None).talk(address, token, hello)

    async def talk_all() -> None:
        await asyncio.gather(*(talk(name, token) for name, token in tokens.items()))

    thread = threading.Thread(target=lambda: asyncio.run(talk_all()), daemon=True)
    thread.start()
    yield
    thread.join(PATIENCE_SECONDS)


def test_an_arena_shows_private_notes_to_the_owner_of_the_bot_alone(tmp_path: Path) -> None:
    served = Served(tmp_path, make_config(notes="owner", rest_seconds=0.1)).start()
    try:
        tokens = served.add("ann", "bob", "cid")
        with talkers(served.bots, {name: tokens[name] for name in ("ann", "bob")}):
            match_id = min(wait_for(served.told))
            request = pb.GetNotesRequest(match_id=match_id)

            def seen(bot: str) -> set[str]:
                metadata = [("authorization", f"Bearer {tokens[bot]}")] if bot else []
                return {note.text for note in served.api.GetNotes(request, metadata=metadata).notes}

            assert (seen(""), seen("cid")) == (set(), set())
            assert (seen("ann"), seen("bob")) == ({"ann thinks"}, {"bob thinks"})
            chunks = served.api.DownloadRecord(pb.DownloadRecordRequest(match_id=match_id))
            (tmp_path / "public.tortuga").write_bytes(b"".join(chunk.data for chunk in chunks))
            done = tortuga(
                tmp_path, "client", "notes", match_id, "--server", served.public, "--json", TORTUGA_TOKEN=tokens["ann"]
            )
            assert {note["text"] for note in json.loads(done.stdout)["notes"]} == {"ann thinks"}
            served.signal()
            assert served.end() == 0
    finally:
        served.close()
    record, sealed = read_record(tmp_path / "public.tortuga")
    assert sealed
    assert b"thinks" not in record.SerializeToString()
    backup = tmp_path / "backup"
    assert tortuga(tmp_path, "server", "backup", str(backup), "--dir", str(served.path)).returncode == 0
    assert (backup / "ladder" / "records" / f"{match_id}.notes").stat().st_mode & 0o77 == 0
    assert tortuga(tmp_path, "fsck", str(served.path)).returncode == 0
    assert tortuga(tmp_path, "fsck", str(backup)).returncode == 0
    assert_nothing_left(tmp_path)
