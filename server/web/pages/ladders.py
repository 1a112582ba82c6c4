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
    answer = await backend.ask(pb.ListLaddersRequest(page_size=500))
    return Page(
        template="ladders.html.j2",
        title="Ladders",
        description=f"{words.count(len(answer.ladders), 'ladder')}, each with ratings and how sure they are.",
        section="ladders",
        refresh_seconds=10,
        values={"ladders": answer.ladders, "seasons": answer.seasons},
        data={"ladders": answer.ladders, "public_key": answer.public_key.hex(), "seasons": answer.seasons},
    )


async def one_ladder(request: Request) -> Page:
    """Show one ladder and a page of its table."""
    backend: Backend = request.app.state.backend
    name, token = name_in(request), request.query_params.get("page", "")
    season = request.query_params.get("season", "")
    asked = pb.GetLadderRequest(name=name, page_size=ROWS, page_token=token, season=season)
    patience = Patience(request)
    answer = await patience.get(backend.ask(asked))
    if answer is None:
        ladders = (await backend.ask(pb.ListLaddersRequest(page_size=500))).ladders
        known = next((info for info in ladders if info.name == name), pb.LadderInfo(name=name))
        answer = pb.GetLadderResponse(ladder=known, season=season)
    title = words.contest_title(answer.ladder.name) + (f", {season}" if season else "")
    first = answer.first[:1].upper() + answer.first[1:]
    more = answer.next_page_token
    return Page(
        template="ladder.html.j2",
        title=f"{title}: {answer.first}" if answer.first else title,
        description=f"{first}. {words.count(answer.table_matches, 'match')}, ratings with 95 % intervals.".lstrip(". "),
        section="ladders",
        refresh_seconds=patience.refresh_seconds(0 if season else 10),
        cache=patience.cache,
        values={
            "is_late": patience.is_late,
            "found": answer,
            "ladder": answer.ladder,
            "title": title,
            "first": first,
            "rulings": ruling_lines(answer.rulings),
            "more": address("ladder", name, page=more, season=season) if more else "",
            "start": address("ladder", name, season=season) if token else "",
        },
        data={"ladder": answer},
    )


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/ladders", ladder_list), *page_routes("/ladder/{name}", one_ladder)]
