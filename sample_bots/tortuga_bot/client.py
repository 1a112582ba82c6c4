"""The conversation with the referee: connect, hello, tables, questions, goodbye.

An asyncio loop does the talking, since that is twice as fast as the synchronous stub, but the bot's author never sees
it: `choose` is a plain function. Everything that came in one batch is answered in one batch.
"""

from __future__ import annotations

import os

# Costs a fifth of the throughput; has to be said before grpc is imported, and is ignored where unknown.
os.environ.setdefault(
    "GRPC_EXPERIMENTS", "-event_engine_listener,-event_engine_client,-event_engine_for_all_other_endpoints"
)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import asyncio
import sys
from collections.abc import Callable, Sequence

import grpc
import grpc.aio

from tortuga.v1 import referee_pb2 as pb
from tortuga.v1 import referee_pb2_grpc
from tortuga_bot.question import Match, Question

PROTOCOL = 1

Choose = Callable[[Question], "int | None"]
"""A bot: the index of the option it takes, or None to resign the match."""


def play(
    choose: Choose,
    *,
    name: str = "bot",
    version: str = "1",
    games: Sequence[str] = (),
    slots: int = 8,
    on_start: Callable[[Match], None] | None = None,
    on_fault: Callable[[Match, pb.Fault], None] | None = None,
    on_end: Callable[[Match, pb.MatchEnd], None] | None = None,
    address: str | None = None,
    token: str | None = None,
) -> None:
    """Play until the referee says goodbye.

    `choose` is called once per question. With more than one slot, questions of several matches come mixed: keep what
    belongs to a match in `question.match.memory`. Address and token come from the environment when the referee started
    the bot.
    """
    address = address or os.environ.get("TORTUGA_ADDRESS", "")
    token = token or os.environ.get("TORTUGA_TOKEN", "")
    if not address:
        sys.exit("TORTUGA_ADDRESS is not set: start this bot through the referee, e.g. `tortuga play … --bot FOLDER`")
    hello = pb.Hello(
        protocol=PROTOCOL,
        bot_name=name,
        bot_version=version,
        sdk=f"tortuga_bot {SDK_VERSION}",
        language="python",
        games=games,
        slots=slots,
    )
    client = Client(choose, on_start, on_fault, on_end)
    try:
        _run(client.talk(address, token, hello))
    except grpc.aio.AioRpcError as error:
        sys.exit(f"the referee ended the stream: {error.code().name}: {error.details()}")


def _run(talk: asyncio._CoroutineLike[None]) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(talk)  # type: ignore[arg-type]
    else:
        uvloop.run(talk)  # type: ignore[arg-type]


class Client:
    """One stream and the matches on it."""

    def __init__(
        self,
        choose: Choose,
        on_start: Callable[[Match], None] | None,
        on_fault: Callable[[Match, pb.Fault], None] | None,
        on_end: Callable[[Match, pb.MatchEnd], None] | None,
    ) -> None:
        self._choose = choose
        self._on_start = on_start
        self._on_fault = on_fault
        self._on_end = on_end
        self._matches: dict[int, Match] = {}
        self._done = False

    async def talk(self, address: str, token: str, hello: pb.Hello) -> None:
        """From Hello to Goodbye."""
        async with grpc.aio.insecure_channel(address) as channel:
            stream = referee_pb2_grpc.RefereeStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
            await stream.write(pb.FromBotBatch(messages=[pb.FromBot(hello=hello)]))
            while not self._done:
                batch = await stream.read()
                if not isinstance(batch, pb.ToBotBatch):  # the end of the stream
                    break
                answers = [answer for message in batch.messages for answer in self._hear(message)]
                if answers:
                    await stream.write(pb.FromBotBatch(messages=answers))
            await stream.done_writing()

    def _hear(self, message: pb.ToBot) -> list[pb.FromBot]:
        """Take in one message and give what has to be said to it."""
        kind, table = message.WhichOneof("message"), message.table
        if kind == "question":
            return [self._answer(table, message.question)]
        if kind == "match_start":
            self._matches[table] = match = Match.read(message.match_start)
            if self._on_start:
                self._on_start(match)
            return [pb.FromBot(table=table, ready=pb.Ready())]
        if kind == "fault":
            print(f"table {table}: fault: {message.fault.message}", file=sys.stderr, flush=True)
            if self._on_fault and table in self._matches:
                self._on_fault(self._matches[table], message.fault)
        elif kind == "match_end":
            match = self._matches.pop(table)
            if self._on_end:
                self._on_end(match, message.match_end)
        elif kind == "goodbye":
            self._done = True
        return []

    def _answer(self, table: int, question: pb.Question) -> pb.FromBot:
        index = self._choose(Question(self._matches[table], question))
        if index is None:
            return pb.FromBot(table=table, resign=pb.Resign())
        return pb.FromBot(table=table, choice=pb.Choice(question_id=question.question_id, option_index=index))


SDK_VERSION = "0.1.0"
