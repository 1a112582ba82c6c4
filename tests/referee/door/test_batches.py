"""Which questions share a batch, how long they wait for it, and when the clocks of their seats start."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.outbox import HOLD_SECONDS
from referee.door.player import StreamPlayer
from referee.door.session import Session
from referee.errors import FaultKind
from support.talk import INTRODUCTION, Inquiry, choice, fault_of, heard, hello, put, question, result, say
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time


def now() -> float:
    return asyncio.get_running_loop().time()


async def seated(count: int) -> tuple[Session, list[StreamPlayer]]:
    """A bot that is ready at that many tables, numbered from 1."""
    session = Session("b", "0")
    say(session, hello(slots=count))
    tables = [session.open_table() for _ in range(count)]
    for table in tables:
        table.sit(INTRODUCTION)
    await heard(session)
    say(session, *[pb.FromBot(table=number, ready=pb.Ready()) for number in range(1, count + 1)])
    return session, tables


async def asked_tables(session: Session) -> list[int]:
    return [message.table for message in await heard(session) if message.HasField("question")]


async def left_open(session: Session, tables: list[StreamPlayer]) -> None:
    """Ask the tables a first question each, in one batch."""
    for table in tables:
        put(table, question(1))
    assert len(await asked_tables(session)) == len(tables)


async def test_questions_wait_until_the_last_batch_is_answered_and_then_leave_together() -> None:
    session, (one, two, three) = await seated(3)
    await left_open(session, [one, two])
    batch = asyncio.create_task(asked_tables(session))
    put(three, question(1))
    await asyncio.sleep(0.005)
    say(session, choice(1, 0, table=1))
    put(one, question(2))
    await asyncio.sleep(0.005)
    assert not batch.done(), "table 2 has not answered"
    say(session, choice(1, 0, table=2))
    answered_at = now()
    assert await batch == [3, 1]
    assert now() == answered_at
    assert (session.traffic.questions, session.traffic.batches) == (4, 2)
    assert session.traffic.wait_quantile(1.0) == pytest.approx(0.010, abs=0.0002)


async def test_nothing_waits_longer_than_the_hold_after_the_last_batch() -> None:
    session, (one, two) = await seated(2)
    await left_open(session, [one])
    began = now()
    await asyncio.sleep(0.015)
    put(two, question(1))
    assert await asked_tables(session) == [2]
    assert now() - began == pytest.approx(HOLD_SECONDS)


async def test_a_table_that_thinks_long_holds_the_others_back_once() -> None:
    session, (slow, *quick) = await seated(3)
    await left_open(session, [slow])
    for number in range(1, 6):
        for table in quick:
            put(table, question(number))
        began = now()
        assert await asked_tables(session) == [2, 3]
        assert now() - began == pytest.approx(HOLD_SECONDS if number == 1 else 0.0)
        say(session, choice(number, 0, table=2), choice(number, 0, table=3))


async def test_a_bot_whose_answers_take_longer_than_the_hold_is_asked_at_once() -> None:
    session, (one, two, three) = await seated(3)
    await left_open(session, [one, two])
    await asyncio.sleep(0.5)
    say(session, choice(1, 0, table=1))
    for number, table in enumerate([three, one], start=1):
        began = now()
        put(table, question(number))
        await asked_tables(session)
        assert now() == began


async def test_the_answer_to_an_older_batch_was_not_quick_even_if_it_follows_the_last_batch_quickly() -> None:
    session, (one, two, three) = await seated(3)
    await left_open(session, [one])
    await asyncio.sleep(0.5)
    await left_open(session, [two])
    say(session, choice(1, 0, table=1))
    began = now()
    put(three, question(1))
    assert await asked_tables(session) == [3]
    assert now() == began


async def test_a_question_that_was_ready_to_leave_is_still_held_for_a_moment_only() -> None:
    """The bot turns out to be quick after all between the question and the turn of the writer."""
    session, (one, two, three) = await seated(3)
    await left_open(session, [one])
    await asyncio.sleep(0.5)
    say(session, choice(1, 0, table=1))  # slow: nothing is held from now on
    await left_open(session, [two, three])
    batch = asyncio.create_task(asked_tables(session))
    await asyncio.sleep(0)
    began = now()
    put(one, question(2))
    say(session, choice(1, 0, table=2))  # quick, and table 3 is still open
    assert await batch == [1]
    assert now() - began == pytest.approx(HOLD_SECONDS)


async def test_a_bot_with_one_table_never_waits() -> None:
    session, (table,) = await seated(1)
    began = now()
    for number in range(1, 5):
        put(table, question(number))
        assert await asked_tables(session) == [1]
        say(session, choice(number, 0))
    assert now() == began


async def test_the_question_of_a_match_that_is_over_holds_nobody_back() -> None:
    session, (one, two) = await seated(2)
    await left_open(session, [one])
    one.end(result())
    began = now()
    put(two, question(1))
    assert await asked_tables(session) == [2]
    assert now() == began


async def test_the_clock_starts_when_the_question_leaves() -> None:
    session, (one, two) = await seated(2)
    await left_open(session, [one])
    answer = put(two, question(1, 1.0))
    batch = asyncio.create_task(heard(session))
    await asyncio.sleep(0.01)
    say(session, choice(1, 0, table=1))
    [message] = await batch
    assert message.question.time_left_millis == 1000
    await asyncio.sleep(0.25)
    say(session, choice(1, 0, table=2))
    assert (await answer).seconds == pytest.approx(0.25)


async def test_a_held_question_runs_out_of_time_as_late_as_it_left() -> None:
    session, (one, two) = await seated(2)
    await left_open(session, [one])
    inquiry = Inquiry()
    two.ask(question(1, 1.0), inquiry)
    await asyncio.sleep(0)
    await asked_tables(session)
    left_at = now()
    fault = await fault_of(inquiry.reply)
    assert fault.kind is FaultKind.TIMEOUT
    assert inquiry.asked_at == left_at
    assert fault.at - left_at == pytest.approx(1.0)


async def test_a_bot_that_does_not_read_is_late_all_the_same() -> None:
    """The transport takes nothing more from us: the clock starts when the hold is over."""
    _, (table,) = await seated(1)
    began = now()
    inquiry = Inquiry()
    table.ask(question(1, 1.0), inquiry)
    fault = await fault_of(inquiry.reply)
    assert fault.kind is FaultKind.TIMEOUT
    assert inquiry.asked_at - began == pytest.approx(HOLD_SECONDS)
    assert fault.at - began == pytest.approx(1.0 + HOLD_SECONDS)


async def test_a_question_that_leaves_after_its_clock_started_says_how_much_time_is_left() -> None:
    session, (table,) = await seated(1)
    asked = question(1, 1.0)
    asked.bank_left_seconds = 60.0
    answer = put(table, asked)
    await asyncio.sleep(HOLD_SECONDS + 0.4)
    [message] = await heard(session)
    assert (message.question.time_left_millis, message.question.bank_left_millis) == (600, 59_600)
    say(session, choice(1, 0))
    assert (await answer).seconds == pytest.approx(0.4)


async def test_every_question_has_a_deadline_of_its_own_however_long_the_one_before() -> None:
    session, (table,) = await seated(1)
    for number, seconds in enumerate([5.0, 0.5, 3.0, 0.1, 1.0], start=1):
        answer = put(table, question(number, seconds))
        await heard(session)
        await asyncio.sleep(seconds * 0.9)
        assert not answer.done()
        if number % 2:
            say(session, choice(number, 0))
            await answer
        else:
            asked_at = now() - seconds * 0.9
            assert (await fault_of(answer)).at - asked_at == pytest.approx(seconds)


async def test_an_answer_to_a_question_that_has_not_left_yet_took_no_time() -> None:
    session, (table,) = await seated(1)
    answer = put(table, question(1, 1.0))
    await asyncio.sleep(0.01)
    say(session, choice(1, 2))
    reply = await answer
    assert (reply.index, reply.seconds) == (2, 0.0)
