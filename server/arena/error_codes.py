"""Turns exceptions in a call of the arena's services into gRPC status codes with a message.

A caller's error (errors.py) is explained to the caller. An internal error is logged under a short number, which the
caller gets instead of a stack trace.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Any, TypeAlias

import grpc
import grpc.aio

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
MAX_MESSAGE = 1000
"""Longest status message, in characters: it goes into headers, which must be small."""

# gRPC's classes have parameters for type checkers only.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Around: TypeAlias = "Callable[[Context], AbstractAsyncContextManager[None]]"

log = get_logger()


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Turns exceptions into status codes."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Wrap the handler of one call."""
        method = handler_call_details.method

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

        return wrap(await continuation(handler_call_details), around)


def wrap(handler: Handler | None, around: Around) -> Handler:
    """Return the same handler inside a context manager, whatever its kind."""
    if handler is not None and (handler.unary_unary or handler.stream_unary):
        answer: Any = handler.unary_unary or handler.stream_unary

        async def call(request: Any, context: Context) -> Any:
            async with around(context):
                return await answer(request, context)

        make_unary: Any = (
            grpc.unary_unary_rpc_method_handler if handler.unary_unary else grpc.stream_unary_rpc_method_handler
        )
        return make_unary(call, handler.request_deserializer, handler.response_serializer)  # type: ignore[no-any-return]
    if handler is not None and (handler.unary_stream or handler.stream_stream):
        tell: Any = handler.unary_stream or handler.stream_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with around(context), aclosing(tell(request, context)) as messages:
                async for message in messages:
                    yield message

        make_stream: Any = (
            grpc.unary_stream_rpc_method_handler if handler.unary_stream else grpc.stream_stream_rpc_method_handler
        )
        return make_stream(stream, handler.request_deserializer, handler.response_serializer)  # type: ignore[no-any-return]
    return handler  # type: ignore[return-value]  # None: there is no such method, and gRPC says so
