"""The games and their rules, from docs/games."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.routing import BaseRoute

from referee.games import GAMES
from server.web.backend import Backend, PageNotFound
from server.web.markdown import DOCS, read_introduction, render_file
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
            "introductions": {name: read_introduction(path) for name in GAMES if (path := _rules(name)).is_file()},
        },
        data={"games": games.games},
        cache="max-age=60",
    )


async def one_game(request: Request) -> Page:
    """Show the rules of one game."""
    backend: Backend = request.app.state.backend
    name = name_in(request)
    path = _rules(name)
    if name not in GAMES or not path.is_file():  # only names that we know become paths
        raise PageNotFound("there is no such game")
    ladders = await backend.ask(pb.ListLaddersRequest(page_size=500))
    info = GAMES[name].info
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


def _rules(name: str) -> Path:
    return DOCS / "games" / f"{name}.md"


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/games", game_list), *page_routes("/games/{name}", one_game)]
