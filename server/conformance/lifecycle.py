"""The steps about a process: how it comes, how it goes, and how it comes back. Each has a process of its own.

A step is a function from a Bench to a word about what was seen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import grpc

from server.conformance.conversation import Talk, short_match
from server.conformance.door import Break, Line
from server.conformance.exchange import NotApplicable, Unsound
from server.conformance.probe import EXIT_SECONDS, START_SECONDS, Probe, make_welcome
from tortuga.v1 import referee_pb2 as pb

PROMPT_SECONDS = 3.0
"""How long a process may take to leave when nobody said Goodbye."""
RETURN_SECONDS = 3.0
"""How long a bot may take to dial again: it waits 0.1 s, then 0.2 s, and so on."""
STACK_LINES = 100
"""How many lines may follow on the reason of an exception that nobody caught."""
PATIENCE_MILLIS = 20_000
SHORT_PATIENCE_MILLIS = 1_000

Start = Callable[..., AbstractAsyncContextManager[Probe]]


@dataclass(frozen=True, slots=True)
class Bench:
    """Where processes are tried: `start` gives a fresh one, `talk` a conversation with it."""

    start: Start
    talk: Callable[[Line], Talk]


Script = Callable[[Bench], Coroutine[Any, Any, str]]


@dataclass(frozen=True, slots=True)
class Trial:
    """One step of the check."""

    id: str
    title: str
    script: Script


def trials() -> list[Trial]:
    """All of them, in order."""
    return [
        Trial("goodbye", "Goodbye: it leaves with code 0", goodbye),
        Trial("tcp", "over TCP instead of a Unix socket", over_tcp),
        Trial("reconnect", "the stream breaks twice, it comes back to its match", reconnect),
        Trial("reconnect-refused", "the stream breaks, it is refused and leaves", reconnect_refused),
        Trial("reconnect-in-vain", "the stream breaks for good, it gives up", reconnect_in_vain),
        Trial("broken-stream", "the stream breaks and no seat is kept: it leaves", broken_stream),
        Trial("ended-stream", "the stream ends without Goodbye: it leaves", ended_stream),
        Trial("refused-token", "UNAUTHENTICATED: it says so and leaves", refused_token),
        Trial("refused-protocol", "FAILED_PRECONDITION: it says so and leaves", refused_protocol),
        Trial("no-address", "TORTUGA_ADDRESS is not set: it says so and leaves", no_address),
        Trial("sigterm", "SIGTERM ends it", sigterm),
    ]


async def goodbye(bench: Bench) -> str:
    """After a match, as always."""
    async with bench.start() as probe:
        line = await probe.greet()
        talk = bench.talk(line)
        await short_match(talk, talk.some(1)[0])
        line.say(pb.ToBot(goodbye=pb.Goodbye(reason="the check is over")).SerializeToString())
        line.leave()
        began = time.monotonic()
        await probe.leave(EXIT_SECONDS, clean=True)
        return f"after {time.monotonic() - began:.1f} s"


async def over_tcp(bench: Bench) -> str:
    """A match as usual."""
    async with bench.start(tcp=True) as probe:
        talk = bench.talk(await probe.greet())
        await short_match(talk, talk.some(1)[0])
        return probe.door.address


async def reconnect(bench: Bench) -> str:
    """First it has to come back with its old token, the second time with the one it was given, and not at once."""
    async with bench.start() as probe:
        line = await probe.greet(make_welcome(PATIENCE_MILLIS))
        talk = bench.talk(line)
        [sample] = talk.some(1)
        await talk.sit(talk.start(1, sample, "check-return"))
        await talk.ask(talk.question(1, sample, 1))
        line.say(talk.question(1, sample, 2))  # the answer is lost with the stream, or never given
        line.break_off(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")

        line = await come_back(probe, probe.token, make_welcome(PATIENCE_MILLIS, "resumed-by-the-check"))
        talk = bench.talk(line)
        await talk.sit(talk.start(2, sample, "check-return", resumed=True))
        await talk.ask(talk.question(2, sample, 2))
        probe.door.refusal = Break(grpc.StatusCode.UNAVAILABLE, "not yet")
        line.break_off(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        try:
            await dialled_in_vain(probe)
        except NotApplicable:
            raise Unsound("it did not dial again") from None
        probe.door.refusal = None

        line = await come_back(probe, "resumed-by-the-check", make_welcome())
        talk = bench.talk(line)
        await talk.sit(talk.start(1, sample, "check-return", resumed=True))
        await talk.ask(talk.question(1, sample, 3))
        return "twice"


async def come_back(probe: Probe, token: str, welcome: pb.Welcome) -> Line:
    """The bot's next stream, which has to bear that token."""
    line = await probe.greet(welcome, RETURN_SECONDS)
    if line.token != f"Bearer {token}":
        which = "its old token" if token == probe.token else "Welcome.resume_token"
        raise Unsound(f"it came back with `authorization: {line.token[:60]}`, expected {which}")
    return line


async def dialled_in_vain(probe: Probe, seconds: float = RETURN_SECONDS) -> None:
    """Wait until the bot was turned away once."""
    refused = asyncio.ensure_future(probe.door.refused.get())
    either: list[asyncio.Future[Any]] = [refused, probe.process.ended]
    await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    if not refused.done():
        refused.cancel()
        if not probe.alive:
            raise NotApplicable("it does not dial again at all: see the step reconnect")
        raise Unsound(f"it did not dial in within {seconds:g} s")


async def reconnect_refused(bench: Bench) -> str:
    """Any status but UNAVAILABLE is final."""
    async with bench.start() as probe:
        line = await probe.greet(make_welcome(PATIENCE_MILLIS))
        probe.door.refusal = Break(grpc.StatusCode.UNAUTHENTICATED, "the seats were given away")
        line.break_off(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        await dialled_in_vain(probe)
        return await probe.leave(PROMPT_SECONDS, clean=False)


async def reconnect_in_vain(bench: Bench) -> str:
    """A bot need not dial for longer than its seats are kept."""
    async with bench.start() as probe:
        line = await probe.greet(make_welcome(SHORT_PATIENCE_MILLIS))
        probe.door.refusal = Break(grpc.StatusCode.UNAVAILABLE, "never again")
        line.break_off(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        await dialled_in_vain(probe)
        return await probe.leave(SHORT_PATIENCE_MILLIS / 1000 + PROMPT_SECONDS, clean=False)


async def broken_stream(bench: Bench) -> str:
    """In the middle of a match."""
    async with bench.start() as probe:
        line = await probe.greet()
        talk = bench.talk(line)
        await talk.sit(talk.start(1, talk.some(1)[0]))
        line.break_off(grpc.StatusCode.UNAVAILABLE, "the check broke the stream")
        return await gone(probe)


async def ended_stream(bench: Bench) -> str:
    """In good order as gRPC sees it, but nobody said Goodbye."""
    async with bench.start() as probe:
        line = await probe.greet()
        probe.transcript.note("the referee ends the stream: OK, without Goodbye")
        line.leave(0)
        return await gone(probe)


async def gone(probe: Probe) -> str:
    """The process leaves, not with code 0, and does not dial again."""
    ending = await probe.leave(PROMPT_SECONDS, clean=False)
    if not probe.door.lines.empty():
        raise Unsound("it dialled again, although Welcome.reconnect_millis was 0")
    return ending


async def refused_token(bench: Bench) -> str:
    """Refused before a word was said."""
    text = "the token is not valid here"
    async with bench.start(refusal=Break(grpc.StatusCode.UNAUTHENTICATED, text)) as probe:
        await dialled_in_vain(probe, START_SECONDS)
        return await explained(probe, PROMPT_SECONDS, text)


async def refused_protocol(bench: Bench) -> str:
    """Refused after its Hello."""
    async with bench.start() as probe:
        line = await probe.stream()
        await line.hear(START_SECONDS)
        text = "the bot speaks protocol 1, this referee speaks 2"
        line.break_off(grpc.StatusCode.FAILED_PRECONDITION, text)
        return await explained(probe, PROMPT_SECONDS, text)


async def no_address(bench: Bench) -> str:
    """Somebody started the bot by hand."""
    async with bench.start(told_where=False) as probe:
        return await explained(probe, START_SECONDS)


async def explained(probe: Probe, seconds: float, reason: str = "") -> str:
    """The process leaves, not with code 0, and has said why: the referee's reason, where there is one."""
    ending = await probe.leave(seconds, clean=False)
    words = probe.process.tail(1)
    if not words.strip():
        raise Unsound(f"it {ending} without a word on stderr")
    if reason not in probe.process.tail(STACK_LINES):
        raise Unsound(f"it {ending} and did not print the referee's reason, `{reason}`; its last line: {words[:160]}")
    return f"{ending}: {words[:160]}"


async def sigterm(bench: Bench) -> str:
    """In the middle of a match."""
    async with bench.start() as probe:
        line = await probe.greet()
        talk = bench.talk(line)
        await talk.sit(talk.start(1, talk.some(1)[0]))
        probe.transcript.note("SIGTERM")
        probe.terminate()
        return await probe.leave(EXIT_SECONDS, clean=None)
