"""Tables that take long: a page is there at once and says so, and the next reader finds them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.web import page as page_module
from server.web.backend import Unavailable
from support.web import HostileBackend, web_client

PAGES = ("/", "/ladder/broadsides-2", "/event/cup", "/event/cup/overall", "/bot/plain", "/versus/plain/other")
WORDS = "The table is being computed"


class SlowBackend(HostileBackend):
    """Its tables are there when it is told so."""

    def __init__(self) -> None:
        super().__init__()
        self.fitted = asyncio.Event()

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in ("get_ladder", "get_event", "get_overall", "get_entry", "get_pair"):
            return found

        async def wait(request: Any) -> Any:
            await self.fitted.wait()
            return await found(request)

        return wait


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_does_not_wait_for_its_tables_and_has_them_afterwards(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "PATIENCE_SECONDS", 0.01)
    backend = SlowBackend()
    async with web_client(backend) as client:
        early = await client.get(path)
        assert (early.status, early.headers["cache-control"]) == (200, "no-store")
        assert WORDS in early.text
        assert f'data-refresh="{page_module.AGAIN_SECONDS}"' in early.text
        assert "<noscript><meta " in early.text
        assert 'http-equiv="refresh"' in early.text
        program = asyncio.create_task(client.get("/index.json" if path == "/" else f"{path}.json"))
        await asyncio.sleep(0.05)
        assert not program.done(), "a program wants the whole answer"
        backend.fitted.set()
        monkeypatch.setattr(page_module, "PATIENCE_SECONDS", 60.0)
        later = await client.get(path)
        assert WORDS not in later.text, "a page without its tables is not kept"
        assert later.headers["cache-control"] == "no-cache"
        assert (await program).status == 200


async def test_a_table_that_fails_later_disturbs_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(page_module, "PATIENCE_SECONDS", 0.01)
    backend = SlowBackend()
    async with web_client(backend) as client:
        assert WORDS in (await client.get("/ladder/broadsides-2")).text
        backend.away = Unavailable("the arena is away")
        backend.fitted.set()
        await asyncio.sleep(0.05)
        assert (await client.get("/ladder/broadsides-2")).status == 503
    assert not caplog.records
