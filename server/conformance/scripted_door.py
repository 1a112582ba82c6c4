"""The listening side of the check: a grpc.aio server that follows a script, and the streams of the bot under test.

The real door (referee/door/service.py) protects a match from its bots; this one exists to be unkind to them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from referee.door.service import GOODBYE_SECONDS, OPTIONS  # it sets up gRPC, so it comes before grpc itself
from server.conformance.step import NothingCame, Transcript, Unsound, kind_of
from tortuga.v1 import referee_pb2 as pb

# isort: split
import grpc
import grpc.aio

ANSWER_SECONDS = 3.0
"""How long an answer may take: three times the cap of the usual clock, for the sake of a busy host."""


Key = tuple[int, str, int]
"""A message expected of a bot: its table, its kind, and for a choice the number of its question."""


@dataclass(frozen=True, slots=True)
class AbortStream:
    """An order to end a stream with this status."""

    code: grpc.StatusCode
    details: str


@dataclass(frozen=True, slots=True)
class CloseStream:
    """An order to end a stream in good order: when the bot has ended its side, or after that many seconds."""

    seconds: float


class BotStream:
    """One stream of the bot. It knows what the bot may say, and refuses anything else."""

    def __init__(self, token: str, transcript: Transcript) -> None:
        self.token = token
        self.hello = pb.Hello()
        self._transcript = transcript
        self._inbox: asyncio.Queue[pb.FromBot | str] = asyncio.Queue()
        """What the bot said, and in the end why nothing more will come."""
        self.orders: asyncio.Queue[bytes | AbortStream | CloseStream] = asyncio.Queue()
        """For the door: what to send, or how to end the stream."""
        self._answered: set[Key] = set()
        """What was answered already: a copy of it is ignored."""
        self._counts: dict[tuple[int, int], int] = {}
        """By table and question, how many options there were."""

    # What the referee says

    def send(self, *messages: bytes) -> None:
        """Send serialized ToBot messages as one batch."""
        batch = pb.ToBotBatch()
        for raw in messages:
            self._transcript.note(batch.messages.add())
            batch.messages[-1].ParseFromString(raw)
            question = batch.messages[-1].question
            if question.option_count:
                self._counts[batch.messages[-1].table, question.question_id] = question.option_count
        # Unknown fields survive this, and scripts hide nothing else in a message.
        self.orders.put_nowait(batch.SerializeToString())

    def abort(self, code: grpc.StatusCode, details: str) -> None:
        """End the stream without a Goodbye."""
        self._transcript.note(f"the referee ends the stream: {code.name}")
        self.orders.put_nowait(AbortStream(code, details))

    def close(self, seconds: float = GOODBYE_SECONDS) -> None:
        """End the stream in good order, after a Goodbye or without one."""
        self.orders.put_nowait(CloseStream(seconds))

    # What the bot says

    def add_batch(self, raw: bytes) -> None:
        """Take in a batch of the bot; called by the door."""
        try:
            messages = pb.FromBotBatch.FromString(raw).messages
        except DecodeError:
            self.end(f"{len(raw)} bytes came that are not a FromBotBatch: {raw[:40]!r}")
            return
        for message in messages:
            if message.HasField("note"):  # may come at any time, and nobody waits for it
                self._transcript.note(message)
                continue
            self._inbox.put_nowait(message)

    def end(self, why: str) -> None:
        """Note that nothing more will come, and why; called by the door."""
        self._inbox.put_nowait(why)

    async def receive(self, seconds: float) -> pb.FromBot:
        """Return the next message of the bot, whatever it is."""
        try:
            message = await asyncio.wait_for(self._inbox.get(), seconds)
        except TimeoutError:
            raise NothingCame(f"nothing came within {seconds:g} s") from None
        if isinstance(message, str):
            self._inbox.put_nowait(message)
            self._transcript.note(message)
            raise Unsound(message)
        self._transcript.note(message)
        return message

    async def expect(self, wanted: Iterable[Key], seconds: float = ANSWER_SECONDS) -> dict[Key, int | None]:
        """Wait for all of these, in any order, and return the index of each choice; None if the bot resigned."""
        missing, choices = set(wanted), dict[Key, int | None]()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while missing:
            try:
                message = await self.receive(max(0.0, deadline - loop.time()))
            except NothingCame:
                raise NothingCame(f"no {named_all(missing)} came within {seconds:g} s") from None
            except Unsound as error:
                raise Unsound(f"{error}, but {named_all(missing)} was expected") from None
            taken = self._take(message, missing)
            missing -= taken.keys()
            choices |= taken
        return choices

    def _take(self, message: pb.FromBot, missing: set[Key]) -> dict[Key, int | None]:
        """Return which of the missing messages this one is."""
        kind, table = kind_of(message), message.table
        key = (table, kind, message.choice.question_id)
        if kind == "resign":
            resigned = {open_key for open_key in missing if open_key[:2] == (table, "choice")}
            if not resigned:
                raise Unsound(f"resign for table {table} came, where nothing is open")
            return dict.fromkeys(resigned)
        if key not in missing:
            if key in self._answered:
                return {}
            raise Unsound(f"{named(key)} came, which was not expected")
        self._answered.add(key)
        if kind != "choice":
            return {key: None}
        count, index = self._counts[table, key[2]], message.choice.option_index
        if not 0 <= index < count:
            raise Unsound(f"table {table}, question {key[2]}: option {index} of {count} came")
        return {key: index}

    def allow_answer(self, table: int, question_id: int) -> None:
        """Let an answer to this question come or not."""
        self._answered.add((table, "choice", question_id))


class ScriptedDoor:
    """Listens for the bot under test. Every stream is handed to the script, or refused as it says."""

    def __init__(self, transcript: Transcript) -> None:
        self.address = ""
        self.streams: asyncio.Queue[BotStream] = asyncio.Queue()
        self.refusal: AbortStream | None = None
        """While set, every stream is refused with it."""
        self.refused: asyncio.Queue[str] = asyncio.Queue()
        """The tokens of the streams that were refused."""
        self._transcript = transcript
        self._server: grpc.aio.Server | None = None

    async def open(self, address: str) -> None:
        """Listen on `unix:/path` or `host:0`."""
        server = grpc.aio.server(options=OPTIONS)
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": play}),))
        port = server.add_insecure_port(address)
        await server.start()
        self._server = server
        self.address = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            await self._server.stop(0)
            self._server = None

    async def _play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        metadata = dict(context.invocation_metadata() or ())
        token = str(metadata.get("authorization", ""))
        if self.refusal is not None:
            self._transcript.note(f"the bot connects and is refused: {self.refusal.code.name}")
            self.refused.put_nowait(token)
            await context.abort(self.refusal.code, self.refusal.details)
        self._transcript.note("the bot connects")
        stream = BotStream(token, self._transcript)
        self.streams.put_nowait(stream)
        reader = asyncio.create_task(self._read(requests, stream))
        try:
            while not isinstance(order := await stream.orders.get(), CloseStream):
                if isinstance(order, AbortStream):
                    await context.abort(order.code, order.details)
                else:
                    await context.write(order)
            await asyncio.wait([reader], timeout=order.seconds)
        finally:
            reader.cancel()
            stream.end("the bot's stream broke off")

    async def _read(self, requests: AsyncIterator[bytes], stream: BotStream) -> None:
        async for raw in requests:
            stream.add_batch(raw)
        stream.end("the bot ended its stream")


def named(key: Key) -> str:
    """Describe a message in words: `choice for question 3 at table 1`."""
    table, kind, question_id = key
    what = f"{kind} for question {question_id}" if kind == "choice" else kind
    return f"{what} at table {table}" if table else what


def named_all(keys: set[Key]) -> str:
    """Describe the first few of them."""
    names = [named(key) for key in sorted(keys)]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
