"""The gRPC servers of the services: one for everybody, one for the pages, one for the organiser. Bots have a separate
server. Every server writes changes into the audit log.

`open_doors` opens them all. Whoever makes one of them alone adds its port, starts it and stops it.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from referee.door.service import OPTIONS, PUBLIC_OPTIONS, connection_limit, listen_on
from referee.door.tls import is_loopback
from referee.records.files import OTHERS, PRIVATE_FILE
from server.arena.api.answer_cache import AnswerInterceptor, ChangeInterceptor
from server.arena.api.services import Services, make_services
from server.arena.config import ArenaConfig
from server.arena.errors import FailedPrecondition, PermissionDenied
from server.arena.interceptor import CallInterceptor, Context, ErrorInterceptor, Handler, inside
from server.arena.keys import FILE as ADMIN_KEY
from server.arena.keys import HEADER, write_admin_key
from server.arena.operations.metrics import serve_metrics
from server.arena.operations.running_arena import RunningArena
from server.arena.people.audit import ADMIN_DOOR, AuditInterceptor, AuditLog
from server.arena.people.callers import Callers
from server.arena.people.neutral_names import NeutralNamesInterceptor
from server.arena.rate_limits import MAX_OPEN, RateLimiter, RateLimitInterceptor
from server.arena.reading.archive import Archive
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry
from server.system.processes import MOST_CONNECTIONS
from tortuga.v1 import arena_pb2, arena_pb2_grpc

CALLS_PER_SECOND = 50
BURST = 200
MAX_CALLS = 512
"""Open calls of all callers together."""
MAX_WEB_CALLS = 1000
"""Open calls of `tortuga web`: one for each match that somebody watches, and those of the pages."""
WEB_DOOR = "web.sock"
MAX_REQUEST = 16 * 1024
MAX_ADMIN_REQUEST = 1024 * 1024
"""The largest request is a manifest with many bots."""
MAX_PUBLIC_REQUEST = 64 * 1024
"""On the public door, where an organiser on another machine may import teams."""
ADMIN = "/tortuga.v1.ArenaAdmin/"
PLAIN_TEXT = (
    "this arena speaks plain text, so an organiser's token could be read on the way: serve it with TLS (tls_cert, or "
    "--self-signed NAME), or give this order on the arena's own machine. Revoke the token that was just sent"
)
LOCAL_ONLY = {
    "HostBot": "a bot is hosted from a folder of the arena's machine: run `tortuga server bot host` there, or let its "
    "authors submit it"
}
"""Orders that a leaked token must not give: they start any program of the arena's machine."""
NO_KEY = (
    "this is the organiser's door, and {came}: `tortuga server … --dir DIR` reads the right one from admin.key in the "
    "arena's folder; other programs send it in the metadata of their call, as `admin-key`"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class People:
    """What the doors know of their callers."""

    callers: Callers
    audit: AuditLog


@asynccontextmanager
async def open_doors(
    directory: Path,
    config: ArenaConfig,
    credentials: grpc.ServerCredentials | None,
    arena: RunningArena,
    registry: Registry,
    people: People,
    max_connections: int,
) -> AsyncIterator[None]:
    """Open the public door, that of the pages and the organiser's, with health and reflection on the latter."""
    archive = Archive(directory, registry)
    maker = StandingsMaker(archive)
    served = make_services(arena, registry, archive, maker, people.callers)
    servers: list[grpc.aio.Server] = []
    metrics = serve_metrics(config.metrics, arena) if config.metrics else None
    try:
        if config.public:
            server = public_server(served, people, tls=credentials is not None, max_connections=max_connections)
            port = listen_on(server, config.public, credentials, "--public")
            arena.public_address = f"{config.public.rpartition(':')[0]}:{port}"
            servers.append(server)
        web = web_server(served, people)
        listen_privately(web, (directory / WEB_DOOR).resolve())
        servers.append(web)
        admin = admin_server(served, people, write_admin_key(directory))
        path = (directory / config.admin).resolve()
        listen_privately(admin, path)
        answers = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(answers, admin)
        names = [service.full_name for service in arena_pb2.DESCRIPTOR.services_by_name.values()]
        reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], admin)
        servers.append(admin)
        for server in servers:
            await server.start()
        for name in ("", *names):
            await answers.set(name, health_pb2.HealthCheckResponse.SERVING)
        try:
            yield
        finally:
            await answers.enter_graceful_shutdown()
            for server in servers:
                await server.stop(1.0)
            for socket in (path, directory / WEB_DOOR):
                socket.unlink(missing_ok=True)
            (directory / ADMIN_KEY).unlink(missing_ok=True)
    finally:
        maker.close()
        archive.close()
        if metrics is not None:
            metrics()


def listen_privately(server: grpc.aio.Server, path: Path) -> None:
    """Open a Unix socket that nobody else may use, not even for a moment."""
    rights = os.umask(OTHERS)
    try:
        listen_on(server, f"unix:{path}", None)
    finally:
        os.umask(rights)
    path.chmod(PRIVATE_FILE)


def public_server(
    services: Services,
    people: People,
    buckets: RateLimiter | None = None,
    *,
    tls: bool = False,
    max_open: int = MAX_OPEN,
    max_connections: int = MOST_CONNECTIONS,
) -> grpc.aio.Server:
    """Serve Arena with rate limits, and ArenaAdmin to holders of an organiser's token.

    Behind a proxy all callers have one address: it then needs larger limits."""
    buckets = RateLimiter(CALLS_PER_SECOND, BURST) if buckets is None else buckets
    server = grpc.aio.server(
        interceptors=[
            ErrorInterceptor(),
            RateLimitInterceptor(buckets, max_open),
            OrganiserInterceptor(people.callers, tls=tls),
            *_inner(services, people, buckets),
        ],
        options=[*_options(MAX_PUBLIC_REQUEST), *PUBLIC_OPTIONS, *connection_limit(max_connections)],
        maximum_concurrent_rpcs=MAX_CALLS,
    )
    arena_pb2_grpc.add_ArenaServicer_to_server(services.arena, server)
    arena_pb2_grpc.add_ArenaAdminServicer_to_server(services.admin, server)
    return server


class OrganiserInterceptor(CallInterceptor):
    """On the public door: ArenaAdmin is for holders of an organiser's token, over TLS or from this machine."""

    def __init__(self, callers: Callers, *, tls: bool) -> None:
        self._callers, self._tls = callers, tls

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Check who calls, before the call."""
        if not method.startswith(ADMIN):
            return handler

        @asynccontextmanager
        async def around(context: Context) -> AsyncIterator[None]:
            if not self._tls and not is_loopback(unquote(context.peer())):
                raise FailedPrecondition(PLAIN_TEXT)
            self._callers.organiser(context.invocation_metadata(), context.peer())
            if method.removeprefix(ADMIN) in LOCAL_ONLY:
                raise PermissionDenied(LOCAL_ONLY[method.removeprefix(ADMIN)])
            yield

        return inside(handler, around)


class KeyInterceptor(grpc.aio.ServerInterceptor):
    """Refuses every call without the organiser's key, except health checks, which tell nothing."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Let the call through, or refuse it whatever its kind."""
        metadata = dict(handler_call_details.invocation_metadata or ())
        given = str(metadata.get(HEADER, "")).encode()
        is_health = str(handler_call_details.method).startswith(f"/{health.SERVICE_NAME}/")
        if is_health or hmac.compare_digest(given, self._key):
            return await continuation(handler_call_details)  # type: ignore[return-value]  # None: no such method

        async def refuse(request: Any, context: Context) -> None:
            came = "a wrong key came" if given else "no key came"
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, NO_KEY.format(came=came))

        return grpc.unary_unary_rpc_method_handler(refuse)


def admin_server(services: Services, people: People, key: str) -> grpc.aio.Server:
    """Serve ArenaAdmin to whoever has the key, and Arena too, since there may be no public door."""
    interceptors = [
        KeyInterceptor(key),
        ErrorInterceptor(),
        AuditInterceptor(people.audit, ADMIN_DOOR),
        ChangeInterceptor(services.answers),
    ]
    server = grpc.aio.server(interceptors=interceptors, options=_options(MAX_ADMIN_REQUEST))
    arena_pb2_grpc.add_ArenaAdminServicer_to_server(services.admin, server)
    arena_pb2_grpc.add_ArenaServicer_to_server(services.arena, server)
    return server


def web_server(services: Services, people: People) -> grpc.aio.Server:
    """Serve Arena to `tortuga web` on this machine, without rate limits: it has many readers and limits them itself."""
    options = {**dict(_options(MAX_REQUEST)), "grpc.max_concurrent_streams": MAX_WEB_CALLS}
    server = grpc.aio.server(interceptors=[ErrorInterceptor(), *_inner(services, people)], options=[*options.items()])
    arena_pb2_grpc.add_ArenaServicer_to_server(services.arena, server)
    return server


def _inner(services: Services, people: People, buckets: RateLimiter | None = None) -> list[grpc.aio.ServerInterceptor]:
    """Return what is nearest to the service Arena: the audit log, neutral names for deleted bots, and kept answers."""
    return [
        AuditInterceptor(people.audit),
        NeutralNamesInterceptor(people.callers.teams.neutral_names),
        ChangeInterceptor(services.answers),
        AnswerInterceptor(services.answers, buckets),
    ]


def _options(max_request: int) -> list[tuple[str, Any]]:
    ours = {"grpc.max_receive_message_length": max_request, "grpc.max_concurrent_streams": 100}
    return [*{**dict(OPTIONS), **ours}.items()]
