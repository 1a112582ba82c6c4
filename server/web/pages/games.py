"""The games and their rules, as each game brings them."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.routing import BaseRoute

from referee.rules.infos import INFOS, PLUGINS
from server.web.backend import Backend, PageNotFound
from server.web.markdown import read_introduction, render_file
from server.web.page import Page, name_in, page_routes
from tortuga.v1 import arena_pb2 as pb


async def game_list(request: Request) -> Page:
    """Show the games that are played here."""
    backend: Backend = request.app.state.backend
    games = await backend.ask(pb.ListGamesRequest(page_size=500))
    ladders = await backend.ask(pb.ListLaddersRequest(page_size=500))
    return Page(
        template="games.html.j2",
        title="Games",
        description="The games that bots play here, with their rules.",
        section="games",
        values={
            "games": games.games,
            "ladders": ladders.ladders,
            "introductions": {name: read_introduction(path) for name in INFOS if (path := _rules(name))},
        },
        data={"games": games.games},
        cache="max-age=60",
    )


async def one_game(request: Request) -> Page:
    """Show the rules of one game."""
    backend: Backend = request.app.state.backend
    name = name_in(request)
    path = _rules(name) if name in INFOS else None  # only names that we know become paths
    if path is None:
        raise PageNotFound("there is no such game")
    ladders = await backend.ask(pb.ListLaddersRequest(page_size=500))
    info = INFOS[name]
    seats = str(info.min_seats) if info.min_seats == info.max_seats else f"{info.min_seats} to {info.max_seats}"
    return Page(
        template="game.html.j2",
        title=f"{info.title}: the rules",
        description=f"{info.title} for {seats} bots: the rules as they are played here.",
        section="games",
        values={
            "info": info,
            "seats": seats,
            "rules": render_file(path),
            "ladders": [ladder for ladder in ladders.ladders if ladder.game == name],
        },
        data={"id": info.id, "title": info.title, "rules_version": info.rules_version, "rules": path.read_text()},
        cache="max-age=60",
    )


def _rules(name: str) -> Path | None:
    path = PLUGINS[name].rules
    return path if path is not None and path.is_file() else None


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/games", game_list), *page_routes("/games/{name}", one_game)]
