"""Pages kept for a second: one is made for many readers, and nobody is shown another's."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import Response

from server.web import fresh
from server.web.fresh import FreshPages


def request(path: str = "/ladders", *, host: str = "a", cookie: str = "") -> Request:
    headers = [(b"host", host.encode())] + ([(b"cookie", cookie.encode())] if cookie else [])
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers, "scheme": "http"}
    return Request({**scope, "server": (host, 80)})


class Maker:
    """Makes pages, and counts them."""

    def __init__(self, *, fails: bool = False) -> None:
        self.made, self._fails = 0, fails

    async def __call__(self) -> Response:
        self.made += 1
        await asyncio.sleep(0.1)
        if self._fails:
            raise ValueError("the arena is away")
        return Response(f"page {self.made}", 200, {"Cache-Control": "max-age=2"}, "text/html; charset=utf-8")


@pytest.mark.virtual_time
async def test_a_crowd_costs_one_page_a_second() -> None:
    pages, make = FreshPages(), Maker()
    found = await asyncio.gather(*(pages.answer(request(), make) for _ in range(50)))
    assert make.made == 1
    assert {one.body for one in found} == {b"page 1"}
    assert dict(found[0].headers) == dict(found[1].headers)
    assert found[0].headers["content-type"] == "text/html; charset=utf-8"
    await asyncio.sleep(1.0)
    assert (await pages.answer(request(), make)).body == b"page 2"


@pytest.mark.virtual_time
async def test_addresses_hosts_and_people_with_cookies_have_pages_of_their_own() -> None:
    pages, make = FreshPages(), Maker()
    for one in (request(), request("/bots"), request(host="b"), request(cookie="s=1"), request(cookie="s=1")):
        await pages.answer(one, make)
    assert make.made == 5
    assert (await pages.answer(request(), make)).body == b"page 1", (
        "what was made for somebody with a cookie is not kept"
    )


@pytest.mark.virtual_time
async def test_an_error_is_told_to_all_who_wait_and_not_kept() -> None:
    pages, make = FreshPages(), Maker(fails=True)
    found = await asyncio.gather(*(pages.answer(request(), make) for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in found] == [ValueError] * 3
    assert make.made == 1
    good = Maker()
    assert (await pages.answer(request(), good)).body == b"page 1"


@pytest.mark.virtual_time
async def test_a_reader_who_leaves_does_not_end_it_for_others() -> None:
    pages, make = FreshPages(), Maker()
    first, second = (asyncio.create_task(pages.answer(request(), make)) for _ in range(2))
    await asyncio.sleep(0.05)
    first.cancel()
    assert (await second).body == b"page 1"


@pytest.mark.virtual_time
async def test_no_more_pages_are_kept_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "MOST_PAGES", 2)
    pages, make = FreshPages(), Maker()
    for number in (1, 2, 3, 3):
        await pages.answer(request(f"/{number}"), make)
    assert make.made == 4
