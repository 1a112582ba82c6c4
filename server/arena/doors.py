"""The gRPC servers of the services: one for everybody, one for the organiser. Bots have a door of their own.

The caller adds the port, and starts and stops the server.
"""

from __future__ import annotations

from typing import Any

import grpc.aio

from referee.door.service import OPTIONS, PUBLIC_OPTIONS, connection_limit
from server.arena.admin_api import AdminService
from server.arena.error_codes import ErrorInterceptor
from server.arena.open_files import MOST_CONNECTIONS
from server.arena.public_api import ArenaService
from server.arena.rate_limits import MAX_OPEN, RateLimiter, RateLimitInterceptor
from tortuga.v1 import arena_pb2_grpc

CALLS_PER_SECOND = 50
BURST = 200
MAX_CALLS = 512
"""Open calls of all callers together."""
MAX_REQUEST = 16 * 1024
MAX_ADMIN_REQUEST = 1024 * 1024
"""The largest request is a manifest with many bots."""


def public_server(
    service: ArenaService,
    buckets: RateLimiter | None = None,
    *,
    max_open: int = MAX_OPEN,
    max_connections: int = MOST_CONNECTIONS,
) -> grpc.aio.Server:
    """Serve Arena, with rate limits. Behind a proxy all callers have one address: it then needs larger limits."""
    buckets = RateLimiter(CALLS_PER_SECOND, BURST) if buckets is None else buckets
    server = grpc.aio.server(
        interceptors=[ErrorInterceptor(), RateLimitInterceptor(buckets, max_open)],
        options=[*_options(MAX_REQUEST), *PUBLIC_OPTIONS, *connection_limit(max_connections)],
        maximum_concurrent_rpcs=MAX_CALLS,
    )
    arena_pb2_grpc.add_ArenaServicer_to_server(service, server)
    return server


def admin_server(admin: AdminService, service: ArenaService) -> grpc.aio.Server:
    """Serve ArenaAdmin, and Arena too, since there may be no public door."""
    server = grpc.aio.server(interceptors=[ErrorInterceptor()], options=_options(MAX_ADMIN_REQUEST))
    arena_pb2_grpc.add_ArenaAdminServicer_to_server(admin, server)
    arena_pb2_grpc.add_ArenaServicer_to_server(service, server)
    return server


def _options(max_request: int) -> list[tuple[str, Any]]:
    ours = {"grpc.max_receive_message_length": max_request, "grpc.max_concurrent_streams": 100}
    return [*{**dict(OPTIONS), **ours}.items()]
