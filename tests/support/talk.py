"""What tests of a session say to it and hear from it, in virtual time and without gRPC."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from referee.door.player import StreamPlayer
from referee.door.session import Session
from referee.errors import BotFault
from referee.match.clock import TimeControl
from referee.match.match import Introduction, MatchResult
from referee.match.question import Question
from referee.rules.chance import SeededChance
from referee.rules.engine import Seat
from support import tortoise
from tortuga.v1 import referee_pb2 as pb

TERMS = tortoise.terms(clock=TimeControl(start_seconds=5.0), seed="s")

INTRODUCTION = Introduction(terms=TERMS, seat=Seat(0), seat_names=("b", "c"))


def say(session: Session, *messages: pb.FromBot) -> None:
    """Send one batch."""
    session.receive(pb.FromBotBatch(messages=messages).SerializeToString())


def hello(protocol: int = 1, **fields: Any) -> pb.FromBot:
    """Who is there."""
    return pb.FromBot(hello=pb.Hello(protocol=protocol, bot_name="b", **fields))


def choice(question_id: int, index: int, table: int = 1) -> pb.FromBot:
    """An answer."""
    return pb.FromBot(table=table, choice=pb.Choice(question_id=question_id, option_index=index))


async def heard(session: Session) -> list[pb.ToBot]:
    """The next batch, nothing if the conversation is over."""
    raw = await session.next_batch()
    return list(pb.ToBotBatch.FromString(raw).messages) if raw is not None else []


def question(question_id: int = 1, seconds: float | None = None) -> Question:
    """A question with four options."""
    return Question(
        question_id=question_id,
        kind="TOGETHER",
        view=(1, 0, 0),
        heard=(),
        actions=(0, 1, 2, 3),
        default=1,
        situation=b"",
        events=b"",
        options=b"",
        game=TERMS.game,
        state=TERMS.game.new(3, TERMS.variant, SeededChance(TERMS.secret)),
        seat=Seat(0),
        time_left_seconds=seconds,
    )


@dataclass
class Reply:
    """An answer, and how long it took on the seat's clock."""

    index: int
    seconds: float


class Inquiry:
    """The asker of one question: what comes of it as a future."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.asked_at = 0.0
        """When the clock of a question that failed had started."""

    def answered(self, seat: Seat, index: int, seconds: float) -> None:
        self.reply.set_result(Reply(index, seconds))

    def failed(self, seat: Seat, fault: BotFault, asked_at: float) -> None:
        self.asked_at = asked_at
        self.reply.set_exception(fault)
        self.reply.exception()  # a test need not look at it


def put(table: StreamPlayer, asked: Question) -> asyncio.Future[Reply]:
    """Put a question to a bot outside a match."""
    inquiry = Inquiry()
    table.ask(asked, inquiry)
    return inquiry.reply


def result() -> MatchResult:
    """How some match ended."""
    return MatchResult(
        terms=TERMS,
        names=("b", "c"),
        moments=(),
        end_links=None,  # type: ignore[arg-type]
        faults=(),
        ranks=(1, 2),
        scores=(1.0, 0.0),
        reason="finish",
        void=False,
        time_used_seconds=(0.0, 0.0),
    )


async def fault_of(future: asyncio.Future[Reply] | asyncio.Future[None]) -> BotFault:
    """Wait for something to fail."""
    with pytest.raises(BotFault) as caught:
        await future
    return caught.value
