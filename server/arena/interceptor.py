"""Interceptors of the arena's services: how a call is wrapped, whatever its kind, and how errors become status codes.

A caller's error (errors.py) is explained to the caller with a gRPC status code. An internal error is logged under a
short number, which the caller gets instead of a stack trace.
"""

from __future__ import annotations

import asyncio
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Any, TypeAlias

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from referee.errors import ConfigError
from server.arena.errors import (
    AlreadyExists,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unauthenticated,
)
from server.system.logs import get_logger

CODES: dict[type[ConfigError], grpc.StatusCode] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    FailedPrecondition: grpc.StatusCode.FAILED_PRECONDITION,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    PermissionDenied: grpc.StatusCode.PERMISSION_DENIED,
    RateLimited: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
REQUEST_SECONDS = 10.0
"""Longest time between the beginning of a call and its request."""
MAX_MESSAGE = 1000
"""Longest status message, in characters: it goes into headers, which must be small."""

# gRPC's classes have parameters for type checkers only.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Around: TypeAlias = "Callable[[Context], AbstractAsyncContextManager[None]]"

log = get_logger()


class CallInterceptor(grpc.aio.ServerInterceptor, ABC):
    """Wraps the handlers of calls."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Return the handler of one call, wrapped."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return handler  # type: ignore[return-value]  # there is no such method, and gRPC says so
        return self.wrap(handler, str(handler_call_details.method), handler_call_details)

    @abstractmethod
    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Return what is called instead of this handler; the handler itself if the call is none of ours."""
        ...


def has_one_answer(handler: Handler) -> bool:
    """Check whether a call is answered once, not by a stream."""
    return not handler.response_streaming


def behaviour_of(handler: Handler) -> Any:
    """Return the function that answers a call. It takes the request, or an iterator of them, and the context."""
    return handler.unary_unary or handler.stream_unary or handler.unary_stream or handler.stream_stream


def with_behaviour(handler: Handler, behaviour: Callable[[Any, Context], Any]) -> Handler:
    """Return a handler of the same kind that calls another function."""
    make: Any = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }[bool(handler.request_streaming), bool(handler.response_streaming)]
    return make(behaviour, handler.request_deserializer, handler.response_serializer)  # type: ignore[no-any-return]


def inside(handler: Handler, around: Around) -> Handler:
    """Return the same handler inside a context manager."""
    behaviour = behaviour_of(handler)

    async def answer(request: Any, context: Context) -> Any:
        async with around(context):
            return await behaviour(request, context)

    async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
        async with around(context), aclosing(behaviour(request, context)) as messages:
            async for message in messages:
                yield message

    return with_behaviour(handler, answer if has_one_answer(handler) else stream)


def begin_early(handler: Handler) -> Handler:
    """Return the same handler, begun when the call begins: gRPC begins one for a single request when that has arrived.

    Else calls whose request never comes would be counted by nobody, would last for ever, and would take all places.
    """
    if handler.request_streaming:
        return handler
    behaviour = behaviour_of(handler)

    async def answer(requests: AsyncIterator[Any], context: Context) -> Any:
        return await behaviour(await _receive(requests, context), context)

    async def stream(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
        async with aclosing(behaviour(await _receive(requests, context), context)) as messages:
            async for message in messages:
                yield message

    codecs = (handler.request_deserializer, handler.response_serializer)
    if has_one_answer(handler):
        return grpc.stream_unary_rpc_method_handler(answer, *codecs)
    return grpc.stream_stream_rpc_method_handler(stream, *codecs)


async def _receive(requests: AsyncIterator[Any], context: Context) -> Any:
    """Return the one request of a call; abort the call if it does not come."""
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            request = await anext(aiter(requests), None)
    except TimeoutError:
        late = f"the request did not arrive within {REQUEST_SECONDS:.0f} s; try again"
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, late)
    except DecodeError:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the request cannot be read: it is no such message")
    if request is None:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call came without its request")
    return request


class ErrorInterceptor(CallInterceptor):
    """Turns exceptions into status codes."""

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap any call."""

        @asynccontextmanager
        async def around(context: Context) -> AsyncIterator[None]:
            try:
                yield
            except ConfigError as error:
                code = CODES.get(type(error), grpc.StatusCode.INVALID_ARGUMENT)
                await context.abort(code, str(error)[:MAX_MESSAGE])
            except grpc.aio.AbortError:
                raise
            except Exception:
                number = secrets.token_hex(4)
                log.exception("call_failed", method=method, number=number)
                await context.abort(
                    grpc.StatusCode.INTERNAL, f"the server failed; its log says why under the number {number}"
                )

        return inside(handler, around)
