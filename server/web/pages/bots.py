"""Bots: the list, one with its ratings over time, and two of them head to head."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from server.standings import cells
from server.standings.charts import Curve, CurvePoint, Interval, make_curve
from server.web import message_text as words
from server.web.backend import Backend, PageNotFound, Unavailable
from server.web.page import Page, Patience, is_there, name_in, page_routes, redirect
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

LISTED, RECENT = 200, 15
HISTORY_SECONDS = 2.0
"""How long a page waits for a history. It is computed all the same: the next reader finds it."""
SEARCHED = 500
"""Matches of the one that are looked through for the other."""


async def bot_list(request: Request) -> Page:
    """Show the bots known here."""
    backend: Backend = request.app.state.backend
    token = request.query_params.get("page", "")
    bots = await backend.ask(pb.ListBotsRequest(page_size=LISTED, page_token=token))
    return Page(
        template="bots.html.j2",
        title="Bots",
        description="Every bot that plays here, with its owner and its language.",
        section="bots",
        values={
            "bots": bots.bots,
            "has_state": any(words.bot_state(bot) for bot in bots.bots),
            "has_owner": any(bot.owner for bot in bots.bots),
            "more": address("bots", page=bots.next_page_token) if bots.next_page_token else "",
            "start": address("bots") if token else "",
        },
        data={"bots": bots.bots, "next_page_token": bots.next_page_token},
    )


async def one_bot(request: Request) -> Page | Response:
    """Show one bot on every ladder that it is on."""
    backend: Backend = request.app.state.backend
    name = name_in(request)
    ladders = (await backend.ask(pb.ListLaddersRequest(page_size=500))).ladders
    patience = Patience(request)
    on = await patience.get(ladders_of(backend, ladders, name)) or []
    try:
        bot = await backend.ask(pb.GetBotRequest(name=name))
    except PageNotFound:
        # Matches name entries: a later version of a bot has a name of its own.
        bots = {entry.row.bot for _, entry in on or await ladders_of(backend, ladders, name)} - {name}
        if not bots:
            raise
        return redirect(address("bot", bots.pop()))
    histories = await asyncio.gather(*(history_of(backend, ladder.name, name) for ladder, _ in on))
    recent = await backend.ask(pb.ListMatchesRequest(bot=name, page_size=RECENT))
    parts = [
        {
            "ladder": ladder,
            "entry": entry,
            "history": history,
            "curve": history_curve(history.points) if history else None,
        }
        for (ladder, entry), history in zip(on, histories, strict=True)
    ]
    standing = "; ".join(
        f"{words.contest_title(ladder.name)}: {cells.rating_in_words(entry.row)}" for ladder, entry in on[:3]
    )
    unplayed = "" if patience.is_late else " has not played yet"
    return Page(
        template="bot.html.j2",
        title=name,
        description=f"{name}: {standing}." if standing else f"{name}{unplayed}.",
        section="bots",
        refresh_seconds=patience.refresh_seconds(20),
        cache=patience.cache,
        values={"bot": bot, "parts_of_bot": parts, "recent": recent.matches, "is_late": patience.is_late},
        data={
            "bot": bot,
            "ladders": [
                {"ladder": part["ladder"], "entry": part["entry"], "history": part["history"]} for part in parts
            ],
            "recent": recent.matches,
        },
    )


async def ladders_of(
    backend: Backend, ladders: Sequence[pb.LadderInfo], name: str
) -> list[tuple[pb.LadderInfo, pb.EntryDetails]]:
    """Return the ladders that a bot is on, with its entry there."""
    entries = await asyncio.gather(*(entry_of(backend, ladder.name, name) for ladder in ladders))
    return [(ladder, entry) for ladder, entry in zip(ladders, entries, strict=True) if entry is not None]


async def entry_of(backend: Backend, contest: str, entry: str) -> pb.EntryDetails | None:
    """Find the latest version of a bot on a ladder, or the one entry of that name. None: it is not on it."""
    for latest in (True, False):
        try:
            return await backend.ask(pb.GetEntryRequest(contest=contest, entry=entry, latest=latest))
        except PageNotFound:
            continue
    return None


async def history_of(backend: Backend, contest: str, bot: str) -> pb.RatingHistory | None:
    """Ask how a rating came about. None: it takes a while to fit many tables, and the page does not wait for it."""
    history = asyncio.ensure_future(backend.ask(pb.GetRatingHistoryRequest(contest=contest, bot=bot)))
    try:
        return history.result() if await is_there(history, HISTORY_SECONDS) else None
    except Unavailable:
        return None


def history_curve(points: Sequence[pb.RatingPoint]) -> Curve | None:
    """Draw the rating over the matches, with its band and a mark where a new version came."""
    curve: list[CurvePoint] = []
    before, played = "", 0.0
    for point in points:
        if before and point.entry != before:
            played = curve[-1].x if curve else 0.0
        half = point.plus_minus if point.HasField("plus_minus") else 0.0
        version = f"{point.entry} {point.version}".strip()
        label = f"{version}, {words.count(point.matches, 'match')}: {point.rating:.0f}"
        curve.append(
            CurvePoint(
                x=float(played + point.matches),
                interval=Interval(low=point.rating - half, middle=point.rating, high=point.rating + half),
                words=f"{label} ±{half:.0f}" if half else label,
                is_new=point.entry != before,
            )
        )
        before = point.entry
    return make_curve(curve)


async def versus(request: Request) -> Page:
    """Show two bots head to head, on every ladder that both are on."""
    backend: Backend = request.app.state.backend
    first, second = name_in(request, "first"), name_in(request, "second")
    if first == second:
        raise PageNotFound(f"{first} cannot be compared with itself: choose another bot")
    ladders = (await backend.ask(pb.ListLaddersRequest(page_size=500))).ladders
    patience = Patience(request)
    pairs = await patience.get(pairs_of(backend, ladders, first, second))
    compared = pairs or []
    if not compared and not patience.is_late:
        raise PageNotFound(f"no ladder has both {first} and {second}")
    matches = await backend.ask(pb.ListMatchesRequest(bot=first, page_size=SEARCHED))
    names = {name for _, pair in compared for name in (second, pair.second_row.entry)}
    met = [match for match in matches.matches if any(seat.entry in names for seat in match.seats)][:RECENT]
    score = "in a moment" if patience.is_late else say_score(first, second, [pair.score for _, pair in compared])
    return Page(
        template="versus.html.j2",
        title=f"{first} against {second}: {score}",
        description=f"{first} against {second}: {score}; by seats, with how sure it is.",
        section="bots",
        refresh_seconds=patience.refresh_seconds(20),
        cache=patience.cache,
        values={
            "first": first,
            "second": second,
            "pairs": compared,
            "matches": met,
            "told": score,
            "is_late": patience.is_late,
        },
        data={"pairs": [{"ladder": ladder.name, "pair": pair} for ladder, pair in compared], "matches": met},
    )


async def pairs_of(
    backend: Backend, ladders: Sequence[pb.LadderInfo], first: str, second: str
) -> list[tuple[pb.LadderInfo, pb.Pair]]:
    """Return the ladders that both are on, with what happened there."""
    pairs = await asyncio.gather(*(pair_of(backend, ladder.name, first, second) for ladder in ladders))
    return [(ladder, pair) for ladder, pair in zip(ladders, pairs, strict=True) if pair is not None]


async def pair_of(backend: Backend, contest: str, first: str, second: str) -> pb.Pair | None:
    """Compare the latest versions of two bots on a ladder, or the entries of these names. None: not both are on it."""
    for latest in (True, False):
        try:
            return await backend.ask(pb.GetPairRequest(contest=contest, first=first, second=second, latest=latest))
        except PageNotFound:
            continue
    return None


def say_score(first: str, second: str, scores: Sequence[pb.PairScore]) -> str:
    """Say who leads, over all ladders."""
    matches = sum(score.matches for score in scores)
    if not matches:
        return "they have not met"
    share = sum(score.score * score.matches for score in scores) / matches
    played = words.count(matches, "match")
    if share == 0.5:
        return f"level after {played}"
    return f"{first if share > 0.5 else second} leads with {100 * max(share, 1 - share):.0f} % of {played}"


def routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    return [
        *page_routes("/bots", bot_list),
        *page_routes("/bot/{name}", one_bot),
        *page_routes("/versus/{first}/{second}", versus),
    ]
