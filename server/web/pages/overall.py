"""One table over all contests of an event, or over all ladders."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.web import message_text as words
from server.web.backend import Backend
from server.web.page import Page, Patience, page_routes
from server.web.pages.events import event_title
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

ROWS = 100


async def overall(request: Request) -> Page:
    """Show a page of the table."""
    backend: Backend = request.app.state.backend
    event: str = request.path_params.get("event", "")
    token = request.query_params.get("page", "")
    patience = Patience(request)
    asked = pb.GetOverallRequest(event=event, page_size=ROWS, page_token=token)
    answer = await patience.get(backend.ask(asked)) or pb.GetOverallResponse()
    place = event_title(backend, event) if event else "the ladders"
    here = ("event", event, "overall") if event else ("overall",)
    more, first = answer.next_page_token, words.sentence(answer.table.first)
    return Page(
        template="overall.html.j2",
        title=f"All games of {place}: {answer.table.first}" if first else f"All games of {place}",
        description=f"One table over all games of {place}. {first}".strip(),
        section="events" if event else "ladders",
        refresh_seconds=patience.refresh_seconds(10),
        cache=patience.cache,
        values={
            "is_late": patience.is_late,
            "answer": answer,
            "event": event,
            "place": place,
            "first": first,
            "more": address(*here, page=more) if more else "",
            "start": address(*here) if token else "",
        },
        data={"overall": answer},
    )


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/overall", overall), *page_routes("/event/{event}/overall", overall)]
