"""Events: the calendar, and one with its schedule, entrants, tables, bracket and cross table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.web import words
from server.web.backend import Backend
from server.web.bracket import Round, make_bracket
from server.web.page import Page, name_in, page_routes
from server.web.paths import address, plain_name
from tortuga.v1 import arena_pb2 as pb

EVENTS, RECENT = 50, 20
BRACKET_PAGES = 8
"""A bracket is drawn from at most so many pages of 500 matches."""


async def event_list(request: Request) -> Page:
    """The calendar."""
    backend: Backend = request.app.state.backend
    token = request.query_params.get("page", "")
    found = await backend.list_events(pb.ListEventsRequest(page_size=EVENTS, page_token=token))
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
    found = await backend.get_event(pb.GetEventRequest(name=name))
    event = found.event
    matches = pb.ListMatchesResponse()
    brackets: Sequence[list[Round]] = [[] for _ in found.tables]
    if found.tables:
        matches = await backend.list_matches(pb.ListMatchesRequest(event=name, page_size=RECENT))
        if event.format == "knockout":
            brackets = await asyncio.gather(*(bracket_of(backend, name, table.contest) for table in found.tables))
    infos = {info.name: info for info in event.contest_infos}
    parts = [
        Part(table, infos.get(table.contest), bracket, cross_rows(table))
        for table, bracket in zip(found.tables, brackets, strict=True)
    ]
    told = [first_words(table) for table in found.tables if first_words(table)]
    state = words.EVENT_STATES.get(event.state, "")
    title = event_title(backend, name)
    return Page(
        template="event.html.j2",
        title=f"{title}: {told[0]}" if len(told) == 1 else f"{title}, {state}",
        description=f"{title}, {event.format or 'event'}, {state}. {'; '.join(told)}".strip(),
        section="events",
        refresh_seconds=10 if event.state in (pb.EVENT_STATE_RUNNING, pb.EVENT_STATE_CHECK_IN) else 0,
        values={
            "event": event,
            "parts_of_event": parts,
            "matches": matches.matches,
            "state": state,
            "told": told,
            "title": title,
        },
        data={"event": found},
    )


@dataclass(frozen=True, slots=True)
class Part:
    """One contest of an event, as the template wants it."""

    table: pb.EventTable
    info: pb.ContestInfo | None
    bracket: list[Round]
    cross: list[tuple[str, list[pb.PairScore | None]]]


def event_title(backend: Backend, name: str) -> str:
    """What people call an event: of a folder's one event the address has only its plain letters."""
    return backend.title if plain_name(backend.title) == name else name


def first_words(table: pb.EventTable) -> str:
    """Who won, by the format's own order if it has one, or by the ratings."""
    if table.placing and table.placing[0].rank == 1:
        winners = [place.entry for place in table.placing if place.rank == 1]
        return f"first is {winners[0]}" if len(winners) == 1 else ""
    return table.first


def cross_rows(table: pb.EventTable) -> list[tuple[str, list[pb.PairScore | None]]]:
    """For each entry its scores against the others, in the order of the table."""
    entries = [row.entry for row in table.rows]
    scores = {(pair.first, pair.second): pair for pair in table.cross_table}
    if not scores or len(entries) < 3:
        return []
    return [(first, [scores.get((first, second)) for second in entries]) for first in entries]


async def bracket_of(backend: Backend, event: str, contest: str) -> list[Round]:
    """The bracket of a contest, from all its matches."""
    matches: list[pb.MatchInfo] = []
    token = ""
    for _ in range(BRACKET_PAGES):
        wanted = pb.ListMatchesRequest(event=event, contest=contest, page_size=500, page_token=token)
        found = await backend.list_matches(wanted)
        matches += found.matches
        token = found.next_page_token
        if not token:
            break
    return make_bracket(matches)


def routes() -> list[BaseRoute]:
    """The routes of these pages."""
    return [*page_routes("/events", event_list), *page_routes("/event/{name}", one_event)]
