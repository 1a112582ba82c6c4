"""The conversation with the referee: connect, say hello, answer questions, reconnect after a broken stream, leave.

An asyncio loop does the talking, since that is twice as fast as the synchronous stub, but the bot's author never sees
it: `choose` is a plain function. All questions of one batch are answered in one batch.
"""

from __future__ import annotations

import os

# These experiments cost a fifth of the throughput. Must be set before grpc is imported; unknown names are ignored.
os.environ.setdefault(
    "GRPC_EXPERIMENTS", "-event_engine_listener,-event_engine_client,-event_engine_for_all_other_endpoints"
)
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import asyncio
import operator
import ssl
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import grpc
import grpc.aio

from tortuga.v1 import referee_pb2 as pb
from tortuga.v1 import referee_pb2_grpc
from tortuga_bot.arrivals import Arrivals
from tortuga_bot.log_marks import LogMarks
from tortuga_bot.question import Match, Question

PROTOCOL = 1
FIRST_WAIT_SECONDS = 0.1
LONGEST_WAIT_SECONDS = 2.0

T = TypeVar("T")

Choose = Callable[[Any], "int | None"]
"""A bot: the index of the option it takes, or None to resign the match."""


def play(
    choose: Choose,
    *,
    name: str = "bot",
    version: str = "1",
    games: Sequence[str] = (),
    seat_counts: Sequence[int] = (),
    slots: int = 8,
    want_model: bool = False,
    want_text: bool = False,
    want_rules: bool = False,
    on_start: Callable[[Match], None] | None = None,
    on_fault: Callable[[Match, pb.Fault], None] | None = None,
    on_end: Callable[[Match, pb.MatchEnd], None] | None = None,
    address: str | None = None,
    token: str | None = None,
) -> None:
    """Play until the referee says goodbye.

    `choose` is called once per question. With more than one slot, questions of several matches arrive interleaved:
    keep what belongs to a match in `question.match.memory`. With `want_model` every question brings what
    `tortuga_bot.model(question)` needs to look ahead; with `want_text` it has a `text` for people and language models;
    with `want_rules` every match has a `rules_text`. If the referee started the bot, address and token come from the
    environment.
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
        seat_counts=seat_counts,
        slots=slots,
        want_model=want_model,
        want_text=want_text,
        want_rules=want_rules,
    )
    client = Client(choose, on_start, on_fault, on_end, want_model=want_model)
    client.marks.install()
    try:
        _run(client.talk(address, token, hello))
    except Refused as error:
        sys.exit(f"the referee ended the stream: {error}")


def _run(talk: asyncio._CoroutineLike[None]) -> None:
    try:
        import uvloop
    except ImportError:
        asyncio.run(talk)  # type: ignore[arg-type]
    else:
        uvloop.run(talk)  # type: ignore[arg-type]


def open_channel(address: str) -> grpc.aio.Channel:
    """A channel in plain text, or with TLS as TORTUGA_TLS says. Every attempt to connect gets its own: a shared channel
    would fail at once for as long as gRPC itself waits after a broken connection."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    trust = os.environ.get("TORTUGA_TLS", "")
    if not trust:
        return grpc.aio.insecure_channel(address, options)
    # By default gRPC trusts its own copy of the roots, not the system's.
    path = ssl.get_default_verify_paths().cafile if trust == "system" else trust
    try:
        roots = Path(path).read_bytes() if path else None
    except OSError as error:
        sys.exit(f"TORTUGA_TLS is {trust!r}, but its roots cannot be read: {error.strerror}")
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(roots), options)


class Refused(Exception):
    """The conversation ended without a Goodbye."""


class End(NamedTuple):
    """How a stream ended, and whether reconnecting makes sense."""

    reason: str
    may_return: bool


def end_of(call: grpc.aio.Call) -> End:
    """How a finished call ended."""
    code, details = result_of(call.code()), result_of(call.details())
    if details == "Internal error from Core":
        return End("it broke off", True)
    return End(f"{code.name}: {details}", code is grpc.StatusCode.UNAVAILABLE)


def result_of(ready: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that returns without waiting."""
    try:
        ready.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("the coroutine waits")


class Client:
    """The matches of a bot, and the stream they are played on."""

    def __init__(
        self,
        choose: Choose,
        on_start: Callable[[Match], None] | None,
        on_fault: Callable[[Match, pb.Fault], None] | None,
        on_end: Callable[[Match, pb.MatchEnd], None] | None,
        *,
        want_model: bool = False,
    ) -> None:
        self._choose = choose
        self._want_model = want_model
        self._on_start = on_start
        self._on_fault = on_fault
        self._on_end = on_end
        self._matches: dict[int, Match] = {}
        """The matches by table."""
        self._away: dict[tuple[str, int], Match] = {}
        """The matches of a broken stream that may be resumed, by match and seat."""
        self._welcome: pb.Welcome | None = None
        """The Welcome of the current stream."""
        self._arrivals = Arrivals()
        self._done = False
        self.marks = LogMarks()

    async def talk(self, address: str, token: str, hello: pb.Hello) -> None:
        """From Hello to Goodbye, over as many streams as the referee allows."""
        seats_kept_until, wait = 0.0, FIRST_WAIT_SECONDS
        while True:
            end = await self._stream(address, token, hello)
            if self._done:
                return
            if self._welcome is not None:  # a conversation broke off; otherwise it was one more vain attempt to connect
                seats_kept_until = time.monotonic() + self._welcome.reconnect_millis / 1000
                wait = FIRST_WAIT_SECONDS
                token = self._welcome.resume_token or token
                self._away |= {(match.match_id, match.seat): match for match in self._matches.values()}
                self._matches, self._welcome = {}, None
            if not end.may_return or time.monotonic() + wait > seats_kept_until:
                raise Refused(end.reason)
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT_SECONDS)

    async def _stream(self, address: str, token: str, hello: pb.Hello) -> End:
        """One stream, from its Hello until it ends, by Goodbye or otherwise."""
        async with open_channel(address) as channel:
            stream = referee_pb2_grpc.RefereeStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
            ends: list[End] = []
            # The first is the referee's own: a write that fails later overwrites it (grpc/grpc#36066).
            stream.add_done_callback(lambda call: ends.append(end_of(call)))
            try:
                await stream.write(pb.FromBotBatch(messages=[pb.FromBot(hello=hello)]))
                while not self._done:
                    batch = await stream.read()
                    if not isinstance(batch, pb.ToBotBatch):  # the end of the stream
                        break
                    self._arrivals.read(len(self._matches))
                    answers = [answer for message in batch.messages for answer in self._handle(message)]
                    if answers:
                        await stream.write(pb.FromBotBatch(messages=answers))
                    self._arrivals.done()
                await stream.done_writing()
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the latter: it ended before we wrote
                await stream.code()
                return ends[0]
        return End("it ended without Goodbye", True)

    def _handle(self, message: pb.ToBot) -> list[pb.FromBot]:
        """Handle one message and return the answers to it. Unknown kinds are ignored."""
        kind, table = message.WhichOneof("message"), message.table
        match = self._matches.get(table)
        if kind == "question" and match:
            return self._answer(match, table, message.question)
        if kind == "match_start":
            self._start(table, message.match_start)
            self._arrivals.ready(table)
            return [pb.FromBot(table=table, ready=pb.Ready())]
        if kind == "fault":
            print(f"table {table}: fault: {message.fault.message}", file=sys.stderr, flush=True)
            if self._on_fault and match:
                self._on_fault(match, message.fault)
        elif kind == "match_end" and match:
            del self._matches[table]
            if self._on_end:
                self._on_end(match, message.match_end)
        elif kind == "welcome":
            self._welcome = message.welcome
        elif kind == "goodbye":
            self._done = True
            if (
                self._welcome and self._welcome.reconnect_millis
            ):  # a far server: the author has no other way to learn why
                print(f"goodbye: {message.goodbye.reason}", file=sys.stderr)
        return []

    def _start(self, table: int, start: pb.MatchStart) -> None:
        known = self._away.pop((start.match_id, start.seat), None)
        if start.resumed and known:
            self._matches[table] = known
            return
        if self._want_model:  # before Ready, while no clock of a question runs: it takes a moment
            from tortuga_bot import forward_model

            forward_model.prepare(start.game)
        self._matches[table] = match = Match.read(start, self._welcome.limits if self._welcome else None)
        if self._on_start:
            self._on_start(match)

    def _answer(self, match: Match, table: int, question: pb.Question) -> list[pb.FromBot]:
        """The notes, then the answer: the answer may end the match, and notes after it would be lost."""
        with self.marks.question(match.match_id, match.seat, question.question_id):
            answer = self._choose(Question(match, question, self._arrivals.ask(table)))
        self._arrivals.answered(table)
        answers = [pb.FromBot(table=table, note=note) for note in match.notes.take()]
        if answer is None:
            answers.append(pb.FromBot(table=table, resign=pb.Resign()))
        else:
            index = check_answer(answer, question.option_count)
            choice = pb.Choice(question_id=question.question_id, option_index=index)
            answers.append(pb.FromBot(table=table, choice=choice))
        return answers


def check_answer(answer: object, option_count: int) -> int:
    """The answer of a bot as an index; an error that says what was expected, before anything is sent."""
    wanted = f"expected a whole number from 0 to {option_count - 1}, or None to resign"
    try:
        index = operator.index(answer)  # type: ignore[arg-type]  # an integer of numpy is one, too
    except TypeError:
        raise TypeError(f"choose returned {answer!r}, a {type(answer).__name__}: {wanted}") from None
    if not 0 <= index < option_count:
        raise ValueError(f"choose returned {index}: {wanted}")
    return index


SDK_VERSION = "0.2.0"
