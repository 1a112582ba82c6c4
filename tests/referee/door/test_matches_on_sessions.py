"""Matches on the sessions of their bots, without gRPC: a match goes on inside the call that reads an answer."""

from __future__ import annotations

import asyncio

import pytest

from referee.door.session import Session
from referee.errors import FaultKind, RulesError
from referee.match.match import Choices, Match, MatchResult, Terms
from referee.rules.course import Course
from support.players import QuietHost, ScriptedPlayer
from support.talk import choice, heard, hello, say
from support.tortoise import terms
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time


class Bot:
    """A bot that is ready at every table and takes option 1."""

    def __init__(self, name: str) -> None:
        self.session = Session(name, "0")
        self.questions = 0
        say(self.session, hello(slots=8))
        self.task = asyncio.create_task(self._talk())

    async def _talk(self) -> None:
        while messages := await heard(self.session):
            answers = [answer for message in messages for answer in self._answer(message)]
            await asyncio.sleep(0.001)
            if answers:
                say(self.session, *answers)

    def _answer(self, message: pb.ToBot) -> list[pb.FromBot]:
        if message.HasField("match_start"):
            return [pb.FromBot(table=message.table, ready=pb.Ready())]
        if message.HasField("question"):
            self.questions += 1
            return [choice(message.question.question_id, 1, table=message.table)]
        return []


def begin(the_terms: Terms, *bots: Bot) -> asyncio.Task[MatchResult]:
    return asyncio.create_task(Match(the_terms, [bot.session.open_table() for bot in bots], QuietHost()).play())


async def test_matches_at_many_tables_play_as_one_alone() -> None:
    alone = await Match(terms(), [ScriptedPlayer(lambda question: 1) for _ in range(2)], QuietHost()).play()
    one, two = Bot("one"), Bot("two")
    results = await asyncio.gather(*(begin(terms(), one, two) for _ in range(8)))
    for result in results:
        assert [moment.links for moment in result.moments] == [moment.links for moment in alone.moments]
        assert not result.faults
    assert one.questions == two.questions == 8 * 4
    assert one.session.traffic.questions / one.session.traffic.batches == 8


async def test_a_bug_in_one_match_leaves_the_session_and_the_other_matches_alone() -> None:
    def break_down(course: Course, kind: str, choices: Choices) -> None:
        if choices:
            raise RulesError("our bug")

    one, two = Bot("one"), Bot("two")
    players = [bot.session.open_table() for bot in (one, two)]
    broken = asyncio.create_task(Match(terms(), players, QuietHost(), break_down).play())
    healthy = begin(terms(), one, two)
    with pytest.raises(RulesError, match="our bug"):
        await broken
    assert (await healthy).reason == "finish"
    assert (await begin(terms(), one, two)).reason == "finish", "the tables of the broken match are free"


async def test_an_abandoned_match_frees_its_tables_while_others_go_on() -> None:
    one, two = Bot("one"), Bot("two")
    abandoned, other = begin(terms(rounds=99), one, two), begin(terms(rounds=99), one, two)
    await asyncio.sleep(0.05)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    assert (await other).reason == "finish"
    assert (await begin(terms(), one, two)).reason == "finish"


@pytest.mark.parametrize("kind", ["TOGETHER", "IN_TURN"])
async def test_two_seats_of_one_bot_fall_together_when_it_breaks_down_whoever_is_asked(kind: str) -> None:
    def break_down(course: Course, before: str, choices: Choices) -> None:
        if before and course.kind == kind:
            asyncio.get_running_loop().call_soon(both.session.end, FaultKind.CRASH, "gone")

    both = Bot("both")
    players = [both.session.open_table(), both.session.open_table()]
    result = await Match(terms(), players, QuietHost(), break_down).play()
    assert (result.ranks, result.reason) == ((1, 1), "fault")
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, FaultKind.CRASH), (1, FaultKind.CRASH)]


async def test_what_follows_the_last_answer_of_a_match_in_a_batch_is_still_read() -> None:
    session = Session("b", "0")
    say(session, hello(slots=2))
    opponents = ScriptedPlayer(lambda question: 0), ScriptedPlayer(lambda question: 0)
    matches = [
        asyncio.create_task(Match(terms(rounds=1), [session.open_table(), other], QuietHost()).play())
        for other in opponents
    ]
    await heard(session)
    await asyncio.sleep(0)
    await heard(session)
    say(session, *[pb.FromBot(table=table, ready=pb.Ready()) for table in (1, 2)])
    assert [message.table for message in await heard(session)] == [1, 2]
    await asyncio.sleep(0)
    say(session, choice(1, 1, table=1), choice(1, 1, table=1), choice(1, 2, table=2))
    results = await asyncio.gather(*matches)
    assert [result.moments[0].answers[0].index for result in results] == [1, 2]
    assert session.ended is None


async def test_a_bot_may_say_everything_twice_even_where_it_is_asked_again_at_once() -> None:
    """Where its answer is the last of the moment, its next question is open by the time the copy is read."""

    class Doubled(Bot):
        def _answer(self, message: pb.ToBot) -> list[pb.FromBot]:
            answers = super()._answer(message)
            return answers * 2 if message.HasField("question") else answers

    result = await begin(terms(rounds=40), Doubled("one"), Bot("two"))
    assert (result.reason, result.faults) == ("finish", ())


async def test_a_bot_that_stops_reading_and_answering_is_late() -> None:
    one, two = Bot("one"), Bot("two")
    match = begin(terms(rounds=99), one, two)
    await asyncio.sleep(0.05)
    one.task.cancel()
    result = await match
    assert (result.ranks, result.reason) == ((2, 1), "fault")
    assert [(fault.seat, fault.kind) for fault in result.faults] == [(0, FaultKind.TIMEOUT)]
