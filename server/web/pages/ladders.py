"""Ladders: the list, and one with its intervals."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.standings.placing_cells import ruling_lines
from server.web import message_text as words
from server.web.backend import Backend
from server.web.page import Page, Patience, name_in, page_routes
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

ROWS = 100


async def ladder_list(request: Request) -> Page:
    """Show all ladders."""
    backend: Backend = request.app.state.backend
    found = await backend.ask(pb.ListLaddersRequest(page_size=500))
    return Page(
        template="ladders.html.j2",
        title="Ladders",
        description=f"{words.count(len(found.ladders), 'ladder')}, each with ratings and how sure they are.",
        section="ladders",
        refresh_seconds=10,
        values={"ladders": found.ladders, "seasons": found.seasons},
        data={"ladders": found.ladders, "public_key": found.public_key.hex(), "seasons": found.seasons},
    )


async def one_ladder(request: Request) -> Page:
    """Show one ladder and a page of its table."""
    backend: Backend = request.app.state.backend
    name, token = name_in(request), request.query_params.get("page", "")
    season = request.query_params.get("season", "")
    asked = pb.GetLadderRequest(name=name, page_size=ROWS, page_token=token, season=season)
    patience = Patience(request)
    found = await patience.get(backend.ask(asked))
    if found is None:
        ladders = (await backend.ask(pb.ListLaddersRequest(page_size=500))).ladders
        known = next((one for one in ladders if one.name == name), pb.LadderInfo(name=name))
        found = pb.GetLadderResponse(ladder=known, season=season)
    title = words.contest_title(found.ladder.name) + (f", {season}" if season else "")
    first = found.first[:1].upper() + found.first[1:]
    return Page(
        template="ladder.html.j2",
        title=f"{title}: {found.first}" if found.first else title,
        description=f"{first}. {words.count(found.table_matches, 'match')}, ratings with 95 % intervals.".lstrip(". "),
        section="ladders",
        refresh_seconds=patience.refresh_seconds(0 if season else 10),
        cache=patience.cache,
        values={
            "is_late": patience.is_late,
            "found": found,
            "ladder": found.ladder,
            "title": title,
            "first": first,
            "rulings": ruling_lines(found.rulings),
            "more": address("ladder", name, page=found.next_page_token, season=season) if found.next_page_token else "",
            "start": address("ladder", name, season=season) if token else "",
        },
        data={"ladder": found},
    )


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/ladders", ladder_list), *page_routes("/ladder/{name}", one_ladder)]
