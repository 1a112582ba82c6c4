"""The pages as an ASGI app. `make_app` puts them together; each page is in pages/."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from referee.errors import ConfigError
from server.web import static_files
from server.web.arena_backend import ArenaBackend
from server.web.backend import Backend, BackendError
from server.web.documents import Documents
from server.web.error_pages import answer_bug, answer_error, explain
from server.web.live_streams import LiveMatches, live_routes
from server.web.middleware import Limits, RequestLimits, SecurityHeaders, WebSettings
from server.web.page_cache import PageCache, PageCacheMiddleware
from server.web.pages import bots, events, feed, games, home, ladders, match, matches, overall
from server.web.pages.account import Account
from server.web.sign_in import Sessions, SignedInMiddleware

NAVIGATION = (
    ("matches", "Matches", "/matches"),
    ("ladders", "Ladders", "/ladders"),
    ("events", "Events", "/events"),
    ("bots", "Bots", "/bots"),
    ("games", "Games", "/games"),
    ("enter", "Enter a bot", "/enter"),
)
"""Section, text, address."""


def make_app(backend: Backend, settings: WebSettings, more_routes: Sequence[BaseRoute] = ()) -> Starlette:
    """Make the app. `more_routes` come before ours: the live streams, the sign-in and its forms."""
    documents = Documents(workers=settings.document_workers, most_bytes=settings.document_bytes)
    limits = Limits(settings)
    page_cache = PageCache()
    stopping = asyncio.Event()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await backend.start()
        try:
            yield
        finally:
            stopping.set()
            documents.close()
            await backend.close()

    app = Starlette(
        routes=[
            *more_routes,
            *home.routes(),
            *ladders.routes(),
            *bots.routes(),
            *matches.routes(),
            *match.routes(),
            *events.routes(),
            *overall.routes(),
            *games.routes(),
            *feed.routes(),
            *static_files.routes(),
            Route("/healthz", healthz),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(RequestLimits, settings=settings, limits=limits, explain=explain),
            Middleware(PageCacheMiddleware, pages=page_cache),
        ],
        exception_handlers={
            HTTPException: answer_error,
            BackendError: answer_error,
            ConfigError: answer_error,
            Exception: answer_bug,
        },
        lifespan=lifespan,
    )
    app.state.backend, app.state.settings = backend, settings
    app.state.documents, app.state.limits = documents, limits
    app.state.page_cache = page_cache
    app.state.navigation = list(NAVIGATION)
    app.state.stopping = stopping
    """Set when the pages end: streams have to end with them."""
    return app


def make_arena_app(door: Path, settings: WebSettings) -> Starlette:
    """Make the app for the arena behind this door: its web.sock."""
    backend = ArenaBackend(f"unix:{door}")
    hub, sessions = LiveMatches(backend), Sessions()
    app = make_app(backend, settings, [*live_routes(hub), *Account(backend, sessions).routes()])
    hub.stopping = app.state.stopping
    app.state.hub = hub
    app.state.navigation.append(("account", "Account", "/account"))
    app.add_middleware(SignedInMiddleware, sessions=sessions)
    return app


async def healthz(request: Request) -> Response:
    """Says that this process answers."""
    return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})
