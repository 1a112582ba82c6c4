"""The document of a record: what it shows is what was sent, and records of every kind give one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from google.protobuf import text_format

from referee.door.spectator import SpectatorFeed
from referee.draw import DRAWINGS, ViewedTable
from referee.errors import FaultKind, RecordError
from referee.records.record import pack
from referee.records.replay import Replay
from referee.rules.engine import SPECTATOR, Seat
from server.viewer import Perspectives
from server.viewer.document import document_of, end_of, frame_of, make_document, squeeze, start_of
from server.viewer.frames import parse_position, scene_json
from server.viewer.pages import offline_page
from server.viewer.picture import unfold
from support import sizes
from support.forging import mutate, play_record
from support.spectators import collect, match_terms, result_of, show
from tortuga.v1 import arena_pb2, record_pb2

SEATS = {"broadsides": 2, "pavillon_noir": 2, "pirates_cove": 5, "marauders": 4}
HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\n"
VERIFY = "tortuga replay verify"
MOST_BYTES = {Perspectives.SPECTATOR: 150_000, Perspectives.ALL: 400_000}
every_game = pytest.mark.parametrize("game_id", SEATS)


@cache
def match(game_id: str) -> record_pb2.Record:
    """A match of each game; nobody changes it."""
    return play_record(game_id, SEATS[game_id])


@cache
def whole(game_id: str) -> dict[str, Any]:
    """Its document with everybody's eyes; nobody changes it."""
    return document_of(pack(match(game_id)), perspectives=Perspectives.ALL, attach=True)


def frames(document: dict[str, Any], eyes: str, seat: int | None = None) -> list[dict[str, Any]]:
    """The frames of one perspective."""
    found: list[list[dict[str, Any]]] = [
        view["frames"] for view in document["views"] if view["eyes"] == eyes and view.get("seat") == seat
    ]
    return found[0]


def pictures(document: dict[str, Any], shown: list[dict[str, Any]]) -> list[Any]:
    """The whole scene of each frame."""
    return list(unfold(document, shown))


def live_sights(game_id: str) -> tuple[list[arena_pb2.Sight], record_pb2.Record]:
    """Everything a live spectator gets of a match, and the record of that very match."""
    record = play_record(game_id, SEATS[game_id], seed="live")
    terms = match_terms(game_id, tuple((setting.name, setting.value) for setting in record.story.variant), seed="live")
    replay = Replay(record)
    sights: list[arena_pb2.Sight] = []

    async def watch() -> None:
        feed = SpectatorFeed(terms, [seat.bot_name for seat in record.seats])
        viewer = asyncio.create_task(collect(feed, sights))
        moments = iter(record.story.moments)
        async for _ in show(
            feed,
            replay.course,
            lambda course: {Seat(answer.seat): answer.option_index for answer in next(moments).answers},
            len(record.story.moments),
        ):
            pass
        feed.end(result_of(terms, replay.course))
        await viewer

    asyncio.run(watch())
    return sights, record


@pytest.mark.system
@every_game
def test_spectators_are_shown_what_they_were_shown_live(game_id: str) -> None:
    """Frame by frame: the same words, marks, scores and pictures."""
    sights, record = live_sights(game_id)
    document = make_document(record, perspectives=Perspectives.SPECTATOR)
    shown = frames(document, "spectator")
    scenes = [sight for sight in sights if sight.WhichOneof("sight") == "scene"]
    assert len(scenes) == len(shown) - 1, "the last frame is the end"
    start = start_of(sights[0])
    assert start["seats"] == [{"name": seat.bot_name, "version": "", "language": ""} for seat in record.seats]
    assert start["score_title"] == document["score_title"]
    heading = ""
    for sight, frame, scene in zip(scenes, shown[:-1], pictures(document, shown)[:-1], strict=True):
        live = frame_of(sights[0], sight)
        assert live["number"] == sight.number
        assert live["lines"] == frame.get("lines", [])
        assert live["marks"] == frame.get("marks", [])
        heading = frame.get("heading", heading)
        assert live["heading"] == heading
        assert live["scene"] == scene
    end = end_of(sights[0], sights[-1])
    assert end["result"] == document["result"]
    assert shown[-1]["marks"] == ["end"]
    assert shown[-1]["lines"][0].startswith(end["result"])


@pytest.mark.system
@every_game
def test_a_seat_sees_exactly_what_it_was_sent(game_id: str) -> None:
    record, document = match(game_id), whole(game_id)
    names = [seat.bot_name for seat in record.seats]
    every = [frames(document, "seat", seat) for seat in range(SEATS[game_id])]
    seen = [iter(shown) for shown in every]
    drawn = [iter(pictures(document, shown)) for shown in every]
    replay = Replay(record)
    for moment in replay:
        for answer in moment.answers:
            question = moment.questions[Seat(answer.seat)]
            frame = next(seen[answer.seat])
            asked = frame["question"]
            text = replay.game.text
            assert [document["texts"][one] for one in asked["options"]] == [text.action(a) for a in question.actions]
            assert asked["chosen"] == answer.option_index
            assert asked["by"] == "bot"
            assert frame.get("lines", []) == text.tell(question.heard)
            position = parse_position(game_id, question.position)
            scene = DRAWINGS[game_id].draw(ViewedTable(position=position, names=names, hands={answer.seat: position}))
            assert next(drawn[answer.seat]) == scene_json(scene)
    for rest in seen:
        assert [frame["marks"] for frame in rest] == [["end"]]


@pytest.mark.system
@every_game
def test_the_all_seeing_see_every_step(game_id: str) -> None:
    """One frame for each step, with all choices; the hands are those the seats see."""
    record, document = match(game_id), whole(game_id)
    shown = frames(document, "all")
    assert [frame["at"] for frame in shown] == list(range(document["steps"]))
    choices = [choice for frame in shown for choice in frame.get("choices", ())]
    answers = [answer for moment in record.story.moments for answer in moment.answers]
    assert [choice["seat"] for choice in choices] == [answer.seat for answer in answers]
    middle = document["steps"] // 2
    public = [frame for frame in frames(document, "spectator") if frame["at"] <= middle]
    everything, known = (pictures(document, those)[-1]["shapes"] for those in (shown[: middle + 1], public))
    words = {shape.get("s", "") for shape in known}
    assert any(shape.get("s", "") not in words for shape in everything), "there are secrets on the table"


@pytest.mark.system
@every_game
def test_a_document_is_small(game_id: str) -> None:
    spectators = make_document(match(game_id), perspectives=Perspectives.SPECTATOR)
    assert len(squeeze(spectators)) < MOST_BYTES[Perspectives.SPECTATOR]
    assert len(squeeze(whole(game_id))) < MOST_BYTES[Perspectives.ALL]


def test_faults_and_notes_stand_at_their_moment() -> None:
    record = play_record("pirates_cove", 3, fails={1: {4: FaultKind.TIMEOUT, 9: FaultKind.CRASH}}, faults_allowed=1)
    record.notes.add(seat=2, decision=5, text=f"I sail home {HOSTILE}")
    record.notes.add(seat=0, decision=99_999, text="after the end")
    document = make_document(record, perspectives=Perspectives.ALL)
    late, crashed = document["faults"]
    assert (late["kind"], late["out"], crashed["kind"], crashed["out"]) == ("timeout", False, "crash", True)
    choices = {frame["at"]: frame.get("choices", ()) for frame in frames(document, "all")}
    assert {"seat": 1, "by": "default"}.items() <= next(c for c in choices[late["at"]] if c["seat"] == 1).items()
    assert [note["at"] for note in document["notes"]] == [document["times"]["at"][4], document["steps"] - 1]
    assert "\x1b" not in document["notes"][0]["text"]
    assert "\n" not in document["notes"][0]["text"]
    assert [frame["question"]["by"] for frame in frames(document, "seat", 1)[:-1]].count("default") == 2


def test_times_are_those_of_the_record() -> None:
    record = play_record("broadsides", 2)
    for place in range(len(record.answer_micros)):
        record.answer_micros[place] = 1000 * place
    times = make_document(record, perspectives=Perspectives.SPECTATOR)["times"]
    assert times["ms"] == list(map(float, range(len(record.answer_micros))))
    assert len(times["at"]) == len(times["seat"]) == len(times["ms"])
    assert times["at"] == sorted(times["at"])


def test_the_record_can_be_proved() -> None:
    packed = pack(play_record("broadsides", 2))
    document = document_of(packed, perspectives=Perspectives.SPECTATOR, file="week 1/first.tortuga")
    assert document["record"] == {
        "sha256": hashlib.sha256(packed).hexdigest(),
        "file": "week 1/first.tortuga",
        "verify": f"{VERIFY} FILE",
    }
    named = document_of(packed, perspectives=Perspectives.SPECTATOR, file="first.tortuga")
    assert named["record"]["verify"] == f"{VERIFY} first.tortuga"


def test_a_match_whose_secret_is_kept_shows_its_result_and_no_more() -> None:
    record = play_record("broadsides", 2)
    record.story.chance_secret = b""
    record.notes.add(seat=0, decision=1, text="secret")
    document = make_document(record, perspectives=Perspectives.ALL)
    assert document["views"] == document["notes"] == []
    assert "times" not in document
    assert "secret is not revealed" in document["notices"][0]
    assert "bot" in document["result"]


def test_a_void_match_says_so() -> None:
    record = play_record("broadsides", 2)
    del record.story.moments[5:]
    del record.answer_micros[5:]
    record.outcome.Clear()
    record.outcome.void, record.outcome.reason = True, "void: the host was late"
    document = make_document(record, perspectives=Perspectives.ALL)
    [notice] = document["notices"]
    assert "match is void" in notice
    assert "the host was late" in notice
    assert document["result"].split(": ") == ["bot 0 and bot 1", "no result"]
    assert frames(document, "spectator")[-1]["lines"] == [f"{document['result']}: {record.outcome.reason}."]


@pytest.mark.parametrize("moments", [0, 1])
def test_the_shortest_matches(moments: int) -> None:
    record = play_record("broadsides", 2)
    del record.story.moments[moments:]
    del record.answer_micros[sum(len(moment.answers) for moment in record.story.moments) :]
    document = make_document(record, perspectives=Perspectives.ALL)
    assert document["steps"] >= 2
    assert all(view["frames"] for view in document["views"])


def test_records_of_other_versions_say_so() -> None:
    record = play_record("broadsides", 2)
    record.story.messages_version += 1
    document = make_document(record, perspectives=Perspectives.ALL)
    assert "sent other messages" in document["notices"][0]
    assert document["views"]
    record.story.rules_version += 1
    document = make_document(record, perspectives=Perspectives.ALL)
    assert "rules of broadsides" in document["notices"][0]
    assert not document["views"]
    record.story.game = HOSTILE
    document = make_document(record, perspectives=Perspectives.ALL)
    assert not document["views"]
    assert "\x1b" not in json.dumps(document)
    assert "\\u001b" not in json.dumps(document)


def test_a_record_that_does_not_hold_gives_a_document_all_the_same() -> None:
    record = play_record("broadsides", 2)
    record.story.moments[3].answers[0].option_index = 99
    document = make_document(record, perspectives=Perspectives.ALL)
    assert "option 99 of" in document["notices"][0]


def test_a_broken_seal_is_told() -> None:
    packed = bytearray(pack(play_record("broadsides", 2)))
    packed[16] ^= 1  # inside the seal itself
    document = document_of(bytes(packed), perspectives=Perspectives.SPECTATOR)
    assert "seal" in document["notices"][-1]


def test_a_game_without_a_drawing_hides_what_its_viewer_may_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.viewer.frames.find_drawing", lambda game_id: None)
    monkeypatch.setattr("server.viewer.document.find_drawing", lambda game_id: None)
    record = play_record("pirates_cove", 3)
    document = make_document(record, perspectives=Perspectives.ALL)
    replay = Replay(record)
    first = replay.course.state
    assert frames(document, "all")[0]["table"] == replay.game.text.table(first)
    seen = replay.game.view(first, SPECTATOR)
    position = parse_position("pirates_cove", replay.wire.scene(seen, ()))
    assert frames(document, "spectator")[0]["table"] == text_format.MessageToString(position.observation)


@pytest.mark.system
def test_the_same_record_gives_the_same_bytes() -> None:
    packed = pack(play_record("broadsides", 2))
    one, other = (squeeze(document_of(packed, perspectives=Perspectives.ALL)) for _ in range(2))
    assert one == other


def texts(value: Any) -> Iterator[str]:
    """Every string in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


@sizes.sized
def test_a_strangers_record_gives_a_harmless_document_or_a_reason() -> None:
    """Whatever was changed in a record, its document holds no control byte, and a page can be made of it."""
    original = play_record("broadsides", 2, fails={1: {4: FaultKind.TIMEOUT}}, faults_allowed=1)
    original.notes.add(seat=0, decision=2, text="a note")
    rng = random.Random("documents")
    made = 0
    for _ in range(sizes.pick(quick=5, ci=20, full=60)):
        mutant = record_pb2.Record.FromString(original.SerializeToString())
        for _ in range(rng.choice([1, 1, 2, 5])):
            mutate(mutant, rng)
        try:
            document = document_of(pack(mutant), perspectives=Perspectives.ALL)
        except RecordError:
            continue
        made += 1
        assert all(text.isprintable() for text in texts(document))
        offline_page([document])
    assert made
