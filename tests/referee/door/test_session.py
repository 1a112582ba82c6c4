"""A bot's stream, message by message, without gRPC: what is accepted, ignored, counted and punished."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from referee.door.outbox import HOLD_SECONDS
from referee.door.player import MAX_UNSOLICITED, StreamPlayer
from referee.door.session import MAX_MESSAGE_BYTES, Session
from referee.errors import FaultKind
from referee.match.question import make_question
from referee.match.question_text import tell_question
from referee.rules.chance import SeededChance
from referee.rules.course import Course
from referee.rules.engine import Seat
from support.talk import INTRODUCTION, TERMS, Reply, choice, fault_of, heard, hello, put, question, say
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time


def greeted() -> Session:
    session = Session("b", "0")
    say(session, hello())
    return session


async def seated() -> tuple[Session, StreamPlayer]:
    session = greeted()
    table = session.open_table()
    ready = table.sit(INTRODUCTION)
    say(session, pb.FromBot(table=1, ready=pb.Ready()))
    await ready
    await heard(session)
    return session, table


async def test_hello_is_answered_with_welcome_and_the_limits() -> None:
    session = Session("b", "9.9")
    say(session, hello(slots=3))
    [message] = await heard(session)
    assert message.welcome.protocol == 1
    assert message.welcome.server_version == "9.9"
    assert message.welcome.limits.max_message_bytes == MAX_MESSAGE_BYTES
    assert session.slots == 3


@pytest.mark.parametrize("protocol", [0, 2])
async def test_another_protocol_is_refused_with_both_numbers(protocol: int) -> None:
    session = Session("b", "0")
    say(session, hello(protocol))
    assert session.hello is None
    assert session.refusal == f"the bot speaks protocol {protocol}, this referee speaks 1"
    assert await session.next_batch() is None  # no Goodbye: the status of the stream says it


async def test_anything_before_hello_breaks_the_protocol() -> None:
    session = Session("b", "0")
    say(session, pb.FromBot(table=1, ready=pb.Ready()))
    assert session.ended is not None
    assert session.ended.kind is FaultKind.PROTOCOL


async def test_a_second_hello_breaks_the_protocol() -> None:
    session = greeted()
    say(session, hello())
    assert session.ended is not None
    assert "second time" in session.ended.message


@pytest.mark.parametrize("raw", [b"\xff\xff\xff", b"x" * (MAX_MESSAGE_BYTES + 1)])
async def test_garbage_and_oversized_messages_break_the_protocol_and_fail_the_question(raw: bytes) -> None:
    session, table = await seated()
    answer = put(table, question())
    session.receive(raw)
    fault = await fault_of(answer)
    assert fault.kind is FaultKind.PROTOCOL
    assert str(len(raw)) in fault.message


async def test_a_legal_answer_is_taken_with_the_time_it_was_read() -> None:
    session, table = await seated()
    answer = put(table, question())
    await heard(session)
    await asyncio.sleep(0.25)
    say(session, choice(1, 3))
    assert await answer == Reply(3, 0.25)


@pytest.mark.parametrize("index", [4, -1, 2**31 - 1, -(2**31)])
async def test_an_index_outside_the_list_is_illegal(index: int) -> None:
    session, table = await seated()
    answer = put(table, question())
    say(session, choice(1, index))
    fault = await fault_of(answer)
    assert (fault.kind, fault.message) == (FaultKind.ILLEGAL, f"question 1: option {index} of 4")
    assert session.ended is None


async def test_an_answer_to_a_question_never_asked_is_illegal() -> None:
    session, table = await seated()
    answer = put(table, question(1))
    say(session, choice(7, 0))
    assert (await fault_of(answer)).kind is FaultKind.ILLEGAL


async def test_no_answer_in_time_is_a_timeout_at_the_deadline() -> None:
    _, table = await seated()
    began = asyncio.get_running_loop().time()
    fault = await fault_of(put(table, question(1, 1.0)))
    assert fault.kind is FaultKind.TIMEOUT
    assert fault.at - began == pytest.approx(1.0 + HOLD_SECONDS)


async def test_a_late_answer_is_never_taken_for_the_answer_to_the_next_question() -> None:
    session, table = await seated()
    await fault_of(put(table, question(1, 1.0)))
    say(session, choice(1, 2))
    answer = put(table, question(2))
    say(session, choice(1, 2))
    assert not answer.done()
    say(session, choice(2, 0))
    assert (await answer).index == 0


async def test_one_identical_copy_of_an_answer_is_free_for_every_question() -> None:
    session, table = await seated()
    for number in range(1, 3 * MAX_UNSOLICITED):
        answer = put(table, question(number))
        say(session, choice(number, 1), choice(number, 1))
        assert (await answer).index == 1
    assert session.ended is None


async def test_more_than_the_allowed_number_of_unsolicited_messages_breaks_the_protocol() -> None:
    session, table = await seated()
    answer = put(table, question(2))
    for _ in range(MAX_UNSOLICITED):
        say(session, choice(1, 0))
    assert session.ended is None
    say(session, choice(1, 0))
    assert (await fault_of(answer)).kind is FaultKind.PROTOCOL


async def test_a_thousand_messages_in_one_batch_break_the_protocol() -> None:
    session, table = await seated()
    answer = put(table, question(1))
    say(session, *[choice(1, 0) for _ in range(1000)])
    assert (await answer).index == 0, "the first answer was legal and stands"
    assert session.ended is not None
    fault = table.final_fault()
    assert fault is not None
    assert fault.kind is FaultKind.PROTOCOL


async def test_messages_for_tables_that_do_not_exist_are_counted_too() -> None:
    session = greeted()
    for _ in range(MAX_UNSOLICITED + 1):
        assert session.ended is None
        say(session, choice(1, 0, table=9))
    assert session.ended is not None


async def test_resigning_fells_one_table_and_leaves_the_other() -> None:
    session, table = await seated()
    other = session.open_table()
    answer = put(table, question())
    say(session, pb.FromBot(table=1, resign=pb.Resign()))
    assert (await fault_of(answer)).kind is FaultKind.RESIGN
    assert other.final_fault() is None


async def test_goodbye_resigns_every_match() -> None:
    session, table = await seated()
    other = session.open_table()
    say(session, pb.FromBot(goodbye=pb.Goodbye(reason="tired")))
    assert {player.final_fault().kind for player in (table, other)} == {FaultKind.RESIGN}  # type: ignore[union-attr]


async def test_the_words_of_a_goodbye_are_one_short_line_and_move_no_cursor() -> None:
    session, table = await seated()
    say(session, pb.FromBot(goodbye=pb.Goodbye(reason="\x1b[2Jadieu,\nmes \u202eprécieux" + "!" * 5000)))
    fault = table.final_fault()
    assert fault is not None
    assert "Goodbye: [2Jadieu, mes " in str(fault)
    assert "mes  précieux!!!" in str(fault)
    assert len(str(fault)) < 250


async def test_no_ready_in_time_is_a_no_show() -> None:
    session = greeted()
    table = session.open_table()
    fault = await fault_of(table.sit(INTRODUCTION))
    assert fault.kind is FaultKind.NO_SHOW


async def test_a_bot_that_is_gone_fails_every_later_question_at_once_with_the_first_reason() -> None:
    session, table = await seated()
    session.end(FaultKind.CRASH, "exited with code 3")
    session.end(FaultKind.PROTOCOL, "a later thought")
    fault = await fault_of(put(table, question()))
    assert (fault.kind, fault.message) == (FaultKind.CRASH, "exited with code 3")
    assert session.open_table().final_fault() is fault


async def test_all_that_is_ready_at_one_moment_leaves_in_one_batch() -> None:
    session = greeted()
    await heard(session)
    tables = [session.open_table() for _ in range(8)]
    for table in tables:
        table.sit(INTRODUCTION)
    messages = await heard(session)
    assert [message.table for message in messages] == [1, 2, 3, 4, 5, 6, 7, 8]
    say(session, *[pb.FromBot(table=number, ready=pb.Ready()) for number in range(1, 9)])
    for table in tables:
        put(table, question())
    assert [message.question.option_count for message in await heard(session)] == [4] * 8


async def test_the_options_and_events_are_left_out_on_request() -> None:
    session = Session("b", "0")
    say(session, hello(omit_options=True, omit_events=True))
    table = session.open_table()
    table.sit(INTRODUCTION)
    await heard(session)
    asked = question()
    asked.options, asked.events = b"\x22\x01o", b"\x1a\x01e"
    put(table, asked)
    [message] = await heard(session)
    raw = message.SerializeToString()
    assert message.question.option_count == 4
    assert asked.options not in raw
    assert asked.events not in raw


async def test_a_bot_that_broke_the_protocol_hears_the_end_of_its_match_and_then_goodbye() -> None:
    session, table = await seated()
    put(table, question())
    session.receive(b"\xff")
    session.close_table(1)
    kinds = [message.WhichOneof("message") for message in await heard(session)]
    assert kinds == ["question", "goodbye"]
    assert await session.next_batch() is None


@pytest.mark.parametrize("wants", [False, True])
async def test_a_bot_that_asks_for_words_is_sent_the_question_and_the_rules_in_words(wants: bool) -> None:
    session = Session("b", "0")
    say(session, hello(want_text=wants, want_rules=wants))
    table = session.open_table()
    terms = replace(TERMS, game=replace(TERMS.game, text=replace(TERMS.game.text, rules="Be first.")))
    ready = table.sit(replace(INTRODUCTION, terms=terms))
    say(session, pb.FromBot(table=1, ready=pb.Ready()))
    await ready
    _, started = await heard(session)
    assert started.match_start.rules_text == ("Be first." if wants else "")
    course = Course(TERMS.game, 2, TERMS.variant, SeededChance(TERMS.secret))
    asked = put(table, make_question(course, TERMS.wire, Seat(0), 1))
    [message] = await heard(session)
    assert message.question.text == (tell_question(make_question(course, TERMS.wire, Seat(0), 1)) if wants else "")
    say(session, choice(1, 0))
    await asked
