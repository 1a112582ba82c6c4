"""Turns exceptions in a call of the arena's services into gRPC status codes with a message.

A caller's error (errors.py) is explained to the caller. An internal error is logged under a short number, which the
caller gets instead of a stack trace.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

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
from server.arena.interceptor import CallInterceptor, Context, Handler, inside
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

log = get_logger()


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
