"""Events: the calendar, and one with its schedule, entrants, tables, bracket and cross table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.standings.placing_cells import explanations, has_own_order, placing_table
from server.standings.placing_views import read_placings_of, ruling_lines_of
from server.web import message_text as words
from server.web.backend import Backend
from server.web.page import Page, Patience, name_in, page_routes
from server.web.paths import address, plain_name
from tortuga.v1 import arena_pb2 as pb

EVENTS, RECENT = 50, 20
CHANGING = (pb.EVENT_STATE_RUNNING, pb.EVENT_STATE_CHECK_IN)


async def event_list(request: Request) -> Page:
    """The calendar."""
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
    """One event."""
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
    infos = {info.name: info for info in event.contest_infos}
    parts = [make_part(table, infos.get(table.contest)) for table in found.tables]
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
            "parts_of_event": parts,
            "matches": matches.matches,
            "state": state,
            "told": told,
            "title": title,
            "rulings": ruling_lines_of(found.rulings),
        },
        data={"event": found},
    )


@dataclass(frozen=True, slots=True)
class Part:
    """One contest of an event, as the template wants it."""

    table: pb.EventTable
    info: pb.ContestInfo | None
    bracket: Sequence[pb.BracketRound]
    cross: list[tuple[str, list[pb.PairScore | None]]]
    heads: list[str]
    """Of the placing. Empty: it has none of its own."""
    rows: list[list[str]]
    notes: Sequence[str]
    explained: list[str]


def make_part(table: pb.EventTable, info: pb.ContestInfo | None) -> Part:
    """One contest of an event."""
    placings = read_placings_of(table)
    heads, rows = placing_table(placings) if placings.lines and has_own_order(placings) else ([], [])
    return Part(table, info, table.bracket, cross_rows(table), heads, rows, placings.notes, explanations(placings))


def event_title(backend: Backend, name: str) -> str:
    """What people call an event: of a folder's one event the address has only its plain letters."""
    return backend.title if plain_name(backend.title) == name else name


def first_words(table: pb.EventTable) -> str:
    """Who won, by the format's own order if it has one, or by the ratings."""
    told = table.champion or table.first
    begins_with_name = told.partition(" ")[0] in {row.entry for row in table.rows}
    return told if begins_with_name else words.sentence(told)


def cross_rows(table: pb.EventTable) -> list[tuple[str, list[pb.PairScore | None]]]:
    """For each entry its scores against the others, in the order of the table."""
    entries = [row.entry for row in table.rows]
    scores = {(pair.first, pair.second): pair for pair in table.cross_table}
    if not scores or len(entries) < 3:
        return []
    return [(first, [scores.get((first, second)) for second in entries]) for first in entries]


def routes() -> list[BaseRoute]:
    """The routes of these pages."""
    return [*page_routes("/events", event_list), *page_routes("/event/{name}", one_event)]
