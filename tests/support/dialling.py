"""Remote bots for tests of the door: raw streams over real sockets, and a cable that can be cut or clogged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from referee.door.service import Door  # it sets up gRPC, so it comes before grpc itself
from support.fake_accounts import FakeAccounts
from tortuga.v1 import referee_pb2 as pb

# isort: split
import grpc
import grpc.aio

PATIENCE_SECONDS = 120.0
"""How long a test waits for what has to come: far more than it takes, also on a busy machine."""

PLAY = "/tortuga.v1.Referee/Play"


async def until(holds: Callable[[], bool]) -> None:
    """Wait for a condition."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():  # noqa: ASYNC110 - of many different things, few of which have an event
            await asyncio.sleep(0.01)


@asynccontextmanager
async def open_door(
    accounts: FakeAccounts,
    *,
    hello_seconds: float = 10.0,
    max_per_network: int = 100,
    credentials: grpc.ServerCredentials | None = None,
    **options: Any,
) -> AsyncIterator[Door]:
    """A door for remote bots on a free port of this machine."""
    door = Door("test", accounts, hello_seconds=hello_seconds, max_per_network=max_per_network)
    await door.open("127.0.0.1:0", credentials, {f"grpc.{name}": value for name, value in options.items()})
    try:
        yield door
    finally:
        await door.close("the test is over", grace_seconds=0.1)


class Line:
    """One stream of a remote bot."""

    def __init__(self, address: str, token: str) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        metadata = (("authorization", f"Bearer {token}"),)
        call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(PLAY)
        self._stream = call(metadata=metadata)
        self._inbox: list[pb.ToBot] = []
        self.welcome = pb.Welcome()

    async def say(self, *messages: pb.FromBot) -> None:
        """Send one batch."""
        await self._stream.write(pb.FromBotBatch(messages=messages).SerializeToString())

    async def hear(self) -> pb.ToBot | None:
        """The next message; None at the end of a stream that ended well."""
        while not self._inbox:
            raw = await asyncio.wait_for(self._stream.read(), PATIENCE_SECONDS)
            if not isinstance(raw, bytes):  # the end
                return None
            self._inbox += pb.ToBotBatch.FromString(raw).messages
        return self._inbox.pop(0)

    async def greet(self, **fields: Any) -> pb.Welcome:
        """Hello and Welcome."""
        await self.say(pb.FromBot(hello=pb.Hello(protocol=1, bot_name="b", slots=8, **fields)))
        message = await self.hear()
        assert message is not None
        assert message.HasField("welcome"), message
        self.welcome = message.welcome
        return self.welcome

    async def refused_after_hello(self) -> tuple[str, str]:
        """Say Hello and be refused: the status and its text.

        For who is refused before Hello there is `status`: gRPC reports an error of its own if it was about to write.
        """
        try:
            await self.greet()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return await self.status()
        raise AssertionError("it was let in")

    async def status(self) -> tuple[str, str]:
        """How the stream ended."""
        code = await asyncio.wait_for(self._stream.code(), PATIENCE_SECONDS)
        return code.name, await self._stream.details() or ""

    async def play(self, stop_at: str = "match_end") -> pb.ToBot:
        """Play option 0 until a message of that kind has come; `answered` is the moment after the first choice."""
        while True:
            message = await self.hear()
            assert message is not None, f"the stream ended before {stop_at}"
            kind = message.WhichOneof("message")
            if kind == stop_at:
                return message
            if kind == "match_start":
                await self.say(pb.FromBot(table=message.table, ready=pb.Ready()))
            elif kind == "question":
                asked = message.question
                await self.say(
                    pb.FromBot(table=message.table, choice=pb.Choice(question_id=asked.question_id, option_index=0))
                )
                if stop_at == "answered":
                    return message

    async def hang_up(self) -> None:
        """Leave without a word."""
        await self._channel.close()


class Cable:
    """A wire between a bot and a door: everything that dials it is connected through, until it is cut or clogged."""

    def __init__(self, target: str, source: str = "127.0.0.1") -> None:
        """`source`: the address of this machine that the door sees."""
        self._host, _, port = target.rpartition(":")
        self._port, self._source = int(port), source
        self._server: asyncio.Server | None = None
        self._ends: list[asyncio.StreamWriter] = []
        self._works: set[asyncio.Task[None]] = set()
        self._flows = asyncio.Event()
        self.address = ""

    async def __aenter__(self) -> Cable:
        self._flows.set()
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Break all that is connected, at once and without any farewell of HTTP. The next dial gets through."""
        for end in self._ends:
            end.transport.abort()
        for work in self._works:
            work.cancel()
        self._ends.clear()
        self._flows.set()

    def clog(self) -> None:
        """Carry nothing any more, and let nobody know."""
        self._flows.clear()

    def loosen(self) -> None:
        """Forget what is clogged: it stays so; the next dial gets through."""
        self._flows = asyncio.Event()
        self._flows.set()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(self._host, self._port, local_addr=(self._source, 0))
        self._ends += [writer, far_writer]
        for source, target in ((reader, far_writer), (far_reader, writer)):
            work = asyncio.create_task(self._carry(source, target, self._flows))
            self._works.add(work)
            work.add_done_callback(self._works.discard)

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, flows: asyncio.Event) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                await flows.wait()
                target.write(data)
                await target.drain()
            target.close()
