"""The pages as an ASGI app. `make_app` puts them together; each page is in pages/."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from server.web.backend import Backend
from server.web.settings import WebSettings


def make_app(backend: Backend, settings: WebSettings, more_routes: Sequence[BaseRoute] = ()) -> Starlette:
    """The app. `more_routes` come before ours: the sign-in and its forms."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await backend.start()
        try:
            yield
        finally:
            await backend.close()

    app = Starlette(routes=[*more_routes, Route("/healthz", healthz)], lifespan=lifespan)
    app.state.backend, app.state.settings = backend, settings
    return app


async def healthz(request: Request) -> Response:
    """Says that this process answers."""
    return PlainTextResponse("ok\n")
