"""The door for bots: a grpc.aio server that admits exactly the bots that are expected.

A bot that we started is admitted by an invitation: a token bound to one run of it, good for one stream. A remote bot
is admitted by the token of its account, and comes back by a resume token (remote_bots.py).

The request bytes are taken raw and parsed in session.py, because a decoder inside gRPC would answer a bot's garbage
with our own stack trace; an end of the stream without a Goodbye is a crash, because gRPC shows a killed client and an
orderly half-close alike.
"""

from __future__ import annotations

import os

# The event-engine experiments cost a fifth of the throughput (docs/performance.md). They have to be switched off
# before grpc is imported; a grpc that does not know these names ignores them.
os.environ.setdefault(
    "GRPC_EXPERIMENTS", "-event_engine_listener,-event_engine_client,-event_engine_for_all_other_endpoints"
)
# Bots are started without fork() (server/hosting/launcher.py), so gRPC need not prepare for one.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio

from referee.door.remote_bots import HELLO_SECONDS, Accounts, AdmissionRefused, RemoteBots
from referee.door.session import Session
from referee.door.tokens import TokenThrottle, hash_token, network_of, new_token
from referee.errors import BotFault, ConfigError, FaultKind
from referee.match import clock

MAX_TRANSPORT_BYTES = 16 * 1024 * 1024
"""Largest message that gRPC itself accepts. Far above MAX_MESSAGE_BYTES, because gRPC ends the stream without a reason
when it is exceeded, and a bot's author should learn how large the message was."""

OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", MAX_TRANSPORT_BYTES),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 4),
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),  # without it keepalive never notices a stopped client
    ("grpc.http2.max_ping_strikes", 0),  # above a number of pings gRPC would hang up at a cost that holds up all others
    ("grpc.so_reuseport", 0),  # two servers must not share a port unnoticed
    ("grpc.compression_enabled_algorithms_bitset", 1),  # identity only
]

PUBLIC_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_connection_idle_ms", 20_000),  # without a call: whoever connects has something to say at once
]
"""Options that a door for strangers adds to OPTIONS."""


def connection_limit(most: int) -> list[tuple[str, Any]]:
    """Return the option that closes new connections above a number; those that are open are left alone."""
    return [("grpc.max_allowed_incoming_connections", most)]


MAX_STREAMS = 1024
"""Most open streams of all bots at one door."""
MAX_STREAMS_PER_NETWORK = MAX_STREAMS // 2
"""Most open streams of remote bots from one network: nobody takes all places."""
WRONG_TOKEN = "the token in TORTUGA_TOKEN is not valid here; if the bot was connected until now, start it again"
"""Message about a wrong token. After a restart of the server it is the resume token of a bot that nobody knows any
more."""
GOODBYE_SECONDS = 1.0
"""Time that a bot that was told Goodbye may take to end its side of the stream."""

Explain = Callable[[], Awaitable[BotFault | None]]
"""Called when a stream breaks: returns what happened to the bot's process, if that is known."""


@dataclass(slots=True)
class Invitation:
    """A bot that is expected. `arrived` is done once it has said Hello."""

    name: str
    token: str = field(repr=False)
    arrived: asyncio.Future[Session]
    explain: Explain | None = None
    used: bool = False
    token_hash: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.token_hash = hash_token(self.token)


@dataclass(eq=False, slots=True)
class SessionStream:
    """One stream and its session. With the invitation of a bot that we started; a remote bot has none."""

    session: Session
    invitation: Invitation | None
    network: str
    reader: asyncio.Task[None] | None = None
    writer: asyncio.Task[None] | None = None
    was_replaced: bool = False
    is_writing: bool = False
    is_over: bool = False

    async def write_all(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Write batches until nothing more will come."""
        while not self.is_over and (batch := await self.session.next_batch()) is not None:
            self.is_writing = True
            await context.write(batch)
            self.is_writing = False

    async def stop_writing(self) -> None:
        """Write no more. gRPC cannot end a call while a write is under way, so that may finish first."""
        self.is_over = True
        if self.writer is not None:
            if self.is_writing:
                await asyncio.wait([self.writer], timeout=GOODBYE_SECONDS)
            self.writer.cancel()

    def cancel(self) -> None:
        """Stop reading and writing."""
        for task in (self.reader, self.writer):
            if task is not None:
                task.cancel()


class Door:
    """The listening side. One door serves all matches of a process."""

    def __init__(
        self,
        server_version: str,
        accounts: Accounts | None = None,
        *,
        hello_seconds: float = HELLO_SECONDS,
        max_per_network: int = MAX_STREAMS_PER_NETWORK,
    ) -> None:
        self._max_per_network = max_per_network
        self._server_version = server_version
        self._invitations: dict[bytes, Invitation] = {}
        self._remote_bots = RemoteBots(accounts, server_version, hello_seconds) if accounts else None
        self._token_throttle = TokenThrottle()
        self._streams: dict[Session, SessionStream] = {}
        """Open streams, one per session."""
        self._ending_tasks: set[asyncio.Task[None]] = set()
        self._server: grpc.aio.Server | None = None
        self.address = ""

    async def open(
        self,
        address: str,
        credentials: grpc.ServerCredentials | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Listen on a gRPC address: `unix:/path` or `host:port` (port 0: any free one).

        In plain text without credentials (tls.py makes them); `options` go before those of this file.
        """
        chosen = {**dict(OPTIONS), **dict(PUBLIC_OPTIONS if self._remote_bots else ()), **(options or {})}
        server = grpc.aio.server(options=list(chosen.items()), maximum_concurrent_rpcs=MAX_STREAMS)
        server.add_generic_rpc_handlers((self._handlers(),))
        port = listen_on(server, address, credentials)
        await server.start()
        self._server = server
        self.address = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"

    async def close(self, reason: str, grace_seconds: float = 1.0) -> None:
        """Say Goodbye to everybody and stop listening."""
        for session in list(self._streams):
            session.close(reason)
        if self._remote_bots:
            self._remote_bots.close(reason)
        if self._server is not None:
            await self._server.stop(grace_seconds)
            self._server = None
        for task in self._ending_tasks:
            task.cancel()

    def stop_admitting(self, reason: str) -> None:
        """Stop admitting remote bots, except those that come back after a broken stream."""
        if self._remote_bots:
            self._remote_bots.closed_reason = reason

    def disconnect(self, name: str, reason: str) -> None:
        """End the session of a remote bot, even one whose stream is broken. Its matches lose it; it may reconnect."""
        if self._remote_bots:
            self._remote_bots.disconnect(name, reason)

    def invite(self, name: str, explain: Explain | None = None) -> Invitation:
        """Expect a bot: its token is good for one stream."""
        arrived: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        invitation = Invitation(name, new_token(), arrived, explain)
        self._invitations[invitation.token_hash] = invitation
        return invitation

    def revoke(self, invitation: Invitation) -> None:
        """Make a token invalid: its bot is gone for good."""
        self._invitations.pop(invitation.token_hash, None)

    def _handlers(self) -> grpc.GenericRpcHandler:
        # Without serializers: bytes in, bytes out.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(self._play)
        return grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": play})

    async def _play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        stream = await self._admit(context)
        session = stream.session
        stream.reader = reader = asyncio.create_task(self._read(requests, stream))
        stream.writer = writer = asyncio.create_task(stream.write_all(context))
        writer.add_done_callback(_ignore_failure)
        closing = asyncio.create_task(session.closing.wait())
        try:
            await asyncio.wait([writer, closing], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([writer], timeout=GOODBYE_SECONDS)  # a bot that does not read holds nobody up
            if stream.was_replaced:
                await context.abort(grpc.StatusCode.ABORTED, "a newer stream of this bot has taken over")
            if session.refusal:
                await context.abort(grpc.StatusCode.FAILED_PRECONDITION, session.refusal)
            if session.is_closing:
                await asyncio.wait([reader], timeout=GOODBYE_SECONDS)
        finally:
            # gRPC cancels this coroutine when the client is gone, so what has to happen then happens at once, or in a
            # task of its own.
            closing.cancel()
            stream.cancel()
            self._end(stream)

    async def _admit(self, context: grpc.aio.ServicerContext[bytes, bytes]) -> SessionStream:
        """Find whom the token belongs to; abort the call if it is nobody.

        Looked up by its hash, so how long that takes tells nothing of any token.
        """
        metadata = dict(context.invocation_metadata() or ())
        token = str(metadata.get("authorization", "")).removeprefix("Bearer ")
        given = hash_token(token)
        network = network_of(context.peer())
        invitation = self._invitations.get(given)
        if invitation is not None:
            if invitation.used:
                await context.abort(grpc.StatusCode.ALREADY_EXISTS, "a stream with this token is or was open already")
            invitation.used = True
            return self._begin(Session(invitation.name, self._server_version), invitation, network)
        try:
            bot = await self._remote_bots.find_of_team(token) if self._remote_bots else None
            session = self._remote_bots.admit(given, self._crowded(network), bot) if self._remote_bots else None
        except AdmissionRefused as refusal:
            await context.abort(grpc.StatusCode[refusal.status], str(refusal))
        if session is None:
            if self._remote_bots and (seconds := self._token_throttle.count_failure(context.peer())):
                wait = f"too many wrong tokens came from your address: wait {math.ceil(seconds)} s"
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, wait)
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, WRONG_TOKEN)
        if session.can_resume_with(given):
            self._replace(session)
            session.attach(given)
        return self._begin(session, None, network)

    def _crowded(self, network: str) -> str:
        """Say why no more remote bots are let in from a network; empty if they are."""
        if sum(stream.network == network for stream in self._streams.values()) < self._max_per_network:
            return ""
        return f"{self._max_per_network} bots are connected from your address already; disconnect one of them first"

    def _begin(self, session: Session, invitation: Invitation | None, network: str) -> SessionStream:
        stream = self._streams[session] = SessionStream(session, invitation, network)
        return stream

    def _replace(self, session: Session) -> None:
        """Replace an older stream that still seems to be up: the bot came back by its resume token."""
        if (old := self._streams.pop(session, None)) is not None:
            old.was_replaced = True
            old.cancel()
            session.detach()

    async def _read(self, requests: AsyncIterator[bytes], stream: SessionStream) -> None:
        """Read what the bot says until its stream ends."""
        session, invitation = stream.session, stream.invitation
        async for raw in requests:
            session.receive(raw)
            if invitation is not None and session.hello is not None and not invitation.arrived.done():
                invitation.arrived.set_result(session)
        if session.is_closing:
            return  # it was told Goodbye and left
        if session.ended is None and invitation is None:
            await stream.stop_writing()  # it may come back, on another stream
            return
        if session.ended is None and invitation is not None:
            await self._report_end(invitation, session)
        session.close("your stream ended")

    def _end(self, stream: SessionStream) -> None:
        """End a stream. A session that has another one by now is not concerned."""
        if self._streams.get(stream.session) is not stream:
            return
        del self._streams[stream.session]
        if stream.invitation is None:
            stream.session.detach()
            return
        task = asyncio.create_task(self._report_end(stream.invitation, stream.session))
        self._ending_tasks.add(task)
        task.add_done_callback(self._ending_tasks.discard)

    async def _report_end(self, invitation: Invitation, session: Session) -> None:
        """Find out why a stream is over, and tell everybody who waits for this bot."""
        at = clock.now()
        if session.ended is None and not session.is_closing:
            known = await invitation.explain() if invitation.explain else None
            what = known or BotFault(FaultKind.CRASH, "the stream ended without Goodbye", at)
            session.end(what.kind, what.message, at)
        if not invitation.arrived.done():
            invitation.arrived.set_exception(session.ended or BotFault(FaultKind.CRASH, "never said Hello", at))
            invitation.arrived.exception()  # marks it as retrieved: nobody may be waiting any more


def listen_on(
    server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None, option: str = "--listen"
) -> int:
    """Open a port, or raise a ConfigError that says why not and names the option; gRPC itself names no cause."""
    try:
        if credentials is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, credentials)
    except RuntimeError:
        cause = f"another program listens there, or this machine has no such address; choose another with {option}"
        if address.startswith("unix:"):
            cause = "its folder must exist, its name must be free, and its path must be shorter than 108 characters"
        raise ConfigError(f"cannot listen on {address}: {cause}") from None


def _ignore_failure(task: asyncio.Task[None]) -> None:
    """Ignore a failed write: it only says that the client is gone, which the reader notices as well."""
    if not task.cancelled():
        task.exception()
