"""The steps about a process: how it starts, how it exits, how it reconnects. Each has a process of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import grpc

from server.conformance.conversation_steps import Conversation, short_match
from server.conformance.scripted_door import AbortStream, BotStream
from server.conformance.step import CheckStep, NotApplicable, Unsound
from server.conformance.tested_bot import EXIT_SECONDS, START_SECONDS, TestedBot, make_welcome
from tortuga.v1 import referee_pb2 as pb

LEAVE_SECONDS = 3.0
"""How long a process may take to exit without a Goodbye."""
RETURN_SECONDS = 3.0
"""How long a bot may take to dial again: it waits 0.1 s, then 0.2 s, and so on."""
STACK_LINES = 100
"""How many lines may follow the reason of an uncaught exception."""
RECONNECT_MILLIS = 20_000
SHORT_RECONNECT_MILLIS = 1_000

Start = Callable[..., AbstractAsyncContextManager[TestedBot]]


@dataclass(frozen=True, slots=True)
class ProcessStarter:
    """Starts processes of the bot: `start` gives a fresh one, `converse` a conversation with it."""

    start: Start
    converse: Callable[[BotStream], Conversation]


def process_steps() -> list[CheckStep[ProcessStarter]]:
    """All steps about processes, in order."""
    return [
        CheckStep("goodbye", "Goodbye: it leaves with code 0", goodbye),
        CheckStep("tcp", "over TCP instead of a Unix socket", over_tcp),
        CheckStep("reconnect", "the stream breaks twice, it comes back to its match", reconnect),
        CheckStep("reconnect-refused", "the stream breaks, it is refused and leaves", reconnect_refused),
        CheckStep("reconnect-in-vain", "the stream breaks for good, it stops trying", reconnect_in_vain),
        CheckStep("broken-stream", "the stream breaks and no seat is kept: it leaves", broken_stream),
        CheckStep("ended-stream", "the stream ends without Goodbye: it leaves", ended_stream),
        CheckStep("refused-token", "UNAUTHENTICATED: it says so and leaves", refused_token),
        CheckStep("refused-protocol", "FAILED_PRECONDITION: it says so and leaves", refused_protocol),
        CheckStep("no-address", "TORTUGA_ADDRESS is not set: it says so and leaves", no_address),
        CheckStep("sigterm", "SIGTERM ends it", sigterm),
    ]


async def goodbye(processes: ProcessStarter) -> str:
    """After a match, as always."""
    async with processes.start() as bot:
        stream = await bot.welcome()
        talk = processes.converse(stream)
        await short_match(talk, talk.pick_samples(1)[0])
        stream.send(pb.ToBot(goodbye=pb.Goodbye(reason="the check is over")).SerializeToString())
        stream.close()
        began = time.monotonic()
        await bot.wait_for_exit(EXIT_SECONDS, clean=True)
        return f"after {time.monotonic() - began:.1f} s"


async def over_tcp(processes: ProcessStarter) -> str:
    """A match as usual."""
    async with processes.start(tcp=True) as bot:
        talk = processes.converse(await bot.welcome())
        await short_match(talk, talk.pick_samples(1)[0])
        return bot.door.address


async def reconnect(processes: ProcessStarter) -> str:
    """First it has to come back with its old token, the second time with the one it was given, and not at once."""
    async with processes.start() as bot:
        stream = await bot.welcome(make_welcome(RECONNECT_MILLIS))
        talk = processes.converse(stream)
        [sample] = talk.pick_samples(1)
        await talk.sit(talk.start(1, sample, "check-return"))
        await talk.ask(talk.question(1, sample, 1))
        stream.send(talk.question(1, sample, 2))  # the answer is lost with the stream, or never given
        stream.abort(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")

        stream = await reconnected(bot, bot.token, make_welcome(RECONNECT_MILLIS, "resumed-by-the-check"))
        talk = processes.converse(stream)
        await talk.sit(talk.start(2, sample, "check-return", resumed=True))
        await talk.ask(talk.question(2, sample, 2))
        bot.door.refusal = AbortStream(grpc.StatusCode.UNAVAILABLE, "not yet")
        stream.abort(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        try:
            await wait_for_refusal(bot)
        except NotApplicable:
            raise Unsound("it did not reconnect") from None
        bot.door.refusal = None

        stream = await reconnected(bot, "resumed-by-the-check", make_welcome())
        talk = processes.converse(stream)
        await talk.sit(talk.start(1, sample, "check-return", resumed=True))
        await talk.ask(talk.question(1, sample, 3))
        return "twice"


async def reconnected(bot: TestedBot, token: str, welcome: pb.Welcome) -> BotStream:
    """The bot's next stream, which has to carry that token."""
    stream = await bot.welcome(welcome, RETURN_SECONDS)
    if stream.token != f"Bearer {token}":
        which = "its old token" if token == bot.token else "Welcome.resume_token"
        raise Unsound(f"it came back with `authorization: {stream.token[:60]}`, expected {which}")
    return stream


async def wait_for_refusal(bot: TestedBot, seconds: float = RETURN_SECONDS) -> None:
    """Wait until the bot was refused once."""
    refused = asyncio.ensure_future(bot.door.refused.get())
    either: list[asyncio.Future[Any]] = [refused, bot.process.ended]
    await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if not refused.done():
        refused.cancel()
        if not bot.alive:
            raise NotApplicable("it does not reconnect at all: see the step reconnect")
        raise Unsound(f"it did not connect within {seconds:g} s")


async def reconnect_refused(processes: ProcessStarter) -> str:
    """Any status but UNAVAILABLE is final."""
    async with processes.start() as bot:
        stream = await bot.welcome(make_welcome(RECONNECT_MILLIS))
        bot.door.refusal = AbortStream(grpc.StatusCode.UNAUTHENTICATED, "the seats were given away")
        stream.abort(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        await wait_for_refusal(bot)
        return await bot.wait_for_exit(LEAVE_SECONDS, clean=False)


async def reconnect_in_vain(processes: ProcessStarter) -> str:
    """A bot need not dial for longer than its seats are kept."""
    async with processes.start() as bot:
        stream = await bot.welcome(make_welcome(SHORT_RECONNECT_MILLIS))
        bot.door.refusal = AbortStream(grpc.StatusCode.UNAVAILABLE, "never again")
        stream.abort(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        await wait_for_refusal(bot)
        return await bot.wait_for_exit(SHORT_RECONNECT_MILLIS / 1000 + LEAVE_SECONDS, clean=False)


async def broken_stream(processes: ProcessStarter) -> str:
    """In the middle of a match."""
    async with processes.start() as bot:
        stream = await bot.welcome()
        talk = processes.converse(stream)
        await talk.sit(talk.start(1, talk.pick_samples(1)[0]))
        stream.abort(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        return await exits(bot)


async def ended_stream(processes: ProcessStarter) -> str:
    """In good order as gRPC sees it, but nobody said Goodbye."""
    async with processes.start() as bot:
        stream = await bot.welcome()
        bot.transcript.note("the referee ends the stream: OK, without Goodbye")
        stream.close(0)
        return await exits(bot)


async def exits(bot: TestedBot) -> str:
    """The process exits, not with code 0, and does not dial again."""
    ending = await bot.wait_for_exit(LEAVE_SECONDS, clean=False)
    if not bot.door.streams.empty():
        raise Unsound("it dialled again, although Welcome.reconnect_millis was 0")
    return ending


async def refused_token(processes: ProcessStarter) -> str:
    """Refused before a word was said."""
    text = "the token is not valid here"
    async with processes.start(refusal=AbortStream(grpc.StatusCode.UNAUTHENTICATED, text)) as bot:
        await wait_for_refusal(bot, START_SECONDS)
        return await exits_with_reason(bot, LEAVE_SECONDS, text)


async def refused_protocol(processes: ProcessStarter) -> str:
    """Refused after its Hello."""
    async with processes.start() as bot:
        stream = await bot.next_stream()
        await stream.receive(START_SECONDS)
        text = "the bot speaks protocol 1, this referee speaks 2"
        stream.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
        return await exits_with_reason(bot, LEAVE_SECONDS, text)


async def no_address(processes: ProcessStarter) -> str:
    """Somebody started the bot by hand."""
    async with processes.start(with_address=False) as bot:
        return await exits_with_reason(bot, START_SECONDS)


async def exits_with_reason(bot: TestedBot, seconds: float, reason: str = "") -> str:
    """The process exits, not with code 0, and has said why: the referee's reason, where there is one."""
    ending = await bot.wait_for_exit(seconds, clean=False)
    line = bot.process.tail(1)
    if not line.strip():
        raise Unsound(f"it {ending} without a word on stderr")
    if reason not in bot.process.tail(STACK_LINES):
        raise Unsound(f"it {ending} and did not print the referee's reason, `{reason}`; its last line: {line[:160]}")
    return f"{ending}: {line[:160]}"


async def sigterm(processes: ProcessStarter) -> str:
    """In the middle of a match."""
    async with processes.start() as bot:
        stream = await bot.welcome()
        talk = processes.converse(stream)
        await talk.sit(talk.start(1, talk.pick_samples(1)[0]))
        bot.transcript.note("SIGTERM")
        bot.terminate()
        return await bot.wait_for_exit(EXIT_SECONDS, clean=None)
