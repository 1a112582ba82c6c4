"""Keeps answers for a second, so that a crowd listing the same thing costs as much as one caller.

How old an answer may be: it was begun within the last second, or is still being made. The same request (a method and
its message) gets the same answer, computed once however many wait for it, at whichever door they ask. A change that
came through a door is in all answers afterwards.

Lists are the expensive calls: they read a database beside the referee's loop. At the public door a new request counts
for more in the caller's bucket (rate_limits.py) the more rows it asks for, so nobody gains by varying requests. Calls
with a token are private to the caller and are not kept.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from referee.door.tokens import network_of
from referee.match import clock
from server.arena.caller_input import DEFAULT_SIZE, MAX_SIZE
from server.arena.errors import RateLimited
from server.arena.interceptor import CallInterceptor, Context, Handler, behaviour_of, inside, with_behaviour
from server.arena.people.audit import QUESTIONS, SERVICES
from server.arena.rate_limits import RateLimiter

ANSWER_SECONDS = 1.0
MAX_ANSWERS = 500
KEPT_CALLS = frozenset(
    {
        *("ListLadders", "GetLadder", "ListBots", "ListMatches", "ListEvents", "GetEvent", "ListNews"),
        *("GetOverall", "GetRatingHistory", "GetEntry", "GetPair"),
    }
)

AnswerKey = tuple[str, bytes]
"""A method and its request."""


@dataclass(slots=True)
class _Answer:
    """An answer, perhaps still being worked out, and how many wait for it."""

    asked_at: float
    task: asyncio.Task[Any]
    waiting: int = 0


class AnswerCache:
    """The answers of the last second."""

    def __init__(self, seconds: float = ANSWER_SECONDS) -> None:
        self._seconds = seconds
        self._answers: OrderedDict[AnswerKey, _Answer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def has(self, key: AnswerKey) -> bool:
        """Check whether an answer is there, or is being made."""
        answer = self._answers.get(key)
        return answer is not None and (not answer.task.done() or clock.now() < answer.asked_at + self._seconds)

    async def get(self, key: AnswerKey, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the answer to a request; `make` makes it if there is none."""
        if not self.has(key):
            self._answers[key] = _Answer(clock.now(), asyncio.create_task(make()))
            self._answers.move_to_end(key)
            while len(self._answers) > MAX_ANSWERS or not self.has(next(iter(self._answers))):
                self._answers.popitem(last=False)
        answer = self._answers[key]
        answer.waiting += 1
        try:
            return await asyncio.shield(answer.task)
        except BaseException:
            if self._answers.get(key) is answer and (answer.task.done() or answer.waiting == 1):
                del self._answers[key]
            if answer.waiting == 1:
                answer.task.cancel()  # nobody waits any more: its query is interrupted
            raise
        finally:
            answer.waiting -= 1

    def clear(self) -> None:
        """Forget all answers: something was changed. Those who wait for one still get it."""
        self._answers.clear()


class AnswerInterceptor(CallInterceptor):
    """Gives callers who ask the same the same answer."""

    def __init__(self, answers: AnswerCache, buckets: RateLimiter | None = None) -> None:
        """`buckets`: those of the callers, who pay for new answers."""
        self._answers, self._buckets = answers, buckets

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap a list."""
        name = method.rpartition("/")[2]
        if name not in KEPT_CALLS or "authorization" in dict(details.invocation_metadata or ()):
            return handler
        make = behaviour_of(handler)

        async def call(request: Any, context: Context) -> Any:
            key = name, request.SerializeToString(deterministic=True)
            buckets = None if self._answers.has(key) else self._buckets
            if buckets is not None and not buckets.take(network_of(context.peer()), cost_of(request)):
                raise RateLimited("too many different lists from your address; slow down and try again in a second")
            return await self._answers.get(key, lambda: make(request, context))

        return with_behaviour(handler, call)


class ChangeInterceptor(CallInterceptor):
    """Has all answers made anew after a change."""

    def __init__(self, answers: AnswerCache) -> None:
        self._answers = answers

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap a call that changes something."""
        if not method.startswith(SERVICES) or method.rpartition("/")[2].startswith(QUESTIONS):
            return handler

        @asynccontextmanager
        async def around(context: Context) -> AsyncIterator[None]:
            try:
                yield
            finally:
                self._answers.clear()

        return inside(handler, around)


def cost_of(request: Any) -> float:
    """Return what a list costs beside the call itself: one for each page of the usual size."""
    size = getattr(request, "page_size", 0) or DEFAULT_SIZE
    return min(size, MAX_SIZE) / DEFAULT_SIZE
