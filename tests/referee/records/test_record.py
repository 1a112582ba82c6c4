"""Records: written, read, proven, tampered with, cut short; and one of today that every later version must read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.games import GAMES, find_game
from referee.match.ids import BotIdentity
from referee.match.match import Match, MatchResult
from referee.records.record import make_record, pack, read_record, unpack, write_record
from referee.records.replay import Replay
from referee.records.verify import RecordVerdict, verify
from referee.rules.chance import derive_secret
from referee.wire import find_wire, make_terms
from support.players import QuietHost, ScriptedPlayer
from support.virtual_time import run
from tortuga.v1 import record_pb2 as pb

GOLDEN = Path(__file__).parents[1] / "golden"


def play(rounds: int = 1, *, bad_at: int | None = None, faults_allowed: int = 0) -> MatchResult:
    game = find_game("pavillon_noir")
    terms = make_terms(
        game,
        game.info.read_variant({"max_rounds": str(rounds), "variant": "full"}),
        derive_secret("record"),
        match_id="m",
        seed="record",
        faults_allowed=faults_allowed,
    )
    first = ScriptedPlayer(lambda question: None if question.question_id == bad_at else 0)
    return run(Match(terms, [first, ScriptedPlayer(lambda question: 1)], QuietHost()).play())


def record_of(result: MatchResult) -> pb.Record:
    bots = [BotIdentity(name="one", version="1", language="python"), BotIdentity(name="two")]
    return make_record(result, bots, server_version="0", started_unix_millis=1)


def proven(packed: bytes) -> int:
    record, sealed = unpack(packed)
    return verify(record, sealed=sealed).decisions


def test_a_record_holds_and_is_plain_gzip(tmp_path: Path) -> None:
    result = play()
    path = tmp_path / "deep" / "m.tortuga"
    write_record(path, record_of(result))
    record, sealed = read_record(path)
    assert verify(record, sealed=sealed) == RecordVerdict(decisions=result.decisions, messages_compared=True)
    assert pb.Record.FromString(gzip.decompress(path.read_bytes())) == record
    assert [child.name for child in path.parent.iterdir()] == ["m.tortuga"]


@pytest.mark.parametrize("faults_allowed", [0, 3])
def test_a_record_with_faults_holds(faults_allowed: int) -> None:
    result = play(3, bad_at=4, faults_allowed=faults_allowed)
    assert len(result.faults) == 1
    assert proven(pack(record_of(result))) == result.decisions


def test_any_changed_byte_breaks_a_record() -> None:
    packed = pack(record_of(play()))
    for place in range(len(packed)):
        changed = bytearray(packed)
        changed[place] ^= 1 << place % 8
        with pytest.raises(RecordError):
            proven(bytes(changed))


def test_a_record_cut_short_anywhere_is_refused() -> None:
    packed = pack(record_of(play()))
    for length in range(len(packed)):
        with pytest.raises(RecordError):
            proven(packed[:length])
    with pytest.raises(RecordError):
        proven(packed + b"x")


@settings(deadline=None, max_examples=20)
@given(st.data())
def test_a_changed_choice_is_named_by_its_decision_even_under_a_new_seal(data: st.DataObject) -> None:
    record = record_of(play())
    moments = record.story.moments
    number = data.draw(st.integers(0, len(moments) - 1))
    answer = data.draw(st.sampled_from(list(moments[number].answers)))
    answer.option_index = answer.option_index + 1 if answer.option_index == 0 else 0
    decision = 1 + sum(len(moment.answers) for moment in moments[:number])
    with pytest.raises(RecordError, match=f"decision {decision}:"):
        proven(pack(record))


def test_other_lies_are_found_under_a_new_seal() -> None:
    for lie in ("secret", "commitment", "ranks", "reason", "link", "sent", "end", "end sent", "seat", "index"):
        record = record_of(play())
        story = record.story
        match lie:
            case "secret":
                story.chance_secret = derive_secret("other")
            case "commitment":
                story.chance_commitment = b"\0" * 32
            case "ranks":
                record.outcome.ranks[:] = (
                    list(reversed(record.outcome.ranks)) if len(set(record.outcome.ranks)) > 1 else [1, 2]
                )
            case "reason":
                record.outcome.reason = "magic"
            case "link":
                story.moments[3].course_link = b"\0" * 16
            case "sent":
                story.moments[3].sent_link = b"\0" * 16
            case "end":
                story.end_course_link = b"\0" * 16
            case "end sent":
                story.end_sent_link = b"\0" * 16
            case "seat":
                story.moments[-1].answers[0].seat ^= 1
            case "index":
                story.moments[-1].answers[0].option_index = 10_000
        with pytest.raises(RecordError):
            proven(pack(record))


def test_a_story_that_was_cut_short_is_no_tie() -> None:
    """All links can be made to fit; but nobody was out, and the game was not over."""
    record = record_of(play())
    del record.story.moments[3:]
    replay = Replay(record)
    decisions = sum(len(scene.answers) for scene in replay)
    end = replay.chain.end(replay.course.state, replay.course.outcome)
    record.story.end_course_link, record.story.end_sent_link = end.course, end.sent
    del record.answer_micros[decisions:]
    record.outcome.ranks[:] = [1, 1]
    with pytest.raises(RecordError, match=r"not over.* 2 seats"):
        proven(pack(record))


def test_a_record_of_other_rules_or_a_newer_format_says_so() -> None:
    record = record_of(play())
    record.story.rules_version += 1
    with pytest.raises(RecordError, match=r"version 2 .*pavillon_noir"):
        proven(pack(record))
    record.format = 2
    with pytest.raises(RecordError, match=r"format 2, .*format 1"):
        proven(pack(record))


def test_a_record_of_other_messages_is_judged_by_its_choices_alone() -> None:
    """A field that is added to an observation one day must not make old records unprovable."""
    record = record_of(play())
    record.story.messages_version = 99
    record.story.moments[3].sent_link = b"\0" * 16
    unpacked, sealed = unpack(pack(record))
    assert not verify(unpacked, sealed=sealed).messages_compared
    record.story.moments[3].course_link = b"\0" * 16
    with pytest.raises(RecordError, match="decision"):
        proven(pack(record))


def test_a_secret_that_is_not_revealed_yet_is_no_lie() -> None:
    record = record_of(play())
    record.story.chance_secret = b""
    with pytest.raises(RecordError, match="not revealed yet"):
        proven(pack(record))


def test_the_story_does_not_depend_on_names_and_times() -> None:
    one, two = record_of(play()), record_of(play())
    two.seats[0].bot_name, two.started_unix_millis = "other", 99
    assert one.story.SerializeToString(deterministic=True) == two.story.SerializeToString(deterministic=True)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.tortuga")), ids=lambda path: path.stem)
def test_records_of_earlier_versions_still_hold(path: Path) -> None:
    record, sealed = read_record(path)
    assert verify(record, sealed=sealed).decisions > 0


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_golden_record_of_what_it_sends_today(game: str) -> None:
    """So that a change of messages, states or rules without a new version is noticed."""
    version = find_wire(game).messages_version
    record, sealed = read_record(GOLDEN / f"{game}-{version}.tortuga")
    assert verify(record, sealed=sealed).messages_compared


def test_there_is_a_golden_record_of_every_format() -> None:
    formats = {read_record(path)[0].format for path in GOLDEN.glob("*.tortuga")}
    assert formats == {1}
