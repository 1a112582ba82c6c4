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
    calendar = await backend.ask(pb.ListEventsRequest(page_size=EVENTS, page_token=token))
    return Page(
        template="events.html.j2",
        title="Events",
        description="Events to come, under way and over, with their tables.",
        section="events",
        refresh_seconds=20,
        values={
            "events": calendar.events,
            "more": address("events", page=calendar.next_page_token) if calendar.next_page_token else "",
            "start": address("events") if token else "",
        },
        data={"events": calendar.events, "next_page_token": calendar.next_page_token},
    )


async def one_event(request: Request) -> Page:
    """Show one event."""
    backend: Backend = request.app.state.backend
    name = name_in(request)
    patience = Patience(request)
    answer = await patience.get(backend.ask(pb.GetEventRequest(name=name)))
    if answer is None:
        listed = (await backend.ask(pb.ListEventsRequest(page_size=500))).events
        known = next((info for info in listed if info.name == name), pb.EventInfo(name=name))
        answer = pb.GetEventResponse(event=known)
    event = answer.event
    matches = pb.ListMatchesResponse()
    if answer.tables or patience.is_late:
        matches = await backend.ask(pb.ListMatchesRequest(event=name, page_size=RECENT))
    leaders = [first_words(table) for table in answer.tables if first_words(table)]
    state = words.EVENT_STATES.get(event.state, "")
    title = event_title(backend, name)
    return Page(
        template="event.html.j2",
        title=f"{title}: {leaders[0]}" if len(leaders) == 1 else f"{title}, {state}",
        description=f"{title}, {event.format or 'event'}, {state}. {'; '.join(leaders)}".strip(),
        section="events",
        refresh_seconds=patience.refresh_seconds(10 if event.state in CHANGING else 0),
        cache=patience.cache,
        values={
            "is_late": patience.is_late,
            "event": event,
            "listings": answer.tables,
            "matches": matches.matches,
            "state": state,
            "told": leaders,
            "title": title,
            "rulings": ruling_lines(answer.rulings),
        },
        data={"event": answer},
    )


def event_title(backend: Backend, name: str) -> str:
    """Return what people call an event: of a folder's one event the address has only its plain letters."""
    return backend.title if plain_name(backend.title) == name else name


def first_words(table: pb.EventTable) -> str:
    """Say who won, by the format's own order if it has one, or by the ratings."""
    leader = table.champion or table.first
    begins_with_name = leader.partition(" ")[0] in {row.entry for row in table.rows}
    return leader if begins_with_name else words.sentence(leader)


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/events", event_list), *page_routes("/event/{name}", one_event)]
