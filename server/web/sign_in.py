"""Who is signed in: an author pastes the token of a bot or a team once, and a cookie stands for it until they sign out.

The token stays in this process's memory, beside the random name of the session; it is in no page, address, log or
storage of a browser. It is taken over HTTPS only, or from a browser on this machine.

**The cookie** is HttpOnly and SameSite=Strict. Over HTTPS it is also Secure and has the prefix `__Host-`, so that no
neighbouring host can set it. From a browser on this machine over plain HTTP it is not Secure: nobody is in between, and
some browsers would drop it.

**Forms** carry a token against forged requests: a keyed hash of the visitor's cookie. A visitor who is not signed in
has such a cookie, too, so that nobody can be signed in as somebody else's bot without noticing. Nothing changes by GET.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from dataclasses import dataclass, replace
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.door.tls import is_loopback
from referee.match import clock
from server.web.backend import BadRequest, Forbidden
from server.web.middleware import is_same_site, is_secure

SESSION_SECONDS = 12 * 3600.0
MAX_SESSIONS = 1000
MAX_SESSIONS_OF_BOT = 5
"""Older ones end: an author with more browsers than that signs in again."""
VISITOR_BYTES = 18
SECURE_COOKIE, LOCAL_COOKIE = "__Host-tortuga", "tortuga"
FORM = "application/x-www-form-urlencoded"
MAX_FIELDS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class AuthorSession:
    """An author who is signed in, for one bot at a time."""

    bot: str
    """The bot that forms are about. Empty: the team has none yet."""
    token: str
    """For that bot: of a team with several, it names the bot."""
    ends_at: float
    team: str = ""
    """Empty: it is the token of one bot."""

    def __repr__(self) -> str:  # the token is for nobody's eyes
        return f"AuthorSession(bot={self.bot!r}, team={self.team!r})"

    @property
    def who(self) -> str:
        """What the pages call whoever is signed in."""
        return self.bot or self.team


class Sessions:
    """All sessions, in memory: a restart of the pages ends them."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._sessions: OrderedDict[str, AuthorSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def begin(self, bot: str, token: str, team: str = "") -> str:
        """Begin a session; returns its name, the value of the cookie."""
        mine = [name for name, session in self._sessions.items() if (session.team or session.bot) == (team or bot)]
        for name in mine[: max(0, len(mine) + 1 - MAX_SESSIONS_OF_BOT)]:
            self.end(name)
        name = new_visitor()
        self._sessions[name] = AuthorSession(bot=bot, token=token, ends_at=clock.now() + SESSION_SECONDS, team=team)
        if len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return name

    def find(self, name: str) -> AuthorSession | None:
        """Find the session of this name, unless it is over."""
        session = self._sessions.get(name)
        if session is not None and clock.now() >= session.ends_at:
            self.end(name)
            return None
        return session

    def choose(self, name: str, bot: str) -> None:
        """From now on, the session is about this bot of its team."""
        session = self._sessions[name]
        self._sessions[name] = replace(session, bot=bot, token=token_for(session.token, bot))

    def end(self, name: str) -> None:
        """End a session."""
        self._sessions.pop(name, None)

    def form_token(self, visitor: str) -> str:
        """Make what the forms of a visitor carry."""
        return hmac.new(self._key, visitor.encode(), hashlib.sha256).hexdigest()

    def is_form_token(self, visitor: str, given: str) -> bool:
        """Check whether a form is of this visitor."""
        return hmac.compare_digest(self.form_token(visitor).encode(), given.encode())


def token_for(token: str, bot: str) -> str:
    """Return the token of a team, for one of its bots."""
    return f"{token.partition(':')[0]}:{bot}" if bot else token


def new_visitor() -> str:
    """Make the name of a visitor or a session, which nobody can guess."""
    return secrets.token_urlsafe(VISITOR_BYTES)


def may_sign_in(request: Request) -> bool:
    """Check whether a token may be pasted here: nobody in between can read it.

    On plain HTTP, the browser must also have dialled this machine by a name of its own: a stranger's page whose name
    leads here by a trick is not let in.
    """
    if not is_secure(request.scope, request.app.state.settings.proxies):
        return False
    return is_https(request) or is_loopback(_with_port(request.headers.get("host", "")))


def is_https(request: Request) -> bool:
    """Check whether the browser came over HTTPS, perhaps to a proxy of ours."""
    client, proxies = request.scope.get("client"), request.app.state.settings.proxies
    if client and str(client[0]) in proxies:
        return request.headers.get("x-forwarded-proto", "") == "https"
    return request.url.scheme == "https"


def _with_port(host: str) -> str:
    return host if host.rpartition(":")[2].isdecimal() else f"{host}:80"


def visitor_of(request: Request) -> str:
    """Return the visitor's cookie. Empty: none. Over HTTPS the other one does not count: neighbours can set it."""
    return request.cookies.get(SECURE_COOKIE if is_https(request) else LOCAL_COOKIE, "")


def set_visitor(request: Request, response: Response, visitor: str) -> None:
    """Give a visitor a cookie, for this browser session."""
    https = is_https(request)
    name = SECURE_COOKIE if https else LOCAL_COOKIE
    response.set_cookie(name, visitor, path="/", secure=https, httponly=True, samesite="strict")


def drop_visitor(request: Request, response: Response) -> None:
    """Take the cookie back."""
    https = is_https(request)
    name = SECURE_COOKIE if https else LOCAL_COOKIE
    response.delete_cookie(name, path="/", secure=https, httponly=True, samesite="strict")


async def read_form(request: Request, sessions: Sessions) -> dict[str, list[str]]:
    """Read the fields of a form of ours. Raises Forbidden for a form that somebody else made."""
    if not request.headers.get("content-type", "").startswith(FORM):
        raise BadRequest("only forms of these pages are read here")
    if not is_same_site(request):
        raise Forbidden("this form came from another site")
    try:
        text = (await request.body()).decode()
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise BadRequest("the form could not be read") from None
    visitor = visitor_of(request)
    if not visitor or not sessions.is_form_token(visitor, fields.get("form", [""])[0]):
        raise Forbidden("this form is too old, or your browser keeps no cookies: load the page again and send it again")
    return fields


class SignedInMiddleware:
    """Middleware: tells every page who is signed in, and keeps such pages out of shared caches."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app, self._sessions = app, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        has_cookie = scope["type"] == "http" and any(name == b"cookie" for name, _ in scope["headers"])
        session = self._sessions.find(visitor_of(Request(scope))) if has_cookie else None
        if session is None:
            await self._app(scope, receive, send)
            return
        scope.setdefault("state", {})["signed_in"] = session.who

        async def send_privately(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers["Cache-Control"] = "private, no-store"
            await send(message)

        await self._app(scope, receive, send_privately)
