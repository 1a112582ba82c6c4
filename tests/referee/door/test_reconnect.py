"""A remote bot whose stream breaks: at every step of the conversation, in virtual time and without gRPC."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.player import MAX_UNSOLICITED, StreamPlayer
from referee.door.session import Session
from referee.door.tokens import hash_token
from referee.errors import BotFault, FaultKind
from support.fake_accounts import FakeAccounts
from support.talk import INTRODUCTION, Reply, choice, fault_of, heard, hello, put, question, result, say
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time

READY = pb.FromBot(table=1, ready=pb.Ready())


class Remote:
    """A remote bot: its session, and the resume token it was given last."""

    def __init__(self) -> None:
        self.accounts = FakeAccounts()
        self.session = Session("b", "0", self.accounts)
        self.token = ""

    async def greet(self) -> list[pb.ToBot]:
        """Say Hello; what came with Welcome."""
        say(self.session, hello())
        return await self.hear_welcome()

    async def hear_welcome(self) -> list[pb.ToBot]:
        welcome, *rest = await heard(self.session)
        assert welcome.welcome.reconnect_millis == 10_000
        self.token = welcome.welcome.resume_token
        return rest

    def dial_again(self) -> None:
        """A new stream by the resume token."""
        assert self.session.can_resume_with(hash_token(self.token))
        self.session.attach(hash_token(self.token))

    async def come_back(self) -> list[pb.ToBot]:
        """A new stream and Hello; what came with Welcome."""
        self.dial_again()
        return await self.greet()

    async def sit(self) -> tuple[StreamPlayer, asyncio.Future[None]]:
        table = self.session.open_table()
        return table, table.sit(INTRODUCTION)

    async def play(self) -> StreamPlayer:
        """Up to Ready."""
        await self.greet()
        table, ready = await self.sit()
        await heard(self.session)
        say(self.session, READY)
        await ready
        return table


def kinds(messages: list[pb.ToBot]) -> list[str | None]:
    return [message.WhichOneof("message") for message in messages]


async def test_every_welcome_brings_another_token_of_256_bits_and_ends_the_one_before() -> None:
    bot = Remote()
    await bot.greet()
    first = bot.token
    assert len(first) >= 43
    bot.session.detach()
    await bot.come_back()
    assert bot.token != first
    say(bot.session, pb.FromBot(table=9, ready=pb.Ready()))
    bot.session.detach()
    assert not bot.session.can_resume_with(hash_token(first)), "it was used, and the bot was heard since"
    assert bot.session.can_resume_with(hash_token(bot.token))


async def test_a_break_before_the_first_hello_leaves_nothing_to_come_back_to() -> None:
    bot = Remote()
    bot.session.detach()
    assert bot.session.ended is not None
    assert bot.session.is_closing
    assert not bot.session.can_resume_with(hash_token(""))
    assert bot.accounts.heard == []


async def test_a_break_between_hello_and_welcome_ends_with_the_grace() -> None:
    bot = Remote()
    say(bot.session, hello())
    bot.session.detach()
    assert bot.session.ended is None
    await asyncio.sleep(10.1)
    assert bot.session.ended is not None
    assert bot.accounts.heard == [("b", "arrived"), ("b", "away"), ("b", "left")]


async def test_an_idle_bot_comes_back_to_an_empty_house() -> None:
    bot = Remote()
    await bot.greet()
    bot.session.detach()
    await asyncio.sleep(9.9)
    assert await bot.come_back() == []
    await asyncio.sleep(30)
    assert bot.session.ended is None
    assert bot.accounts.heard == [("b", "arrived"), ("b", "away"), ("b", "back")]


async def test_a_bot_that_returned_may_break_before_hello_and_again_before_welcome_and_use_its_token_once_more() -> (
    None
):
    bot = Remote()
    table = await bot.play()
    bot.session.detach()
    bot.dial_again()
    bot.session.detach()  # before Hello
    bot.dial_again()
    say(bot.session, hello())
    assert not bot.session.can_resume_with(hash_token(bot.token)), "never twice while the stream is up"
    bot.session.detach()  # before it could hear Welcome, and with it the next token
    [start] = await bot.come_back()
    assert start.match_start.resumed
    await asyncio.sleep(30)
    assert table.final_fault() is None
    assert bot.accounts.heard == [("b", "arrived"), ("b", "away"), ("b", "back"), ("b", "away"), ("b", "back")]


async def test_dialling_without_hello_does_not_prolong_the_grace() -> None:
    bot = Remote()
    table = await bot.play()
    bot.session.detach()
    for _ in range(3):
        await asyncio.sleep(3)
        bot.dial_again()
        await asyncio.sleep(0.2)
        bot.session.detach()
    bot.dial_again()
    await asyncio.sleep(1)
    fault = table.final_fault()
    assert fault is not None
    assert "come back within 10 s" in fault.message
    table.end(result())
    assert bot.session.refusal, "the stream that is there hears why"
    assert await bot.session.next_batch() is None


@pytest.mark.parametrize("was_sent", [True, False])
async def test_a_table_whose_ready_is_missing_keeps_what_is_left_of_its_start_budget(was_sent: bool) -> None:
    bot = Remote()
    await bot.greet()
    _, ready = await bot.sit()
    if was_sent:
        await heard(bot.session)
    bot.session.detach()
    await asyncio.sleep(4)
    [start] = await bot.come_back()
    assert (start.table, start.match_start.match_id, start.match_start.resumed) == (1, "m", True)
    assert not ready.done()
    say(bot.session, READY)
    await ready


async def test_the_start_budget_runs_while_the_stream_is_broken() -> None:
    bot = Remote()
    await bot.greet()
    _, ready = await bot.sit()
    bot.session.detach()
    assert (await fault_of(ready)).kind is FaultKind.NO_SHOW


async def test_a_match_that_began_while_the_bot_was_away_is_new_to_it() -> None:
    bot = Remote()
    await bot.greet()
    bot.session.detach()
    table, ready = await bot.sit()
    [start] = await bot.come_back()
    assert not start.match_start.resumed
    say(bot.session, READY)
    await ready
    put(table, question())
    assert kinds(await heard(bot.session)) == ["question"]


@pytest.mark.parametrize("was_sent", [True, False])
async def test_the_open_question_comes_once_more_after_ready_with_the_time_that_is_left(was_sent: bool) -> None:
    bot = Remote()
    table = await bot.play()
    asked = question(7, 5.0)
    asked.bank_left_seconds = 60.0
    answer = put(table, asked)
    if was_sent:
        await heard(bot.session)
    await asyncio.sleep(1)
    bot.session.detach()
    await asyncio.sleep(2)
    assert kinds(await bot.come_back()) == ["match_start"], "nothing is asked before Ready"
    await asyncio.sleep(0.5)
    say(bot.session, READY)
    [again] = await heard(bot.session)
    assert (again.question.question_id, again.question.option_count) == (7, 4)
    used = 3500 if was_sent else 3480  # a question that does not leave gets no more than the hold for nothing
    assert (again.question.time_left_millis, again.question.bank_left_millis) == (5000 - used, 60_000 - used)
    say(bot.session, choice(7, 2))
    assert (await answer).index == 2


async def test_the_clock_of_the_open_question_runs_out_while_the_bot_is_away() -> None:
    bot = Remote()
    table = await bot.play()
    began = asyncio.get_running_loop().time()
    answer = put(table, question(1, 1.0))
    bot.session.detach()
    fault = await fault_of(answer)
    assert fault.kind is FaultKind.TIMEOUT
    assert fault.at - began < 1.1


async def test_what_is_asked_while_the_bot_is_away_waits_for_its_ready_and_its_clock_runs() -> None:
    bot = Remote()
    table = await bot.play()
    bot.session.detach()
    answer = put(table, question(1, 4.0))
    await asyncio.sleep(1)
    await bot.come_back()
    await asyncio.sleep(1)
    say(bot.session, READY)
    [again] = await heard(bot.session)
    assert again.question.time_left_millis == 2000
    say(bot.session, choice(1, 0))
    await answer


async def test_what_is_asked_between_the_return_and_ready_is_sent_once() -> None:
    bot = Remote()
    table = await bot.play()
    bot.session.detach()
    await bot.come_back()
    put(table, question(1))
    say(bot.session, READY)
    assert kinds(await heard(bot.session)) == ["question"]


async def test_a_bot_that_is_back_but_never_ready_runs_out_of_time() -> None:
    bot = Remote()
    table = await bot.play()
    answer = put(table, question(1, 4.0))
    bot.session.detach()
    await bot.come_back()
    assert (await fault_of(answer)).kind is FaultKind.TIMEOUT


async def test_a_choice_that_was_read_before_the_break_counts_and_is_not_asked_again() -> None:
    bot = Remote()
    table = await bot.play()
    answer = put(table, question(1, 4.0))
    await heard(bot.session)
    say(bot.session, choice(1, 3))
    bot.session.detach()
    assert isinstance(await answer, Reply)
    await bot.come_back()
    say(bot.session, READY)
    put(table, question(2, 4.0))
    [message] = await heard(bot.session)
    assert message.question.question_id == 2


async def test_a_match_that_ended_while_the_bot_was_away_is_told_when_it_is_back() -> None:
    bot = Remote()
    table = await bot.play()
    bot.session.detach()
    table.tell_fault(BotFault(FaultKind.TIMEOUT, "late", 0.0), faults_left=0, substituted=None)
    table.end(result())
    following, ready = await bot.sit()  # at the same table, while the bot is still away
    messages = await bot.come_back()
    assert kinds(messages) == ["match_start", "fault", "match_end", "match_start"]
    assert [message.match_start.resumed for message in messages if message.HasField("match_start")] == [True, False]
    say(bot.session, READY, READY)  # one for the match that is over
    await ready
    assert following.final_fault() is None


async def test_a_match_end_that_was_in_the_post_when_the_stream_broke_is_sent_until_it_was_handed_over() -> None:
    bot = Remote()
    table = await bot.play()
    table.end(result())
    assert kinds(await heard(bot.session)) == ["match_end"]  # taken, and the write never came to its end
    bot.session.detach()
    assert kinds(await bot.come_back()) == ["match_start", "match_end"]  # neither did this one
    bot.session.detach()
    assert kinds(await bot.come_back()) == ["match_start", "match_end"]
    writer = asyncio.create_task(heard(bot.session))  # the writer is back for more: that batch was handed over
    await asyncio.sleep(0)
    writer.cancel()
    bot.session.detach()
    assert kinds(await bot.come_back()) == []


async def test_a_stream_may_break_many_times_in_one_match_but_each_time_within_the_grace() -> None:
    bot = Remote()
    table = await bot.play()
    for number in range(1, 30):
        answer = put(table, question(number))
        bot.session.detach()
        await asyncio.sleep(9)
        await bot.come_back()
        say(bot.session, READY)
        assert [message.question.question_id for message in await heard(bot.session)] == [number]
        say(bot.session, choice(number, 0))
        await answer
    bot.session.detach()
    began = asyncio.get_running_loop().time()
    fault = await fault_of(put(table, question(30)))
    assert fault.kind is FaultKind.CRASH
    assert "come back within 10 s" in fault.message
    assert fault.at - began == pytest.approx(10.0)
    assert bot.accounts.heard[-1] == ("b", "left")
    assert not bot.session.can_resume_with(hash_token(bot.token))


async def test_the_second_hello_of_a_returned_bot_breaks_the_protocol_like_any_other() -> None:
    bot = Remote()
    await bot.greet()
    bot.session.detach()
    await bot.come_back()
    say(bot.session, hello())
    assert bot.session.ended is not None
    assert "second time" in bot.session.ended.message


async def test_anything_but_hello_on_the_new_stream_breaks_the_protocol() -> None:
    bot = Remote()
    await bot.play()
    bot.session.detach()
    bot.dial_again()
    say(bot.session, READY)
    assert bot.session.ended is not None
    assert bot.session.ended.kind is FaultKind.PROTOCOL


async def test_goodbye_is_final() -> None:
    bot = Remote()
    table = await bot.play()
    say(bot.session, pb.FromBot(goodbye=pb.Goodbye()))
    bot.session.detach()
    assert table.final_fault() is not None
    assert not bot.session.can_resume_with(hash_token(bot.token))
    assert bot.accounts.heard == [("b", "arrived"), ("b", "left")]


async def test_a_session_of_many_matches_may_be_clumsy_in_each() -> None:
    """One copy too many after each match, for weeks."""
    bot = Remote()
    await bot.greet()
    for _ in range(3 * MAX_UNSOLICITED):
        table, ready = await bot.sit()
        say(bot.session, READY)
        await ready
        table.end(result())
        say(bot.session, choice(1, 0))
    assert bot.session.ended is None


async def test_a_bot_we_started_is_promised_no_return() -> None:
    session = Session("b", "0")
    say(session, hello())
    [welcome] = await heard(session)
    assert (welcome.welcome.reconnect_millis, welcome.welcome.resume_token) == (0, "")
    session.detach()
    assert session.ended is not None
    assert "without Goodbye" in session.ended.message
