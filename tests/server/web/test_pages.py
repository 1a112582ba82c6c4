"""Every page over a backend full of hostile texts: escaped, without script or style inside, with the right headers."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from server.web.backend import PageNotFound, Unavailable
from server.web.templating import address
from support.web import HOSTILE, HostileBackend, read_tags, web_client
from tortuga.v1 import arena_pb2 as pb

NAME = quote(HOSTILE.replace("/", ""), safe="")
PAGES = (
    "/",
    "/ladders",
    "/ladder/broadsides-2",
    "/ladder/broadsides-2?season=s1",
    f"/ladder/{NAME}",
    "/bots",
    "/bot/plain",
    f"/bot/{NAME}",
    "/versus/plain/other",
    f"/versus/{NAME}/other",
    "/matches",
    f"/matches?bot={NAME}&event={NAME}&contest={NAME}",
    "/match/m1",
    "/match/m1?beside=other",
    "/match/live",
    "/embed/match/m1",
    "/events",
    "/event/cup",
    "/event/cup/overall",
    "/overall",
    "/games",
    "/games/broadsides",
    "/games/marauders",
    "/enter",
)
POLICY = "default-src 'none'; script-src 'self'; style-src 'self';"
PREVIEW = 'property="og:image" content="http://arena.test/match/m1/picture.svg"'
FORBIDDEN = {"img", "iframe", "object", "embed", "style", "base", "audio", "video"}


@pytest.mark.parametrize("is_arena", [True, False])
@pytest.mark.parametrize("path", PAGES)
async def test_every_text_is_escaped_and_nothing_is_inline(path: str, is_arena: bool) -> None:
    async with web_client(HostileBackend(is_arena=is_arena)) as client:
        answer = await client.get(path)
    assert answer.status == 200, answer.text
    assert "onerror=alert(1)>" not in answer.text
    assert "\u202e" not in answer.text  # nothing may turn a line around
    tags = read_tags(answer.text)
    assert not tags.inline
    assert not tags.names & FORBIDDEN
    assert all(script.startswith("/static/") for script in tags.scripts)
    assert all(link.startswith(("/", "#")) for link in tags.links)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("on_cluster", [True, False])
async def test_a_match_on_the_cluster_is_listed_and_not_called_live(on_cluster: bool) -> None:
    class Backend(HostileBackend):
        async def get_match(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
            found = await super().get_match(request)
            found.on_cluster = on_cluster
            return found

        async def list_matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
            found = await super().list_matches(request)
            found.matches[0].on_cluster = on_cluster
            return found

    async with web_client(Backend()) as client:
        one, embedded, many = [
            (await client.get(path)).text for path in ("/match/live", "/embed/match/live", "/matches")
        ]
    assert ("on another machine" in one) == on_cluster
    for page in (one, embedded):
        assert ("data-live" in page) == (not on_cluster)
    assert ('<span class="mark live">' in many) == (not on_cluster)
    assert "/match/live" in many


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_has_its_json_at_the_same_address(path: str) -> None:
    plain, _, query = path.partition("?")
    address = "/index.json" if plain == "/" else f"{plain}.json"
    async with web_client(HostileBackend()) as client:
        answer = await client.get(f"{address}?{query}" if query else address)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json(), dict)


@pytest.mark.parametrize("path", [*PAGES, "/nothing", "/healthz", "/static/tortuga.css", "/bot/nobody"])
async def test_every_answer_has_the_security_headers(path: str) -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get(path)
    embedded = path.startswith("/embed/")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith(POLICY)
    assert policy.endswith("frame-ancestors *" if embedded else "frame-ancestors 'none'")
    assert ("x-frame-options" not in answer.headers) == embedded
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"


async def test_titles_say_the_result_first_and_previews_repeat_it() -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get("/match/m1")
    title = answer.text.partition("<title>")[2].partition("</title>")[0]
    assert title.startswith("&lt;/script&gt;")
    assert " beats " in title
    assert 'property="og:title"' in answer.text
    assert PREVIEW in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/bot/nobody", 404),
        ("/match/nothing", 404),
        ("/match/live/record.tortuga", 404),
        ("/games/nothing", 404),
        ("/games/..%2f..%2fREADME", 404),
        ("/static/app.py", 404),
        ("/static/../app.py", 404),
        ("/versus/plain/plain", 404),
        ("/matches?state=nonsense", 400),
        ("/match/m1/document", 404),
    ],
)
async def test_what_is_not_there_is_said_with_its_status(path: str, status: int) -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get(path)
    assert answer.status == status
    assert "onerror=alert(1)>" not in answer.text


async def test_a_page_does_not_name_commands_of_the_terminal() -> None:
    class Away(HostileBackend):
        async def get_bot(self, request: pb.GetBotRequest) -> pb.Bot:
            raise PageNotFound("there is no bot 'zoe'; `tortuga client bots` lists them")

        async def list_ladders(self, request: pb.ListLaddersRequest) -> pb.ListLaddersResponse:
            return pb.ListLaddersResponse()

    async with web_client(Away()) as client:
        answer = await client.get("/bot/zoe")
    assert answer.status == 404
    assert re.search(r"There is .*&#39;zoe&#39;\.", answer.text)
    assert "tortuga client" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
async def test_unknown_methods_are_refused(method: str) -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get("/ladders", method)
    assert answer.status == 405


async def test_head_is_answered_as_get_is() -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get("/ladders", "HEAD")
    assert answer.status == 200


@pytest.mark.parametrize("path", ["/", "/ladder/broadsides-2", "/match/m1", "/event/cup", "/bot/plain"])
async def test_an_arena_that_is_away_is_said_and_the_page_comes_back(path: str) -> None:
    backend = HostileBackend()
    backend.away = Unavailable("the arena does not answer")
    async with web_client(backend) as client:
        answer = await client.get(path)
        health = await client.get("/healthz")
        programs = await client.get("/ladders.json")
    assert answer.status == 503
    assert answer.headers["refresh"] == "10"
    assert "The arena does not answer" in answer.text
    assert health.status == 200
    assert programs.json()["reason"].startswith("The arena does not answer")


async def test_a_bug_is_a_plain_page_with_all_headers() -> None:
    backend = HostileBackend()
    backend.away = RuntimeError("secret details")
    async with web_client(backend) as client:
        with pytest.raises(RuntimeError):  # Starlette raises it again for the log, after the answer
            await client.get("/")

    class Failing(HostileBackend):
        async def list_ladders(self, request: Any) -> Any:
            raise PageNotFound("nothing here")

    async with web_client(Failing()) as client:
        assert (await client.get("/ladders")).status == 404


async def test_a_bot_whose_name_ends_like_a_format_has_a_page() -> None:
    assert address("bot", "x.json") == "/bot/x.json.html"
    async with web_client(HostileBackend()) as client:
        assert "<h1>x.<wbr>json</h1>" in (await client.get("/bot/x.json.html")).text
        assert (await client.get("/bot/x.json")).json()["bot"]["name"] == "x"
