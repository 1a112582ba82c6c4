"""Signing in on the pages, over a real door of an arena: what is let in, what is refused, and what never leaks."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from referee.match import clock
from server.arena.arena_state import Attendance
from server.arena.people.teams import Team, TokenKind
from server.web import sign_in as module
from server.web.app import make_arena_app
from server.web.arena_backend import ArenaBackend
from server.web.backend import PageNotFound
from server.web.middleware import WebSettings
from server.web.sign_in import Sessions
from support.arena import Arena
from support.web import HOSTILE, Answer, WebClient, read_tags
from tortuga.v1 import arena_pb2 as pb

FORM = re.compile(r'name="form" value="([0-9a-f]{64})"')


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with Arena(tmp_path) as opened:
        yield opened


class Browser:
    """Keeps a cookie and sends forms, as a browser does."""

    def __init__(
        self, app: Any, address: str = "127.0.0.1", host: str = "127.0.0.1:7080", scheme: str = "http"
    ) -> None:
        self.client = WebClient(app, address, host=host, scheme=scheme)
        self.origin = f"{scheme}://{host}"
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []
        self.form = ""
        self.more: dict[str, str] = {}

    def _keep(self, answer: Answer) -> Answer:
        if told := answer.headers.get("set-cookie"):
            self.set_cookies.append(told)
            name, _, value = told.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        if found := FORM.search(answer.text):
            self.form = found.group(1)
        return answer

    def _headers(self) -> dict[str, str]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {**({"cookie": cookie} if cookie else {}), **self.more}

    async def get(self, url: str = "/account") -> Answer:
        return self._keep(await self.client.get(url, headers=self._headers()))

    async def post(self, url: str, *, origin: str | None = None, method: str = "POST", **fields: Any) -> Answer:
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "origin": origin or self.origin,
            **self._headers(),
        }
        body = urlencode({"form": self.form, **fields}, doseq=True).encode()
        headers["content-length"] = str(len(body))
        return self._keep(await self.client.send(url, method, headers, body))

    async def sign_in(self, token: str) -> Answer:
        await self.get()
        return await self.post("/account/sign-in", token=token)


@asynccontextmanager
async def pages(arena: Arena, **settings: Any) -> AsyncIterator[Any]:
    app = make_arena_app(arena.path / "web.sock", WebSettings(**settings))
    async with app.router.lifespan_context(app):
        yield app


async def test_an_author_signs_in_enters_leaves_and_signs_out(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    arena.create_event("cup")
    async with pages(arena) as app:
        browser = Browser(app)
        page = await browser.get()
        assert (page.status, "The token of your bot" in page.text) == (200, True)
        answer = await browser.post("/account/sign-in", token=f" {token}\n")
        assert (answer.status, answer.headers["location"]) == (303, "/account?done=in")
        page = await browser.get("/account?done=in")
        assert "You are signed in." in page.text
        assert "Enter ann" in page.text
        assert page.headers["cache-control"] == "private, no-store"
        assert (await browser.post("/account/enter", event="cup")).headers["location"] == "/account?done=entered"
        assert list(arena.registry.event("cup").entries) == ["ann"]
        assert "Withdraw ann" in (await browser.get()).text
        await browser.post("/account/leave", event="cup")
        assert list(arena.registry.event("cup").entries) == []
        home = await browser.get("/")
        assert 'href="/account">ann</a>' in home.text
        assert "private" in home.headers["cache-control"]
        await browser.post("/account/sign-out")
        assert "You are signed out." in (await browser.get("/account?done=out")).text
        refused = await browser.post("/account/enter", event="cup")
        assert (refused.status, "You are not signed in" in refused.text) == (403, True)


async def test_a_challenge_leads_to_its_match(arena: Arena) -> None:
    token = arena.add_bots("ann", "bob")["ann"]
    arena.hall.present = {name: Attendance(pb.PRESENCE_CONNECTED, 0) for name in ("ann", "bob")}
    async with pages(arena) as app:
        browser = Browser(app)
        await browser.sign_in(token)
        page = await browser.get("/account?opponent=bob")
        assert 'value="bob" selected' in page.text
        answer = await browser.post("/account/challenge", ladder="pavillon_noir-2", opponent=["bob", "", ""])
        assert (answer.status, answer.headers["location"]) == (303, "/match/challenge-0")
        assert arena.hall.matches[0].challenger == "ann"


async def test_the_cookie_is_locked_away_and_secure_where_it_can_be(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    async with pages(arena, proxies=("10.0.0.9",)) as app:
        local = Browser(app)
        await local.sign_in(token)
        for told in local.set_cookies:
            assert told.startswith("tortuga=")
            assert {"HttpOnly", "Path=/", "SameSite=strict"} <= {part.strip() for part in told.split(";")}
            assert "Secure" not in told
            assert "Domain" not in told
        before, after = (told.partition(";")[0] for told in local.set_cookies)
        assert before != after, "signing in gives another name: the old one may be known to others"
        far = Browser(app, "10.0.0.9", "arena.test")
        far.more = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.5"}
        far.origin = "https://arena.test"
        assert (await far.sign_in(token)).status == 303
        for told in far.set_cookies:
            assert told.startswith("__Host-tortuga=")
            assert "Secure" in told
        thief = Browser(app, "10.0.0.9", "arena.test")
        thief.more = far.more
        thief.cookies = {"tortuga": far.cookies["__Host-tortuga"]}  # a neighbouring host can set such a cookie
        assert "The token of your bot" in (await thief.get()).text


@pytest.mark.parametrize(
    ("address", "host", "more"),
    [
        ("203.0.113.5", "arena.test", {}),
        ("203.0.113.5", "arena.test", {"x-forwarded-proto": "https"}),  # anybody can write that
        ("10.0.0.9", "arena.test", {"x-forwarded-proto": "http", "x-forwarded-for": "127.0.0.1"}),
        ("127.0.0.1", "evil.test", {}),  # a stranger's name that leads to this machine
    ],
)
async def test_no_token_is_taken_where_others_could_read_it(
    arena: Arena, address: str, host: str, more: dict[str, str]
) -> None:
    token = arena.add_bots("ann")["ann"]
    async with pages(arena, proxies=("10.0.0.9",)) as app:
        browser = Browser(app, address, host)
        browser.more = more
        page = await browser.get()
        assert "over HTTPS only" in page.text
        assert "<form" not in page.text
        assert not browser.set_cookies
        answer = await browser.post("/account/sign-in", token=token)
        assert answer.status == 403
        assert not browser.set_cookies


async def test_forged_forms_are_refused(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    arena.create_event("cup")
    async with pages(arena) as app:
        browser, other = Browser(app), Browser(app)
        await browser.sign_in(token)
        await browser.get()
        await other.get()
        for fields in ({"form": ""}, {"form": other.form}, {"form": "0" * 64}, {"form": "ü"}):
            answer = await browser.post("/account/enter", event="cup", **fields)
            assert (answer.status, "load the page again" in answer.text) == (403, True)
        answer = await browser.post("/account/enter", event="cup", origin="https://evil.test")
        assert (answer.status, "came from another site" in answer.text) == (403, True)
        stranger = Browser(app)  # without a cookie: what a form on another site sends
        stranger.form = browser.form
        assert (await stranger.post("/account/enter", event="cup")).status == 403
        assert list(arena.registry.event("cup").entries) == []


@pytest.mark.parametrize("path", ["sign-in", "sign-out", "enter", "leave", "challenge"])
async def test_nothing_changes_by_get(arena: Arena, path: str) -> None:
    token = arena.add_bots("ann", "bob")["ann"]
    arena.create_event("cup")
    async with pages(arena) as app:
        browser = Browser(app)
        await browser.sign_in(token)
        await browser.get()
        query = urlencode({"form": browser.form, "event": "cup", "token": token, "ladder": "pavillon_noir-2"})
        assert (await browser.get(f"/account/{path}?{query}")).status == 405
        assert list(arena.registry.event("cup").entries) == []
        assert "Enter ann" in (await browser.get()).text


async def test_after_five_wrong_tokens_a_minute_is_waited_but_a_right_one_is_let_in(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    async with pages(arena) as app:
        browser = Browser(app)
        wrong = ["tortuga-nonsense", "", "ü" * 10, "x" * 10_000, "a b"]
        for text in wrong:
            answer = await browser.sign_in(text)
            assert (answer.status, "has this token" in answer.text) == (403, True)
        answer = await browser.sign_in("another")
        assert (answer.status, "too many wrong tokens" in answer.text.lower()) == (429, True)
        neighbour = Browser(app, "127.0.0.2")
        assert (await neighbour.sign_in("wrong")).status == 403, "others have their own five"
        assert (await browser.sign_in(token)).status == 303


async def test_a_token_is_in_no_page_address_or_log(
    arena: Arena, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    token = arena.add_bots("ann")["ann"]
    arena.create_event("cup")
    async with pages(arena) as app:
        browser = Browser(app)
        answers = [await browser.sign_in(token[:-1]), await browser.sign_in(token)]
        for url in ("/account", "/", "/bot/ann", "/account.json"):
            answers.append(await browser.get(url))
        answers.append(await browser.post("/account/enter", event="no such event"))
        assert answers[-1].status == 404
        for answer in answers:
            assert token[:20] not in answer.text
            assert token[:20] not in str(answer.headers)
    printed = capfd.readouterr()
    assert token[:20] not in caplog.text + printed.out + printed.err
    assert token not in repr(Sessions()) + repr(module.AuthorSession(bot="ann", token=token, ends_at=0))


async def test_a_token_that_was_replaced_ends_the_session(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    arena.create_event("cup")
    async with pages(arena) as app:
        browser = Browser(app)
        await browser.sign_in(token)
        await browser.get()
        arena.admin.RotateToken(pb.RotateTokenRequest(name="ann"))
        answer = await browser.post("/account/enter", event="cup")
        assert (answer.status, "sign in with the new one" in answer.text) == (403, True)
        assert "The token of your bot" in (await browser.get()).text


async def test_strange_fields_are_explained_and_escaped(arena: Arena) -> None:
    token = arena.add_bots("ann")["ann"]
    async with pages(arena) as app:
        browser = Browser(app)
        await browser.sign_in(token)
        await browser.get()
        for path, fields in (
            ("enter", {"event": HOSTILE}),
            ("leave", {}),
            ("challenge", {"ladder": HOSTILE, "opponent": [HOSTILE] * 15}),
        ):
            arena.hall.failure = None
            answer = await browser.post(f"/account/{path}", **fields)
            assert answer.status in (303, 400, 404)
            if answer.status != 303:
                assert not read_tags(answer.text).inline
                assert "<img" not in answer.text
        answer = await browser.post("/account/enter", **{f"field{number}": "x" for number in range(100)})
        assert answer.status == 400
        page = await browser.get(f"/account?done={HOSTILE}&opponent={HOSTILE}")
        assert "<img" not in page.text


async def test_an_arena_that_is_away_is_said_to_be_and_comes_back(arena: Arena, tmp_path: Path) -> None:
    token = arena.add_bots("ann")["ann"]
    async with pages(arena) as app:
        browser = Browser(app)
        await browser.sign_in(token)
        arena.run(arena.web.stop(None))
        (tmp_path / "web.sock").unlink(missing_ok=True)
        answer = await browser.get("/ladders")
        assert answer.status == 503
        assert "The arena does not answer" in answer.text
        assert answer.headers["retry-after"]
        arena.run(arena.open_web())
        for _ in range(100):
            if (answer := await browser.get("/ladders")).status != 503:
                break
            await asyncio.sleep(0.05)
        assert answer.status == 200
        assert "Enter ann" not in (await browser.get()).text  # there is no event; but ann is signed in still
        assert "Sign out" in (await browser.get()).text


def test_sessions_end_in_time_and_their_number_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    sessions = Sessions()
    names = [sessions.begin("ann", f"token {number}") for number in range(module.MAX_SESSIONS_OF_BOT + 2)]
    assert [sessions.find(name) is not None for name in names] == [False, False] + [True] * module.MAX_SESSIONS_OF_BOT
    now[0] += module.SESSION_SECONDS
    assert all(sessions.find(name) is None for name in names)
    assert len(sessions) == 0
    for number in range(module.MAX_SESSIONS + 10):
        sessions.begin(f"bot {number}", "token")
    assert len(sessions) == module.MAX_SESSIONS


async def test_after_a_change_all_is_new(tmp_path: Path) -> None:
    with Arena(tmp_path, fresh_seconds=3600.0) as arena:
        backend = ArenaBackend(f"unix:{arena.path}/web.sock")
        await backend.start()
        assert not (await backend.ask(pb.ListBotsRequest())).bots
        arena.registry.add("zoe", "", b"")
        assert not (await backend.ask(pb.ListBotsRequest())).bots, "an answer is kept"
        token = arena.add_bots("ann")["ann"]
        assert len((await backend.ask(pb.ListBotsRequest())).bots) == 2, "the organiser changed something"
        arena.create_event("cup")
        assert not (await backend.ask(pb.ListEventsRequest())).events[0].entries
        await backend.ask(pb.EnterEventRequest(name="cup"), token)
        assert [one.bot for one in (await backend.ask(pb.ListEventsRequest())).events[0].entries] == ["ann"]
        with pytest.raises(PageNotFound):
            await backend.ask(pb.GetBotRequest(name="nobody"))
        await backend.close()


async def test_a_team_chooses_which_of_its_bots_to_enter(arena: Arena) -> None:
    arena.teams.put([Team(name="crew")])
    token = arena.new_token(TokenKind.AUTHOR, "crew")
    arena.add_bots("theirs")
    arena.create_event("cup")
    async with pages(arena) as app:
        browser = Browser(app)
        assert (await browser.sign_in(token)).status == 303
        assert "Your team has no bot yet" in (await browser.get()).text
        for name in ("one", "two"):
            arena.registry.add(name, "crew", b"")
        assert (await browser.sign_in(token)).status == 303
        page = await browser.get()
        assert ("Enter one" in page.text, "Choose two" in page.text, "2 of 5 bots" in page.text) == (True, True, True)
        assert token not in page.text
        refused = await browser.post("/account/choose", bot="theirs")
        assert (refused.status, "Your team has no bot" in refused.text) == (400, True)
        assert (await browser.post("/account/choose", bot="two")).status == 303
        assert "Enter two" in (await browser.get()).text
        assert (await browser.post("/account/enter", event="cup")).status == 303
        assert list(arena.registry.event("cup").entries) == ["two"]
        arena.teams.revoke("crew")
        gone = await browser.get()
        assert (gone.status, "no longer valid" in gone.text, "The token of your bot" in gone.text) == (403, True, True)


async def test_a_commentator_and_an_organiser_do_not_sign_in(arena: Arena) -> None:
    async with pages(arena) as app:
        for kind in (TokenKind.COMMENTATOR, TokenKind.ORGANISER):
            answer = await Browser(app).sign_in(arena.new_token(kind))
            assert (answer.status, "a bot or a team" in answer.text) == (400, True)
