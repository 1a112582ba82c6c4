"""The arena as the pages see it: calls through its web.sock, or any other door of it.

gRPC reconnects by itself, so an arena that is restarted is there again with the next page. Until then every call fails
at once with a sentence for people.
"""

from __future__ import annotations

import os

# As in referee/door/service.py; before grpc is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message

from referee.match import clock
from referee.words import harmless
from server.web.backend import BackendError, BadRequest, Forbidden, NotFound, Unavailable
from server.web.page_cache import kept_seconds
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

CALL_SECONDS = 15.0
MAX_ANSWERS = 500
SWEEP_SECONDS = 1.0
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
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.INVALID_ARGUMENT: BadRequest,
    grpc.StatusCode.FAILED_PRECONDITION: BadRequest,
    grpc.StatusCode.ALREADY_EXISTS: BadRequest,
    grpc.StatusCode.UNAUTHENTICATED: Forbidden,
    grpc.StatusCode.PERMISSION_DENIED: BadRequest,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Unavailable,
}


class ArenaBackend:
    """It is `server.web.backend.Backend`, and carries out what signed-in authors ask for."""

    is_arena = True

    def __init__(self, address: str, title: str = "Tortuga arena") -> None:
        """`address` as gRPC takes it, e.g. "unix:/srv/cup/web.sock"."""
        self.title = title
        self._address = address
        self._answers: OrderedDict[tuple[str, bytes], tuple[float, asyncio.Future[Any]]] = OrderedDict()
        self._sweep_at = 0.0

    async def start(self) -> None:
        """Make the channel. Whether somebody is there shows with the first call."""
        self._channel = grpc.aio.insecure_channel(self._address, options=OPTIONS)
        self._stub: Any = arena_pb2_grpc.ArenaStub(self._channel)

    async def close(self) -> None:
        """End all calls."""
        await self._channel.close(None)

    async def get_arena(self, request: pb.GetArenaRequest) -> pb.ArenaInfo:
        """The arena itself."""
        return await self._read("GetArena", request)  # type: ignore[no-any-return]

    async def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """The games that can be played here."""
        return await self._read("ListGames", request)  # type: ignore[no-any-return]

    async def list_ladders(self, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
        """The ladders, without their tables."""
        return await self._read("ListLadders", request)  # type: ignore[no-any-return]

    async def get_ladder(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse:
        """One ladder and a page of its table."""
        return await self._read("GetLadder", request)  # type: ignore[no-any-return]

    async def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """The bots known here, by name."""
        return await self._read("ListBots", request)  # type: ignore[no-any-return]

    async def get_bot(self, request: pb.GetBotRequest) -> pb.Bot:
        """One bot."""
        return await self._read("GetBot", request)  # type: ignore[no-any-return]

    async def list_matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """Matches, latest first."""
        return await self._read("ListMatches", request)  # type: ignore[no-any-return]

    async def get_match(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
        """One match."""
        return await self._read("GetMatch", request)  # type: ignore[no-any-return]

    async def list_events(self, request: pb.ListEventsRequest) -> pb.ListEventsResponse:
        """The events, latest first."""
        return await self._read("ListEvents", request)  # type: ignore[no-any-return]

    async def get_event(self, request: pb.GetEventRequest) -> pb.GetEventResponse:
        """One event with its tables."""
        return await self._read("GetEvent", request)  # type: ignore[no-any-return]

    async def list_news(self, request: pb.ListNewsRequest) -> pb.ListNewsResponse:
        """What happened, the latest first."""
        return await self._read("ListNews", request)  # type: ignore[no-any-return]

    async def get_rating_history(self, request: pb.GetRatingHistoryRequest) -> pb.RatingHistory:
        """How the rating of a bot came about, over all its versions."""
        return await self._read("GetRatingHistory", request)  # type: ignore[no-any-return]

    async def get_entry(self, request: pb.GetEntryRequest) -> pb.EntryDetails:
        """One entry of a table."""
        return await self._read("GetEntry", request)  # type: ignore[no-any-return]

    async def get_pair(self, request: pb.GetPairRequest) -> pb.Pair:
        """Two entries of a table, compared."""
        return await self._read("GetPair", request)  # type: ignore[no-any-return]

    async def record(self, match_id: str) -> bytes:
        """The record's file of a finished match."""
        found = bytearray()
        try:
            async for chunk in self._stub.DownloadRecord(
                pb.DownloadRecordRequest(match_id=match_id), timeout=CALL_SECONDS
            ):
                found += chunk.data
                if len(found) > MAX_RECORD_BYTES:
                    raise NotFound("the record is too large to be shown; `tortuga client record` fetches it")
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None
        return bytes(found)

    async def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None]:
        """The sights of a running match."""
        call = self._stub.WatchMatch(pb.WatchMatchRequest(match_id=match_id, pace_millis=PACE_MILLIS))
        try:
            async for sight in call:
                yield sight
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None
        finally:
            call.cancel()

    # With the token of a bot

    async def get_account(self, token: str) -> pb.Account:
        """Whose token it is; raises Forbidden if it is nobody's."""
        return await self._call("GetAccount", pb.GetAccountRequest(), token)  # type: ignore[no-any-return]

    async def enter_event(self, name: str, token: str) -> pb.EventInfo:
        """Enter a bot for an event."""
        return await self._change("EnterEvent", pb.EnterEventRequest(name=name), token)  # type: ignore[no-any-return]

    async def leave_event(self, name: str, token: str) -> pb.EventInfo:
        """Withdraw a bot from an event."""
        return await self._change("LeaveEvent", pb.LeaveEventRequest(name=name), token)  # type: ignore[no-any-return]

    async def challenge(self, request: pb.ChallengeRequest, token: str) -> pb.MatchInfo:
        """Begin an unrated match."""
        return await self._change("Challenge", request, token, seconds=40.0)  # type: ignore[no-any-return]

    async def _read(self, method: str, request: Message) -> Any:
        """A question that many pages ask: within a second all of them are given the same answer, or for longer where
        the arena takes its time."""
        key = method, request.SerializeToString(deterministic=True)
        until, answer = self._answers.get(key, (0.0, None))
        if answer is None or clock.now() >= until:
            asked_at, answer = clock.now(), asyncio.ensure_future(self._call(method, request))
            answer.add_done_callback(lambda done: self._keep(key, asked_at, done))
            self._answers[key] = math.inf, answer
            self._answers.move_to_end(key)
            self._sweep()
        return await asyncio.shield(answer)  # others may wait for it, too

    def _sweep(self) -> None:
        """Forget answers that are too old, and the oldest of too many."""
        now = clock.now()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            for key in [key for key, (until, _) in self._answers.items() if now >= until]:
                del self._answers[key]
        while len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)

    def _keep(self, key: tuple[str, bytes], asked_at: float, answer: asyncio.Future[Any]) -> None:
        """Everybody who waited has been told of a failure; whoever comes next asks again."""
        if self._answers.get(key, (0, None))[1] is not answer:
            return
        if answer.cancelled() or answer.exception() is not None:
            del self._answers[key]
        else:
            self._answers[key] = asked_at + kept_seconds(clock.now() - asked_at), answer

    async def _change(self, method: str, request: Message, token: str, *, seconds: float = CALL_SECONDS) -> Any:
        """Something that its author wants done. Afterwards nobody is given an older answer."""
        try:
            return await self._call(method, request, token, seconds=seconds)
        finally:
            self._answers.clear()

    async def _call(self, method: str, request: Message, token: str = "", *, seconds: float = CALL_SECONDS) -> Any:
        metadata = [("authorization", f"Bearer {token}")] if token else None
        try:
            return await getattr(self._stub, method)(request, timeout=seconds, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            raise explain(error) from None


def explain(error: grpc.aio.AioRpcError) -> BackendError:
    """Why a call failed, for people."""
    code, words = error.code(), harmless(error.details() or "")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return Unavailable(SLOW)
    kind = ERRORS.get(code)
    if kind is None:  # not there, stopping, or a fault of ours that the arena has logged
        return Unavailable(words if code is grpc.StatusCode.INTERNAL and words else AWAY)
    return kind(words)
