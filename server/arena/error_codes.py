"""What every call of the arena's services goes through: an error becomes a status code with a sentence.

What the caller did wrong is told to him (errors.py). What we did wrong is told to the log, under a short number that
the caller gets instead of a stack trace.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Any, TypeAlias

import grpc
import grpc.aio
import structlog

from referee.errors import ConfigError
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound, RateLimited, Unauthenticated

CODES: dict[type[ConfigError], grpc.StatusCode] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    FailedPrecondition: grpc.StatusCode.FAILED_PRECONDITION,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    RateLimited: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
MAX_SENTENCE = 1000
"""A status goes into headers, which have to be small."""

# gRPC's classes have parameters for type checkers only.
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Around: TypeAlias = "Callable[[Context], AbstractAsyncContextManager[None]]"

log = structlog.get_logger()


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Turns exceptions into status codes."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """gRPC asks once per call."""
        method = handler_call_details.method

        @asynccontextmanager
        async def around(context: Context) -> AsyncIterator[None]:
            try:
                yield
            except ConfigError as error:
                code = CODES.get(type(error), grpc.StatusCode.INVALID_ARGUMENT)
                await context.abort(code, str(error)[:MAX_SENTENCE])
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
    """The same call with something around it. Streams of requests are none of ours and pass as they are."""
    if handler is not None and handler.unary_unary:
        answer: Any = handler.unary_unary

        async def call(request: Any, context: Context) -> Any:
            async with around(context):
                return await answer(request, context)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)
    if handler is not None and handler.unary_stream:
        tell: Any = handler.unary_stream

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            async with around(context), aclosing(tell(request, context)) as messages:
                async for message in messages:
                    yield message

        return grpc.unary_stream_rpc_method_handler(stream, handler.request_deserializer, handler.response_serializer)
    return handler  # type: ignore[return-value]  # None: there is no such method, and gRPC says so
