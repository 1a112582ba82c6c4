"""The list of matches, with filters and pages."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.routing import BaseRoute

from server.web import message_text as words
from server.web.backend import Backend, BadRequest
from server.web.page import Page, page_routes
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

MATCHES = 50
STATES = {"": pb.MATCH_STATE_UNSPECIFIED, "running": pb.MATCH_STATE_RUNNING, "finished": pb.MATCH_STATE_FINISHED}
FILTERS = ("bot", "contest", "event", "state")


async def match_list(request: Request) -> Page:
    """Matches, latest first."""
    backend: Backend = request.app.state.backend
    chosen = {name: request.query_params.get(name, "").strip()[:80] for name in FILTERS}
    token = request.query_params.get("page", "")
    challenges = request.query_params.get("challenges", "") == "1"
    season = request.query_params.get("season", "").strip()[:80]
    if chosen["state"] not in STATES:
        raise BadRequest("state can be running or finished, or is left out")
    wanted = pb.ListMatchesRequest(
        page_size=MATCHES,
        page_token=token,
        bot=chosen["bot"],
        contest=chosen["contest"],
        event=chosen["event"],
        state=STATES[chosen["state"]],
        challenges=challenges,
        season=season,
    )
    answer, ladders, events = await asyncio.gather(
        backend.ask(wanted),
        backend.ask(pb.ListLaddersRequest(page_size=500)),
        backend.ask(pb.ListEventsRequest(page_size=100)),
    )
    of_event = next((event.contests for event in events.events if event.name == chosen["event"]), None)
    asked = {**chosen, "challenges": "1" if challenges else "", "season": season}
    title = say_filters(chosen) + (f", season {season}" if season else "")
    return Page(
        template="matches.html.j2",
        title=title,
        description=f"{title}, latest first, each with its replay.",
        section="matches",
        refresh_seconds=0 if token else 10,
        values={
            "matches": answer.matches,
            "chosen": asked,
            "contests": of_event or [ladder.name for ladder in ladders.ladders],
            "events": [event.name for event in events.events],
            "more": address("matches", **asked, page=answer.next_page_token) if answer.next_page_token else "",
            "start": address("matches", **asked) if token else "",
        },
        data={"matches": answer.matches, "next_page_token": answer.next_page_token},
    )


def say_filters(chosen: dict[str, str]) -> str:
    """Say what is listed."""
    parts = [{"": "Matches", "running": "Running matches", "finished": "Finished matches"}[chosen["state"]]]
    parts += [f"of {chosen['bot']}"] if chosen["bot"] else []
    parts += [f"of {words.contest_title(chosen['contest'])}"] if chosen["contest"] else []
    parts += [f"in {chosen['event']}"] if chosen["event"] else []
    return " ".join(parts)


def routes() -> list[BaseRoute]:
    """Return the routes of this page."""
    return [*page_routes("/matches", match_list)]
