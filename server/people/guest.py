"""A bot in this process, such as a person at the terminal.

It speaks the protocol with a session of its own, like every bot, but over no stream: the referee cannot tell the
difference. What it answers is decided by a `Mind`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Protocol

from referee.door.session import Session
from referee.errors import FaultKind
from referee.match.ids import BotIdentity
from referee.match.match import Player, Terms
from referee.wire.envelope import PROTOCOL
from server import __version__
from tortuga.v1 import referee_pb2 as pb


class Mind(Protocol):
    """Whoever thinks for a guest."""

    def start(self, match: pb.MatchStart) -> None:
        """Take in that a match begins."""
        ...

    async def choose(self, question: pb.Question) -> int | None:
        """Return the index of an option, or None to resign. Cancelled when the question is over."""
        ...

    def note(self) -> str:
        """Return a note on the latest choice; empty: there is none."""
        ...

    def hear_fault(self, fault: pb.Fault) -> None:
        """Take in what the guest did wrong, and what it costs."""
        ...

    def end(self, end: pb.MatchEnd) -> None:
        """Take in how the match ended."""
        ...


class Guest:
    """A seat whose bot is in this process: a SeatedBot."""

    def __init__(self, name: str, mind: Mind) -> None:
        self._name = name
        self._mind = mind
        self._session = Session(name, __version__)
        self._thinking: asyncio.Task[None] | None = None
        hello = pb.Hello(protocol=PROTOCOL, bot_name=name, bot_version="1", want_text=True, want_rules=True, slots=1)
        self._say(pb.FromBot(hello=hello))

    def identity(self) -> BotIdentity:
        """Return the guest's name, as the record has it."""
        return BotIdentity(name=self._name)

    async def player(self, terms: Terms) -> Player:
        """Return the guest at a new table."""
        return self._session.open_table()

    def close(self) -> None:
        """Say Goodbye to the guest: `serve` returns."""
        self._session.close("the match is over")

    async def serve(self) -> None:
        """Hear and answer until Goodbye. If that fails, the guest counts as crashed."""
        try:
            while (batch := await self._session.next_batch()) is not None:
                for message in pb.ToBotBatch.FromString(batch).messages:
                    self._hear(message)
        except Exception:
            self._session.end(FaultKind.CRASH, "it failed in this process")
            raise
        finally:
            self._stop_thinking()

    def _hear(self, message: pb.ToBot) -> None:
        match message.WhichOneof("message"):
            case "match_start":
                self._mind.start(message.match_start)
                self._say(pb.FromBot(table=message.table, ready=pb.Ready()))
            case "question":
                self._stop_thinking()
                self._thinking = asyncio.create_task(self._answer(message.table, message.question))
            case "fault":
                self._stop_thinking()
                self._mind.hear_fault(message.fault)
            case "match_end":
                self._stop_thinking()
                self._mind.end(message.match_end)

    async def _answer(self, table: int, question: pb.Question) -> None:
        try:
            index = await self._mind.choose(question)
        except Exception:
            self._session.end(FaultKind.CRASH, "it failed in this process")
            raise
        if note := self._mind.note():
            text = note.encode()
            self._say(pb.FromBot(table=table, note=pb.Note(question_id=question.question_id, text=text)))
        if index is None:
            self._say(pb.FromBot(table=table, resign=pb.Resign()))
        else:
            choice = pb.Choice(question_id=question.question_id, option_index=index)
            self._say(pb.FromBot(table=table, choice=choice))

    def _say(self, message: pb.FromBot) -> None:
        self._session.receive(pb.FromBotBatch(messages=[message]).SerializeToString())

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None


@contextlib.asynccontextmanager
async def at_table(guest: Guest) -> AsyncIterator[None]:
    """Let a guest hear and answer while the block runs."""
    serving = asyncio.create_task(guest.serve())
    try:
        yield
    finally:
        guest.close()
        await asyncio.wait([serving])
