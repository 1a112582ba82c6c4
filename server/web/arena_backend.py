"""The arena as the pages see it: calls through its web.sock, or any other door of it.

gRPC reconnects by itself, so an arena that is restarted is there again with the next page. Until then every call fails
at once with a sentence for people.
"""

from __future__ import annotations

import os

# As in referee/door/service.py; before grpc is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from collections.abc import AsyncGenerator
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from referee.text import harmless
from server.web.backend import BackendError, BadRequest, Forbidden, PageNotFound, Unavailable, method_of
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

CALL_SECONDS = 15.0
CHALLENGE_SECONDS = 40.0
"""As CALL_SECONDS, for a challenge: its bots are got ready first."""
PACE_MILLIS = 100
"""Live matches are told in steps of so many milliseconds: a browser shows no more, and it spares the referee."""
MAX_RECORD_BYTES = 64 * 1024 * 1024
OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.enable_retries", 0),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
]
AWAY = "the arena does not answer: it is being restarted, or was stopped. This page comes back with it"
SLOW = "the arena is too busy to answer at this moment; try again in a few seconds"
ERRORS: dict[grpc.StatusCode, type[BackendError]] = {
    grpc.StatusCode.NOT_FOUND: PageNotFound,
    grpc.StatusCode.INVALID_ARGUMENT: BadRequest,
    grpc.StatusCode.FAILED_PRECONDITION: BadRequest,
    grpc.StatusCode.ALREADY_EXISTS: BadRequest,
    grpc.StatusCode.UNAUTHENTICATED: Forbidden,
    grpc.StatusCode.PERMISSION_DENIED: BadRequest,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Unavailable,
}


class ArenaBackend:
    """A running arena, asked over gRPC."""

    is_arena = True

    def __init__(self, address: str, title: str = "Tortuga arena") -> None:
        """`address` as gRPC takes it, e.g. "unix:/srv/cup/web.sock"."""
        self.title = title
        self._address = address

    async def start(self) -> None:
        """Make the channel. Whether somebody is there shows with the first call."""
        self._channel = grpc.aio.insecure_channel(self._address, options=OPTIONS)
        self._stub: Any = arena_pb2_grpc.ArenaStub(self._channel)

    async def close(self) -> None:
        """End all calls."""
        await self._channel.close(None)

    async def ask(self, request: Message, token: str = "") -> Any:
        """Return the arena's answer. With a token, the request is an author's, who may be changing something."""
        metadata = [("authorization", f"Bearer {token}")] if token else None
        seconds = CHALLENGE_SECONDS if isinstance(request, pb.ChallengeRequest) else CALL_SECONDS
        try:
            return await getattr(self._stub, method_of(request))(request, timeout=seconds, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None

    async def record(self, match_id: str) -> bytes:
        """Fetch the record's file of a finished match."""
        packed = bytearray()
        try:
            async for chunk in self._stub.DownloadRecord(
                pb.DownloadRecordRequest(match_id=match_id), timeout=CALL_SECONDS
            ):
                packed += chunk.data
                if len(packed) > MAX_RECORD_BYTES:
                    raise PageNotFound("the record is too large to be shown; `tortuga client record` fetches it")
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None
        return bytes(packed)

    async def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None]:
        """Watch a running match: its sights."""
        call = self._stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id, pace_millis=PACE_MILLIS))
        try:
            async for sight in call:
                yield sight
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None
        finally:
            call.cancel()


def explain(error: grpc.aio.AioRpcError) -> BackendError:
    """Say why a call failed, for people."""
    code, text = error.code(), harmless(error.details() or "")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return Unavailable(SLOW)
    kind = ERRORS.get(code)
    if kind is None:  # not there, stopping, or a fault of ours that the arena has logged
        return Unavailable(text if code is grpc.StatusCode.INTERNAL and text else AWAY)
    return kind(text)
