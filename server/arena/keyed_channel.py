"""A gRPC channel that sends the organiser's key with every call (admin_key.py)."""

from __future__ import annotations

from typing import Any

import grpc

from server.arena.admin_key import HEADER


def with_admin_key(channel: grpc.Channel, key: str) -> grpc.Channel:
    """The same channel, with the key in every call of our services."""
    return grpc.intercept_channel(channel, _KeyInEveryCall(key))


class _KeyInEveryCall(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, key: str) -> None:
        self._pair = (HEADER, key)

    def _intercept(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        metadata = [*(client_call_details.metadata or ()), self._pair]
        return continuation(client_call_details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = _intercept
