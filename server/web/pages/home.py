"""Home: what is on now, the ladders, the events to come; and "enter a bot"."""

from __future__ import annotations

import asyncio

from markupsafe import Markup
from starlette.requests import Request
from starlette.routing import BaseRoute

from referee.text import listed
from server.web import message_text as words
from server.web.backend import Backend
from server.web.page import Page, Patience, page_routes
from tortuga.v1 import arena_pb2 as pb

TOP = 5
SAMPLE = Markup(
    """import random

from tortuga_bot import Question, play


def choose(question: Question) -> int:
    return random.randrange(question.option_count)  # any legal option


if __name__ == "__main__":
    play(choose)
"""
)
RUNNING, RECENT, EVENTS = 12, 10, 6


async def home(request: Request) -> Page:
    """Show what is on now, ladders, events."""
    backend: Backend = request.app.state.backend
    ladders, events, running, recent = await asyncio.gather(
        backend.ask(pb.ListLaddersRequest(page_size=50)),
        backend.ask(pb.ListEventsRequest(page_size=EVENTS)),
        backend.ask(pb.ListMatchesRequest(page_size=RUNNING, state=pb.MATCH_STATE_RUNNING)),
        backend.ask(pb.ListMatchesRequest(page_size=RECENT, state=pb.MATCH_STATE_FINISHED)),
    )
    patience = Patience(request)
    tops = await asyncio.gather(
        *(patience.get(backend.ask(pb.GetLadderRequest(name=ladder.name, page_size=TOP))) for ladder in ladders.ladders)
    )
    live = [event for event in events.events if event.state == pb.EVENT_STATE_RUNNING]
    running_now = sum(ladder.running for ladder in ladders.ladders) or len(running.matches)
    games = listed({words.game_title(ladder.game): 0 for ladder in ladders.ladders}, "no game yet")
    return Page(
        template="home.html.j2",
        title=backend.title,
        description=f"Bots play {games}: ladders with their doubt, live matches and replays.",
        section="home",
        refresh_seconds=patience.refresh_seconds(10),
        cache=patience.cache,
        values={
            "tops": [*zip(ladders.ladders, tops, strict=True)],
            "events": events.events,
            "live_events": live,
            "running": running.matches,
            "running_now": running_now,
            "recent": recent.matches,
        },
        data={"ladders": tops, "events": events.events, "running": running.matches, "recent": recent.matches},
    )


async def enter(request: Request) -> Page:
    """Show how to enter a bot."""
    backend: Backend = request.app.state.backend
    arena = await backend.ask(pb.GetArenaRequest())
    dial = request.app.state.settings.bots_address or arena.bots_address
    return Page(
        template="enter.html.j2",
        title="Enter a bot",
        description="Ten lines of Python are a bot; kits for six languages.",
        section="enter",
        values={"arena": arena, "dial": dial, "sample": SAMPLE},
        data={"arena": arena, "bots_address": dial},
    )


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [*page_routes("/", home), *page_routes("/enter", enter)]
