"""The pages of a running arena: those of every backend, live matches, and the account of a bot's author."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette

from server.web.app import make_app
from server.web.arena_backend import ArenaBackend
from server.web.live import live_routes
from server.web.live_streams import Hub
from server.web.pages.account import Account
from server.web.settings import WebSettings
from server.web.sign_in import Sessions, WhoIsSignedIn


def make_arena_app(door: Path, settings: WebSettings) -> Starlette:
    """The app for the arena behind this door: its web.sock."""
    backend = ArenaBackend(f"unix:{door}")
    hub, sessions = Hub(backend), Sessions()
    app = make_app(backend, settings, [*live_routes(hub), *Account(backend, sessions).routes()])
    hub.stopping = app.state.stopping
    app.state.hub = hub
    app.state.navigation.append(("account", "Account", "/account"))
    app.add_middleware(WhoIsSignedIn, sessions=sessions)
    return app
