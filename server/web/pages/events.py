"""Events: the calendar, and one with its schedule, entrants, tables, bracket and cross table."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.standings.placing_cells import ruling_lines
from server.web import message_text as words
from server.web.backend import Backend
from server.web.page import Page, Patience, name_in, page_routes
from server.web.templating import address, plain_name
from tortuga.v1 import arena_pb2 as pb

EVENTS, RECENT = 50, 20
CHANGING = (pb.EVENT_STATE_RUNNING, pb.EVENT_STATE_CHECK_IN)


async def event_list(request: Request) -> Page:
    """Show the calendar."""
    backend: Backend = request.app.state.backend
    token = request.query_params.get("page", "")
    found = await backend.ask(pb.ListEventsRequest(page_size=EVENTS, page_token=token))
    return Page(
        template="events.html.j2",
        title="Events",
        description="Events to come, under way and over, with their tables.",
        section="events",
        refresh_seconds=20,
        values={
            "events": found.events,
            "more": address("events", page=found.next_page_token) if found.next_page_token else "",
            "start": address("events") if token else "",
        },
        data={"events": found.events, "next_page_token": found.next_page_token},
    )


async def one_event(request: Request) -> Page:
    """Show one event."""
    backend: Backend = request.app.state.backend
    name = name_in(request)
    patience = Patience(request)
    found = await patience.get(backend.ask(pb.GetEventRequest(name=name)))
    if found is None:
        listed = (await backend.ask(pb.ListEventsRequest(page_size=500))).events
        known = next((one for one in listed if one.name == name), pb.EventInfo(name=name))
        found = pb.GetEventResponse(event=known)
    event = found.event
    matches = pb.ListMatchesResponse()
    if found.tables or patience.is_late:
        matches = await backend.ask(pb.ListMatchesRequest(event=name, page_size=RECENT))
    told = [first_words(table) for table in found.tables if first_words(table)]
    state = words.EVENT_STATES.get(event.state, "")
    title = event_title(backend, name)
    return Page(
        template="event.html.j2",
        title=f"{title}: {told[0]}" if len(told) == 1 else f"{title}, {state}",
        description=f"{title}, {event.format or 'event'}, {state}. {'; '.join(told)}".strip(),
        section="events",
        refresh_seconds=patience.refresh_seconds(10 if event.state in CHANGING else 0),
        cache=patience.cache,
        values={
            "is_late": patience.is_late,
            "event": event,
            "listings": found.tables,
            "matches": matches.matches,
            "state": state,
            "told": told,
            "title": title,
            "rulings": ruling_lines(found.rulings),
        },
        data={"event": found},
    )


def event_title(backend: Backend, name: str) -> str:
    """Return what people call an event: of a folder's one event the address has only its plain letters."""
    return backend.title if plain_name(backend.title) == name else name


def first_words(table: pb.EventTable) -> str:
    """Say who won, by the format's own order if it has one, or by the ratings."""
    told = table.champion or table.first
    begins_with_name = told.partition(" ")[0] in {row.entry for row in table.rows}
    return told if begins_with_name else words.sentence(told)


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/events", event_list), *page_routes("/event/{name}", one_event)]
