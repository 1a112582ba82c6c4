"""The account of an author: signing in with the token of a bot or a team, entering events, and challenges."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.door.tokens import TokenThrottle
from server.system.logs import get_logger
from server.web.backend import Backend, BackendError, BadRequest, Forbidden, Unavailable
from server.web.middleware import TooMany, client_address
from server.web.page import Page, to_html, to_json
from server.web.sign_in import (
    AuthorSession,
    Sessions,
    drop_visitor,
    may_sign_in,
    new_visitor,
    read_form,
    set_visitor,
    token_for,
    visitor_of,
)
from server.web.templating import address
from tortuga.v1 import arena_pb2 as pb

MAX_TOKEN = 200
MAX_BOTS = 500
"""Bots that can be picked as opponents."""
NEED_HTTPS = (
    "a token may be pasted over HTTPS only, or in a browser on the arena's own machine: on the way here, others could "
    "read it. `tortuga client` does the same from a terminal"
)
WRONG_TOKEN = (
    "no bot or team here has this token. Copy all of it, as the organiser gave it to you, or ask for a new one"
)
OLD_TOKEN = "the token you signed in with is no longer valid: sign in with the new one"
SIGNED_OUT = "you are not signed in, or not any more: sign in and try again"
NOTES = {
    "in": "You are signed in.",
    "out": "You are signed out.",
    "entered": "The bot is entered.",
    "left": "The bot is withdrawn.",
}
"""What happened, by the word in the address."""

Action = Callable[[AuthorSession, dict[str, list[str]]], Awaitable[str]]

log = get_logger()


class Account:
    """The pages of a signed-in author."""

    def __init__(self, backend: Backend, sessions: Sessions) -> None:
        self._backend, self._sessions = backend, sessions
        self._throttle = TokenThrottle()

    def routes(self) -> list[BaseRoute]:
        """Return the routes of these pages. Only POST changes anything."""
        actions: dict[str, Action] = {"enter": self._enter, "leave": self._leave, "challenge": self._challenge}
        return [
            Route("/account", self.show, methods=["GET"]),
            Route("/account.json", self.show_json, methods=["GET"]),
            Route("/account/sign-in", self.sign_in, methods=["POST"]),
            Route("/account/sign-out", self.sign_out, methods=["POST"]),
            Route("/account/choose", self.choose, methods=["POST"]),
            *(Route(f"/account/{name}", self._endpoint(action), methods=["POST"]) for name, action in actions.items()),
        ]

    async def show(self, request: Request, failure: BackendError | None = None) -> Response:
        """Show the page; with a failure, why the last form did nothing."""
        visitor = visitor_of(request)
        session = self._sessions.find(visitor)
        fresh = not visitor
        visitor = visitor or new_visitor()
        try:
            values = await self._values(session) if session else {}
        except Forbidden:  # the organiser has revoked the team's token since
            self._sessions.end(visitor)
            session, values, failure = None, {}, Forbidden(OLD_TOKEN)
        page = Page(
            template="account.html.j2",
            title=session.who if session else "Sign in",
            description="For the authors of bots: enter events, and challenge others.",
            section="account",
            values={
                "bot": None,
                "team": "",
                "bots": [],
                **values,
                "form": self._sessions.form_token(visitor),
                "failure": _sentence(failure) if failure else "",
                "note": NOTES.get(request.query_params.get("done", ""), "") if failure is None else "",
                "opponent": request.query_params.get("opponent", ""),
                "secure": may_sign_in(request),
                "need_https": _sentence(NEED_HTTPS),
            },
            cache="private, no-store",
            status=_status(failure),
        )
        response = to_html(request, page)
        if fresh and may_sign_in(request):
            set_visitor(request, response, visitor)
        return response

    async def show_json(self, request: Request) -> Response:
        """Show who is signed in, for programs."""
        session = self._sessions.find(visitor_of(request))
        bot = await self._backend.ask(pb.GetBotRequest(name=session.bot)) if session and session.bot else None
        data = {"bot": bot, **({"team": session.team} if session and session.team else {})}
        page = Page(template="", title="", description="", data=data, cache="private, no-store")
        return to_json(page)

    async def _values(self, session: AuthorSession) -> dict[str, object]:
        """Collect what a signed-in author sees: the team's bots, the chosen one, events and who can be challenged."""
        mine: dict[str, object] = {}
        if session.team:
            account = await self._backend.ask(pb.GetAccountRequest(), session.token.partition(":")[0])
            mine = {"team": session.team, "bots": [row.name for row in account.bots], "bots_cap": account.bots_cap}
        if not session.bot:
            return mine
        bot, events, ladders, bots, arena = await asyncio.gather(
            self._backend.ask(pb.GetBotRequest(name=session.bot)),
            self._backend.ask(pb.ListEventsRequest(page_size=50)),
            self._backend.ask(pb.ListLaddersRequest(page_size=500)),
            self._backend.ask(pb.ListBotsRequest(page_size=MAX_BOTS, connected=True)),
            self._backend.ask(pb.GetArenaRequest()),
        )
        playable = [row for row in ladders.ladders if not bot.games or row.game in bot.games]
        return {
            **mine,
            "bot": bot,
            "events": [event for event in events.events if event.state == pb.EVENT_STATE_REGISTRATION],
            "ladders": playable,
            "opponents": [row.name for row in bots.bots if row.name != bot.name and not row.suspended],
            "most_opponents": max((row.seats for row in playable), default=2) - 1,
            "challenges_per_day": arena.challenges_per_day,
        }

    async def sign_in(self, request: Request) -> Response:
        """Take the token of a bot or a team."""
        try:
            if not may_sign_in(request):
                raise Forbidden(NEED_HTTPS)
            fields = await read_form(request, self._sessions)
            bot, token, team = await self._identify(request, fields.get("token", [""])[0].strip())
        except BackendError as error:
            return await self.show(request, error)
        self._sessions.end(visitor_of(request))
        name = self._sessions.begin(bot, token, team)  # a new name: the old one may have been seen by others
        log.info("signed_in", bot=bot, team=team)
        response = RedirectResponse("/account?done=in", 303)
        set_visitor(request, response, name)
        return response

    async def _identify(self, request: Request, token: str) -> tuple[str, str, str]:
        """Return the bot to begin with, the token for it, and the team."""
        if 0 < len(token) <= MAX_TOKEN and token.isascii() and token.isprintable() and " " not in token:
            try:
                account = await self._backend.ask(pb.GetAccountRequest(), token)
                bot = account.bots[0].name if account.bots else ""
                return bot, token_for(token, bot) if account.team else token, account.team
            except Forbidden:
                pass
        client = client_address(request.scope, request.app.state.settings.proxies)
        peer = f"ipv6:[{client}]:0" if ":" in client else f"ipv4:{client}:0"
        if seconds := self._throttle.count_failure(peer):
            raise TooMany(f"too many wrong tokens came from your address: wait {math.ceil(seconds)} s")
        raise Forbidden(WRONG_TOKEN)

    async def choose(self, request: Request) -> Response:
        """Choose another bot of the team."""
        visitor = visitor_of(request)
        try:
            fields = await read_form(request, self._sessions)
            session = self._sessions.find(visitor)
            if session is None:
                raise Forbidden(SIGNED_OUT)
            bot = fields.get("bot", [""])[0]
            account = await self._backend.ask(pb.GetAccountRequest(), session.token.partition(":")[0])
            if not session.team or bot not in [row.name for row in account.bots]:
                raise BadRequest(f"your team has no bot {bot[:64]!a}")
        except BackendError as error:
            return await self.show(request, error)
        self._sessions.choose(visitor, bot)
        return RedirectResponse("/account", 303)

    async def sign_out(self, request: Request) -> Response:
        """Forget the token."""
        try:
            await read_form(request, self._sessions)
        except BackendError as error:
            return await self.show(request, error)
        self._sessions.end(visitor_of(request))
        response = RedirectResponse("/account?done=out", 303)
        drop_visitor(request, response)
        return response

    def _endpoint(self, action: Action) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                fields = await read_form(request, self._sessions)
                session = self._sessions.find(visitor_of(request))
                if session is None:
                    raise Forbidden(SIGNED_OUT)
                try:
                    return RedirectResponse(await action(session, fields), 303)
                except Forbidden:  # the organiser has made a new token since
                    self._sessions.end(visitor_of(request))
                    raise Forbidden(OLD_TOKEN) from None
            except BackendError as error:
                return await self.show(request, error)

        return endpoint

    async def _enter(self, session: AuthorSession, fields: dict[str, list[str]]) -> str:
        await self._backend.ask(pb.EnterEventRequest(name=fields.get("event", [""])[0]), session.token)
        log.info("entered", bot=session.bot, event_name=fields["event"][0])
        return "/account?done=entered"

    async def _leave(self, session: AuthorSession, fields: dict[str, list[str]]) -> str:
        await self._backend.ask(pb.LeaveEventRequest(name=fields.get("event", [""])[0]), session.token)
        return "/account?done=left"

    async def _challenge(self, session: AuthorSession, fields: dict[str, list[str]]) -> str:
        opponents = [name.strip() for name in fields.get("opponent", []) if name.strip()]
        request = pb.ChallengeRequest(ladder=fields.get("ladder", [""])[0], opponents=opponents)
        match = await self._backend.ask(request, session.token)
        log.info("challenged", bot=session.bot, match=match.match_id)
        return address("match", match.match_id)


def _status(failure: BackendError | None) -> int:
    match failure:
        case None:
            return 200
        case TooMany():
            return 429
        case Forbidden():
            return 403
        case Unavailable():
            return 503
        case BadRequest():
            return 400
    return 404


def _sentence(error: object) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
