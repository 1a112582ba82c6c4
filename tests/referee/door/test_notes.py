"""Notes over a bot's stream: they come at any time, cost nothing, and nobody else ever hears of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from referee.door.player import MAX_DROPPED_NOTES
from referee.door.session import Session
from referee.errors import FaultKind
from referee.match.match import Match, MatchResult
from referee.match.notes import MAX_NOTE_BYTES, MAX_NOTES, MAX_NOTES_BYTES
from support.players import QuietHost
from support.talk import choice, hello, say
from support.tortoise import terms
from tortuga.v1 import referee_pb2 as pb

pytestmark = pytest.mark.virtual_time

Speech = Callable[[int, pb.Question], list[pb.FromBot]]
"""What a bot says before it answers a question at a table."""


def note(question_id: int, text: bytes, table: int = 1) -> pb.FromBot:
    return pb.FromBot(table=table, note=pb.Note(question_id=question_id, text=text))


def silent(table: int, question: pb.Question) -> list[pb.FromBot]:
    return []


class Bot:
    """Takes option 1 and says something before. Keeps every byte it is sent."""

    def __init__(self, name: str, speech: Speech = silent) -> None:
        self.session = Session(name, "0")
        self.heard: list[bytes] = []
        self._speech = speech
        say(self.session, hello(slots=8))
        self.task = asyncio.create_task(self._talk())

    async def _talk(self) -> None:
        while (raw := await self.session.next_batch()) is not None:
            self.heard.append(raw)
            answers: list[pb.FromBot] = []
            for message in pb.ToBotBatch.FromString(raw).messages:
                if message.HasField("match_start"):
                    answers.append(pb.FromBot(table=message.table, ready=pb.Ready()))
                if message.HasField("question"):
                    answers += self._speech(message.table, message.question)
                    answers.append(choice(message.question.question_id, 1, table=message.table))
            await asyncio.sleep(0.001)
            for start in range(0, len(answers), 1000):  # a batch has a limit, too
                say(self.session, *answers[start : start + 1000])


async def play(*bots: Bot) -> MatchResult:
    return await Match(terms(), [bot.session.open_table() for bot in bots], QuietHost()).play()


async def test_welcome_says_how_much_is_kept() -> None:
    bot = Bot("one")
    await asyncio.sleep(0.01)
    [welcome] = pb.ToBotBatch.FromString(bot.heard[0]).messages
    limits = welcome.welcome.limits
    assert (limits.max_note_bytes, limits.max_notes_bytes) == (MAX_NOTE_BYTES, MAX_NOTES_BYTES)


async def test_notes_come_with_the_decisions_they_are_about() -> None:
    talker = Bot("talker", lambda table, asked: [note(asked.question_id, b"number %d" % asked.question_id, table)])
    result = await play(Bot("quiet"), talker)
    assert not result.faults
    assert result.notes_dropped == (0, 0)
    mine = [
        decision
        for decision, answer in enumerate((a for moment in result.moments for a in moment.answers), start=1)
        if answer.seat == 1
    ]
    assert [(one.seat, one.decision, one.text) for one in result.notes] == [
        (1, decision, f"number {number}") for number, decision in enumerate(mine, start=1)
    ]


async def test_nothing_that_others_are_sent_changes_by_a_note() -> None:
    def chatter(table: int, asked: pb.Question) -> list[pb.FromBot]:
        return [note(number, b"\x1b[2J</script>" * 30, table) for number in range(20)]

    sent: list[list[bytes]] = []
    links = []
    for speech in (silent, chatter):
        watcher, talker = Bot("watcher"), Bot("talker", speech)
        result = await play(talker, watcher)
        await asyncio.sleep(0.1)  # they hear the end
        sent += [watcher.heard, talker.heard]
        links.append(([moment.links for moment in result.moments], result.ranks, result.scores, result.end_links))
    assert sent[0] == sent[2]
    assert sent[1] == sent[3], "not even the talker hears of it"
    assert links[0] == links[1]


@pytest.mark.parametrize("extra", [0, 1])
async def test_too_many_notes_are_dropped_and_only_a_flood_of_them_is_a_fault(extra: int) -> None:
    many = MAX_NOTES + MAX_DROPPED_NOTES + extra

    def flood(table: int, asked: pb.Question) -> list[pb.FromBot]:
        return [note(1, b"x", table)] * many if asked.question_id == 1 else []

    result = await play(Bot("talker", flood), Bot("quiet"))
    assert [(fault.seat, fault.kind) for fault in result.faults] == ([(0, FaultKind.PROTOCOL)] if extra else [])
    assert len(result.notes) == MAX_NOTES
    assert result.notes_dropped == (MAX_DROPPED_NOTES + extra, 0)


async def test_notes_on_no_question_of_the_match_cost_nothing() -> None:
    strange = [0, 99, 2**32 - 1]
    talker = Bot("talker", lambda table, asked: [note(number, b"?", table) for number in strange])
    result = await play(talker, Bot("quiet"))
    assert not result.faults
    assert not result.notes
    assert result.notes_dropped == (len(strange) * 4, 0)


async def test_notes_after_the_end_are_no_unsolicited_messages() -> None:
    talker, quiet = Bot("talker"), Bot("quiet")
    await play(talker, quiet)
    say(talker.session, *[note(1, b"too late")] * 1000)
    assert talker.session.ended is None
    assert not (await play(talker, quiet)).notes, "they are not taken for notes on the next match"
    for _ in range(MAX_DROPPED_NOTES // 1000):
        say(talker.session, *[note(1, b"too late")] * 1000)
    assert talker.session.ended is None
    say(talker.session, note(1, b"once too often"))
    assert talker.session.ended is not None
    assert talker.session.ended.kind is FaultKind.PROTOCOL


async def test_a_note_before_hello_breaks_the_protocol_like_anything_else() -> None:
    session = Session("b", "0")
    say(session, note(1, b"hi"))
    assert session.ended is not None
    assert "note came" in session.ended.message


async def test_a_note_in_the_batch_of_the_last_answer_is_kept_if_it_stands_before_it() -> None:
    talker = Bot("talker", lambda table, asked: [note(asked.question_id, b"last words", table)])
    result = await play(talker, Bot("quiet"))
    assert result.notes[-1].decision > result.decisions - 2
