"""Caches answers of the public door for a second, so that a crowd listing the same thing costs as much as one caller.

Lists are the expensive calls: they read a database beside the referee's loop. The same request within a second gets the
same answer, computed once however many wait for it. A new request is computed, and counts for more in the caller's
bucket (rate_limits.py) the more rows it asks for, so nobody gains by varying requests. Calls with a token are private
to the caller and are not cached.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from referee.door.tokens import network_of
from referee.match import clock
from server.arena.caller_input import DEFAULT_SIZE, MAX_SIZE
from server.arena.error_codes import Context, Handler
from server.arena.errors import RateLimited
from server.arena.rate_limits import RateLimiter

FRESH_SECONDS = 1.0
MAX_ANSWERS = 64
KEPT_CALLS = frozenset({"ListLadders", "GetLadder", "ListBots", "ListMatches", "ListEvents", "GetEvent", "ListNews"})


@dataclass(slots=True)
class _Kept:
    """An answer, perhaps still being worked out, and how many wait for it."""

    asked_at: float
    answer: asyncio.Task[Any]
    waiting: int = 0


class FreshAnswers(grpc.aio.ServerInterceptor):
    """Gives callers who ask the same the same answer."""

    def __init__(self, buckets: RateLimiter, seconds: float = FRESH_SECONDS) -> None:
        self._buckets, self._seconds = buckets, seconds
        self._kept: OrderedDict[tuple[str, bytes], _Kept] = OrderedDict()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Wrap the handler of a list."""
        handler: Any = await continuation(handler_call_details)
        method = str(handler_call_details.method).rpartition("/")[2]
        metadata = dict(handler_call_details.invocation_metadata or ())
        if handler is None or method not in KEPT_CALLS or "authorization" in metadata:
            return handler  # type: ignore[no-any-return]

        async def call(request: Any, context: Context) -> Any:
            return await self._answer(method, handler.unary_unary, request, context)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)

    async def _answer(self, method: str, work: Callable[..., Awaitable[Any]], request: Any, context: Context) -> Any:
        key = method, request.SerializeToString(deterministic=True)
        kept = self._kept.get(key)
        if kept is None or clock.now() >= kept.asked_at + self._seconds:
            if not self._buckets.take(network_of(context.peer()), cost_of(request)):
                raise RateLimited("too many different lists from your address; slow down and try again in a second")
            kept = self._kept[key] = _Kept(clock.now(), asyncio.ensure_future(work(request, context)))
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_ANSWERS:
                self._kept.popitem(last=False)
        kept.waiting += 1
        try:
            return await asyncio.shield(kept.answer)
        except BaseException:
            if self._kept.get(key) is kept and (kept.answer.done() or kept.waiting == 1):
                del self._kept[key]
            if kept.waiting == 1:
                kept.answer.cancel()  # nobody waits any more: its query is interrupted
            raise
        finally:
            kept.waiting -= 1


def cost_of(request: Any) -> float:
    """What a list costs beside the call itself: one for each page of the usual size."""
    size = getattr(request, "page_size", 0) or DEFAULT_SIZE
    return min(size, MAX_SIZE) / DEFAULT_SIZE
