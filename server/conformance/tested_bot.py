"""One process of the bot under test, with a door of its own to dial."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from referee.door.session import LIMITS, MAX_SLOTS
from referee.wire.envelope import PROTOCOL
from server import __version__
from server.bots.spec import BotSpec
from server.conformance.scripted_door import BotStream, ScriptedDoor
from server.conformance.step import Transcript, Unsound, kind_of
from server.hosting.launcher import BotProcess, Launcher
from tortuga.v1 import referee_pb2 as pb

START_SECONDS = 10.0
"""From the start of the process to Hello, as in a match."""
EXIT_SECONDS = 2.0
"""From Goodbye to the end of the process, as in a match."""
EXPLAIN_SECONDS = 0.5
"""How long the end of a process may lag behind what it did last."""


class TestedBot:
    """A process of the bot. Use `start`, then `next_stream` or `welcome`; always `close`."""

    process: BotProcess

    def __init__(self, spec: BotSpec) -> None:
        self.spec = spec
        self.token = secrets.token_urlsafe(24)
        self.transcript = Transcript()
        self.door = ScriptedDoor(self.transcript)
        self._arrived = False
        """Whether it has dialled in once."""

    async def start(
        self, launcher: Launcher, folder: Path, name: str, *, tcp: bool = False, with_address: bool = True
    ) -> None:
        """Open the door and start the process; `with_address` says whether it is given the address."""
        # A path of a socket has to be short.
        await self.door.open("127.0.0.1:0" if tcp else f"unix:{folder}/{name.rpartition('-')[2]}")
        environment = {"TORTUGA_ADDRESS": self.door.address, "TORTUGA_TOKEN": self.token} if with_address else {}
        socket = None if tcp or not with_address else Path(self.door.address.removeprefix("unix:"))
        sees = [self.spec.folder] if self.spec.folder else []
        try:
            self.process = await launcher.start(
                name, self.spec.run, environment, sees=sees, door=socket, resources=self.spec.limits
            )
        except BaseException:
            await self.door.close()  # nobody else will, and gRPC complains of a server left open
            raise

    async def close(self) -> None:
        """End the process, whatever it is doing, and then the door."""
        await self.process.stop(0)
        await self.door.close()

    async def next_stream(self, seconds: float = START_SECONDS) -> BotStream:
        """Return the next stream the bot opens."""
        arriving = asyncio.ensure_future(self.door.streams.get())
        try:
            either: list[asyncio.Future[Any]] = [arriving, self.process.ended]
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if arriving.done():
                self._arrived = True
                return arriving.result()
        finally:
            arriving.cancel()
        if self.process.ended.done():
            how = self.process.ended.result().detail
            raise Unsound(f"it {how} and did not reconnect" if self._arrived else f"it ended before Hello: {how}")
        raise Unsound(f"it did not {'reconnect' if self._arrived else 'connect'} within {seconds:g} s")

    async def welcome(self, message: pb.Welcome | None = None, seconds: float = START_SECONDS) -> BotStream:
        """Return the next stream, from Hello to Welcome."""
        stream = await self.next_stream(seconds)
        first = await stream.receive(seconds)
        if kind_of(first) != "hello":
            raise Unsound(f"the first message must be Hello, {kind_of(first)} came")
        stream.hello = first.hello
        stream.send(pb.ToBot(welcome=message or make_welcome()).SerializeToString())
        return stream

    @property
    def alive(self) -> bool:
        """Check whether the process still runs."""
        return not self.process.ended.done()

    async def wait_for_exit(self, seconds: float, *, clean: bool | None) -> str:
        """Wait for the end of the process; `clean`: with code 0, or (False) with another, or (None) no matter how."""
        with suppress(TimeoutError):
            how = await asyncio.wait_for(asyncio.shield(self.process.ended), seconds)
            fine = how.detail == "exited with code 0"
            if clean is not None and fine != clean:
                raise Unsound(f"it {how.detail}, but {'code 0' if clean else 'another code than 0'} was expected")
            return how.detail
        raise Unsound(f"it was still running after {seconds:g} s")

    def terminate(self) -> None:
        """Send SIGTERM."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGTERM)

    async def explain(self, error: Unsound) -> None:
        """Add to a failure what was said last, what became of the process and what it printed last."""
        error.exchange = self.transcript.lines()
        await asyncio.wait([self.process.ended], timeout=EXPLAIN_SECONDS)
        became = f"the process {self.process.ended.result().detail}" if not self.alive else ""
        printed = self.process.last_words()
        error.aftermath = "; ".join(part for part in (became, f"its last output: {printed}" if printed else "") if part)


def make_welcome(reconnect_millis: int = 0, resume_token: str = "") -> pb.Welcome:
    """Return what the referee answers to Hello."""
    return pb.Welcome(
        protocol=PROTOCOL,
        server_version=__version__,
        limits=LIMITS,
        reconnect_millis=reconnect_millis,
        resume_token=resume_token,
    )


def slots_of(hello: pb.Hello, spec: BotSpec) -> int:
    """Return how many tables the bot plays at once: by its manifest, if it has one, and by its Hello."""
    own = min(MAX_SLOTS, max(1, hello.slots))
    return min(own, spec.slots) if spec.folder else own
