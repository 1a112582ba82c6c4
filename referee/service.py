"""The door: a grpc.aio server that lets in exactly the bots that are expected.

A bot is admitted by a token, bound to one run of one bot, good for one stream. The request bytes are taken raw and
parsed in session.py, because a decoder inside gRPC would answer a bot's garbage with our own stack trace; an end of
the stream without a Goodbye is a crash, because gRPC shows a killed client and an orderly half-close alike.
"""

from __future__ import annotations

import os

# The event-engine experiments cost a fifth of the throughput (docs/performance.md). They have to be switched off
# before grpc is imported; a grpc that does not know these names ignores them.
os.environ.setdefault(
    "GRPC_EXPERIMENTS", "-event_engine_listener,-event_engine_client,-event_engine_for_all_other_endpoints"
)
# Bots are started without fork() (server/launcher.py), so gRPC need not prepare for one.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio

from referee import clock
from referee.errors import BotFault, ConfigError, FaultKind
from referee.session import Session

MAX_TRANSPORT_BYTES = 16 * 1024 * 1024
"""What gRPC itself lets through. Far above MAX_MESSAGE_BYTES, because gRPC ends the stream without a word when it is
exceeded, and a bot's author deserves to hear how large the message was."""

OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", MAX_TRANSPORT_BYTES),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # without it keepalive never notices a stopped client
    ("grpc.so_reuseport", 0),  # two servers must not share a port unnoticed
    ("grpc.compression_enabled_algorithms_bitset", 1),  # identity only
]

GOODBYE_SECONDS = 1.0
"""How long a bot that was told Goodbye may take to end its side of the stream."""

Explain = Callable[[], Awaitable[BotFault | None]]
"""Asked when a stream breaks off: what became of the bot's process, if anybody knows."""


@dataclass(slots=True)
class Invitation:
    """A bot that is expected. `arrived` is done once it has said Hello."""

    name: str
    token: str
    arrived: asyncio.Future[Session]
    explain: Explain | None = None
    used: bool = False
    token_hash: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.token_hash = hash_token(self.token)


class Door:
    """The listening side. One door serves all matches of a process."""

    def __init__(self, server_version: str) -> None:
        self._server_version = server_version
        self._invitations: dict[bytes, Invitation] = {}
        self._sessions: set[Session] = set()
        self._farewells: set[asyncio.Task[None]] = set()
        self._server: grpc.aio.Server | None = None
        self.address = ""

    async def open(self, address: str) -> None:
        """Listen on a gRPC address: `unix:/path` or `host:port` (port 0: any free one)."""
        server = grpc.aio.server(options=OPTIONS, maximum_concurrent_rpcs=1024)
        server.add_generic_rpc_handlers((self._handlers(),))
        try:
            port = server.add_insecure_port(address)
        except RuntimeError as error:
            raise ConfigError(f"cannot listen on {address}: {error}") from None
        await server.start()
        self._server = server
        self.address = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def close(self, reason: str, grace_seconds: float = 1.0) -> None:
        """Say goodbye to everybody and stop listening."""
        for session in list(self._sessions):
            session.close(reason)
        if self._server is not None:
            await self._server.stop(grace_seconds)
            self._server = None
        for task in self._farewells:
            task.cancel()

    def invite(self, name: str, explain: Explain | None = None) -> Invitation:
        """Expect a bot: its token is good for one stream."""
        arrived: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        invitation = Invitation(name, secrets.token_urlsafe(32), arrived, explain)
        self._invitations[invitation.token_hash] = invitation
        return invitation

    def forget(self, invitation: Invitation) -> None:
        """The bot is gone for good: its token is worth nothing any more."""
        self._invitations.pop(invitation.token_hash, None)

    def _handlers(self) -> grpc.GenericRpcHandler:
        # Without serializers: bytes in, bytes out.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        return grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": play})

    async def _play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        invitation = await self._admit(context)
        session = Session(invitation.name, self._server_version)
        self._sessions.add(session)
        reader = asyncio.create_task(self._read(requests, invitation, session))
        try:
            while (batch := await session.next_batch()) is not None:
                await context.write(batch)
            if session.refusal:
                await context.abort(grpc.StatusCode.FAILED_PRECONDITION, session.refusal)
            await asyncio.wait([reader], timeout=GOODBYE_SECONDS)
        finally:
            # gRPC cancels this coroutine when the client is gone, so what has to happen then happens in a task of its
            # own.
            reader.cancel()
            self._sessions.discard(session)
            task = asyncio.create_task(self._see_off(invitation, session))
            self._farewells.add(task)
            task.add_done_callback(self._farewells.discard)

    async def _admit(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> Invitation:
        """Find whom the token belongs to; abort the call if it is nobody.

        Looked up by its hash, so how long that takes tells nothing of any token.
        """
        metadata = dict(context.invocation_metadata() or ())
        given = hash_token(str(metadata.get("authorization", "")).removeprefix("Bearer "))
        found = self._invitations.get(given)
        if found is None:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token in TORTUGA_TOKEN is not valid here")
        if found.used:
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "a stream with this token is or was open already")
        found.used = True
        return found

    async def _read(self, requests: AsyncIterator[bytes], invitation: Invitation, session: Session) -> None:
        """Take in what the bot says until its stream ends."""
        async for raw in requests:
            session.receive(raw)
            if session.hello is not None and not invitation.arrived.done():
                invitation.arrived.set_result(session)
        if session.is_closing:
            return  # it was told Goodbye and left
        if session.ended is None:
            await self._see_off(invitation, session)
        session.close("your stream ended")

    async def _see_off(self, invitation: Invitation, session: Session) -> None:
        """The stream is over: find out why, and let everybody know who waits for this bot."""
        at = clock.now()
        if session.ended is None and not session.is_closing:
            known = await invitation.explain() if invitation.explain else None
            what = known or BotFault(FaultKind.CRASH, "the stream ended without Goodbye", at)
            session.end(what.kind, what.message, at)
        if not invitation.arrived.done():
            invitation.arrived.set_exception(session.ended or BotFault(FaultKind.CRASH, "never said Hello", at))
            invitation.arrived.exception()  # looked at: nobody may be waiting any more


def hash_token(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
