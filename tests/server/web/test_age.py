"""How old a page may be: docs/web.md says so in one sentence, and this is where it is held."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message

from server.arena.api.answer_cache import ANSWER_SECONDS, AnswerCache
from server.arena.api.reading_api import ReadingCalls
from server.arena.reading.archive import Archive
from server.arena.reading.fits import GOOD_SECONDS
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry
from server.tournament.folder import Folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.store import Store
from server.web import page_cache
from server.web.backend import Backend, method_of
from server.web.folder_backend import FolderBackend
from support.arena import LADDER, FakeArena, block, fill
from support.command import ROOT
from support.web import WebClient, web_client

BLOCKS = [block(number, ["ann", "bob"]) for number in range(3)]
MORE = block(3, ["ann", "bob"])


class ArenaHere:
    """An arena without doors: its services and their answers."""

    title, is_arena = "arena", True

    def __init__(self, path: Path) -> None:
        registry = Registry.open(path / "arena.db").__enter__()
        archive = Archive(path, registry)
        self._reading = ReadingCalls(FakeArena(registry), registry, archive, StandingsMaker(archive))
        self._answers = AnswerCache()

    async def start(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def ask(self, request: Message, token: str = "") -> Any:
        """Answer as the doors do."""
        key = method_of(request), request.SerializeToString(deterministic=True)
        return await self._answers.get(key, lambda: getattr(self._reading, key[0])(request, None))

    async def record(self, match_id: str) -> bytes:
        """Return nothing."""
        return b""

    def live(self, match_id: str) -> None:
        """Return nothing."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """All work is done at once on the loop, so that only the clock of the test counts."""

    async def run(self: Any, work: Callable[..., Any], *words: Any) -> Any:
        return work(*words)

    monkeypatch.setattr(Archive, "run", run)
    monkeypatch.setattr(StandingsMaker, "_run", run)


async def read(client: WebClient, reader: str) -> tuple[int, float]:
    """The matches in the table of the ladder's page, and the live Elo of ann. Each reader has an address of its own."""
    ladder = (await client.get(f"/ladder/{LADDER}.json?reader={reader}")).json()["ladder"]
    [elo] = [row["live_elo"] for row in ladder["rows"] if row["entry"] == "ann"]
    return int(ladder["table_matches"]), elo


def play_more(folder: Folder) -> None:
    fold = LiveLadder(1.0)
    changes = [change for old in [*BLOCKS, MORE] for change in fold.feed(old[0].block, old)][-2:]
    with Store.open(folder.database) as store:
        store.add(MORE, changes)


@pytest.mark.virtual_time
@pytest.mark.parametrize("make", [ArenaHere, FolderBackend])
async def test_a_page_is_at_most_as_old_as_the_guide_says(
    make: Callable[[Path], Backend], here: None, tmp_path: Path
) -> None:
    (tmp_path / "arena.toml").write_text("")
    folder = Folder(tmp_path / "ladder")
    fill(folder, BLOCKS)
    loop = asyncio.get_running_loop()
    async with web_client(make(tmp_path), pages_burst=1e6) as client:
        began = loop.time()
        assert (await read(client, "first"))[0] == 6
        elo = (await read(client, "first"))[1]
        play_more(folder)

        async def read_at(seconds: float, reader: str) -> tuple[int, bool]:
            await asyncio.sleep(began + seconds - loop.time())
            matches, live = await read(client, reader)
            return matches, live != elo

        # Results: a page that was made of an answer that was nearly too old.
        assert await read_at(0.99, "second") == (6, False)
        assert await read_at(1.98, "second") == (6, False), "it is not made anew for every reader"
        assert await read_at(2.01, "second") == (6, True), "the live Elo is at most two seconds old"
        # Ratings: such an answer was made of a fit that was nearly too old.
        assert await read_at(9.99, "third") == (6, True)
        assert await read_at(10.98, "fourth") == (6, True)
        assert await read_at(11.97, "fourth") == (6, True), "a fit is not made anew for every answer"
        assert await read_at(12.01, "fourth") == (8, True), "ratings are at most twelve seconds old"


def test_the_guide_says_what_the_constants_say() -> None:
    text = " ".join((ROOT / "docs" / "web.md").read_text().split())
    said = re.search(r"A page is at most (\d+) seconds old, its ratings (\d+), .*? for up to (\d+) seconds", text)
    results = ANSWER_SECONDS + page_cache.KEPT_SECONDS
    assert said is not None
    assert [*map(float, said.groups())] == [results, results + GOOD_SECONDS, page_cache.MOST_KEPT_SECONDS]
