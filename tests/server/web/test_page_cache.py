"""Pages kept for a second: one is made for many readers, and nobody is shown another's."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from server.web import page_cache
from server.web.backend import Unavailable
from server.web.page_cache import PageCache, PageCacheMiddleware


def request(path: str = "/ladders", *, host: str = "a", cookie: str = "") -> Request:
    headers = [(b"host", host.encode())] + ([(b"cookie", cookie.encode())] if cookie else [])
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers, "scheme": "http"}
    return Request({**scope, "server": (host, 80)})


class Maker:
    """Makes pages, and counts them."""

    def __init__(self, *, fails: bool = False, seconds: float = 0.05) -> None:
        self.made, self._fails, self._seconds = 0, fails, seconds

    async def __call__(self) -> Response:
        self.made += 1
        await asyncio.sleep(self._seconds)
        if self._fails:
            raise ValueError("the arena is away")
        return Response(f"page {self.made}", 200, {"Cache-Control": "max-age=2"}, "text/html; charset=utf-8")


@pytest.mark.virtual_time
async def test_a_crowd_costs_one_page_a_second() -> None:
    pages, make = PageCache(), Maker()
    found = await asyncio.gather(*(pages.answer(request(), make) for _ in range(50)))
    assert make.made == 1
    assert {one.body for one in found} == {b"page 1"}
    assert dict(found[0].headers) == dict(found[1].headers)
    assert found[0].headers["content-type"] == "text/html; charset=utf-8"
    await asyncio.sleep(1.0)
    assert (await pages.answer(request(), make)).body == b"page 2"


@pytest.mark.virtual_time
async def test_addresses_hosts_and_people_with_cookies_have_pages_of_their_own() -> None:
    pages, make = PageCache(), Maker()
    for one in (request(), request("/bots"), request(host="b"), request(cookie="s=1"), request(cookie="s=1")):
        await pages.answer(one, make)
    assert make.made == 5
    assert (await pages.answer(request(), make)).body == b"page 1", (
        "what was made for somebody with a cookie is not kept"
    )


@pytest.mark.virtual_time
async def test_an_error_is_told_to_all_who_wait_and_not_kept() -> None:
    pages, make = PageCache(), Maker(fails=True)
    found = await asyncio.gather(*(pages.answer(request(), make) for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in found] == [ValueError] * 3
    assert make.made == 1
    good = Maker()
    assert (await pages.answer(request(), good)).body == b"page 1"


@pytest.mark.virtual_time
async def test_a_reader_who_leaves_does_not_end_it_for_others() -> None:
    pages, make = PageCache(), Maker()
    first, second = (asyncio.create_task(pages.answer(request(), make)) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    assert (await second).body == b"page 1"


@pytest.mark.virtual_time
async def test_no_more_pages_are_kept_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MOST_PAGES", 2)
    pages, make = PageCache(), Maker()
    for number in (1, 2, 3, 3):
        await pages.answer(request(f"/{number}"), make)
    assert make.made == 4


@pytest.mark.virtual_time
async def test_pages_that_are_too_old_are_forgotten_though_nobody_asks_for_them_again() -> None:
    pages, make = PageCache(), Maker()
    for number in range(100):
        await pages.answer(request(f"/{number}"), make)  # each takes 0.05 s, and is kept for a second
    assert len(pages._pages) <= 2 / 0.05 + 1


@pytest.mark.virtual_time
async def test_the_kept_pages_take_no_more_bytes_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MOST_BYTES", 10)
    pages, make = PageCache(), Maker(seconds=0.001)
    for number in range(50):
        await pages.answer(request(f"/{number}"), make)
    kept = [one for number in range(50) if (one := pages.find(request(f"/{number}").scope)) is not None]
    assert sum(len(one.body) for one in kept) < 10 + len(kept[-1].body)
    await asyncio.sleep(2.0)
    await pages.answer(request("/later"), make)
    assert pages.find(request("/later").scope) is not None, "there is room again"


@pytest.mark.virtual_time
async def test_a_page_whose_readers_left_is_forgotten_too() -> None:
    pages, make = PageCache(), Maker()
    reader = asyncio.create_task(pages.answer(request("/left"), make))
    await asyncio.sleep(0.01)
    reader.cancel()
    await asyncio.sleep(2.0)
    await pages.answer(request(), make)
    assert [key[2] for key in pages._pages] == ["/ladders"]


@pytest.mark.virtual_time
@pytest.mark.parametrize(("making", "kept"), [(0.05, 1.0), (0.5, 5.0), (4.0, 15.0)])
async def test_a_page_that_takes_long_is_kept_for_longer(making: float, kept: float) -> None:
    pages, make = PageCache(), Maker(seconds=making)
    await pages.answer(request(), make)
    await asyncio.sleep(kept - 0.01)
    assert pages.find(request().scope) is not None
    await asyncio.sleep(0.02)
    assert pages.find(request().scope) is None


@pytest.mark.virtual_time
async def test_one_page_too_many_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MOST_MAKING", 2)
    pages, make = PageCache(), Maker()
    paths = ("/1", "/2", "/3", "/1")
    found = await asyncio.gather(*(pages.answer(request(path), make) for path in paths), return_exceptions=True)
    assert [type(one) for one in found] == [Response, Response, Unavailable, Response], "who waits for a page may wait"
    assert (await pages.answer(request("/3"), make)).body == b"page 3"


@pytest.mark.virtual_time
async def test_kept_pages_are_found_before_the_app_is_asked() -> None:
    pages, make, sent = PageCache(), Maker(), []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await (await pages.answer(Request(scope), make))(scope, receive, send)

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("nothing is read")

    for one in (request(), request(), request(cookie="s=1")):
        await PageCacheMiddleware(app, pages)(one.scope, receive, send)
    assert [message.get("body") for message in sent] == [None, b"page 1", None, b"page 1", None, b"page 2"]
