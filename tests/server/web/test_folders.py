"""Pages of folders: an event, an event under way, a stopped arena, a pile of records."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.records.record import pack
from server.arena.api.answer_cache import AnswerCache
from server.arena.registry import Registry
from server.bots.spec import NAME
from server.tournament.folder import Folder
from server.web.folder_backend import FolderBackend
from support import events
from support.forging import play_record
from support.web import HOSTILE, Answer, WebClient, read_tags, web_client

EVENT = "test"
CONTEST = "pavillon_noir-2"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small event that is over."""
    folder = events.make_event(tmp_path_factory.mktemp("event"))
    events.run(folder)
    return folder


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A knockout of five bots."""
    folder = events.make_event(
        tmp_path_factory.mktemp("cup"), format="knockout", rounds=1, bots=["ann", "bob", "cid", "dan", "eve"]
    )
    events.run(folder)
    return folder


async def crawl(client: WebClient, start: str = "/", most: int = 60) -> dict[str, Answer]:
    """Every page that links lead to."""
    found: dict[str, Answer] = {}
    left = [start]
    while left and len(found) < most:
        path = left.pop(0)
        if path in found or path.startswith("#"):
            continue
        found[path] = await client.get(path)
        if found[path].headers.get("content-type", "").startswith("text/html"):
            left += read_tags(found[path].text).links
    return found


def files_below(path: Path) -> dict[str, bytes]:
    """Everything in a folder but what SQLite keeps beside a database that is read."""
    return {
        str(one.relative_to(path)): one.read_bytes()
        for one in sorted(path.rglob("*"))
        if one.is_file() and not one.name.endswith(("-wal", "-shm"))
    }


async def test_every_link_of_an_event_leads_somewhere_and_nothing_is_written(played: Folder) -> None:
    before = files_below(played.path)
    async with web_client(FolderBackend(played.path), pages_burst=10_000) as client:
        pages = await crawl(client)
    assert {path: page.status for path, page in pages.items() if page.status != 200} == {}
    assert {f"/event/{EVENT}", f"/ladder/{CONTEST}", "/bot/ann", "/games/pavillon_noir"} <= set(pages)
    assert files_below(played.path) == before


async def test_an_event_shows_its_table_its_cross_table_and_its_matches(played: Folder) -> None:
    async with web_client(FolderBackend(played.path)) as client:
        page = (await client.get(f"/event/{EVENT}")).text
        data = (await client.get(f"/event/{EVENT}.json")).json()["event"]
        matches = (await client.get("/matches.json")).json()["matches"]
    assert data["event"]["state"] == "EVENT_STATE_FINISHED"
    assert {row["entry"] for row in data["tables"][0]["rows"]} == {"ann", "bob", "cid"}
    assert 'class="cross"' in page
    assert 'class="interval"' in page
    assert len(matches) == 12
    assert all(match["event"] == EVENT for match in matches)


@pytest.mark.system
async def test_a_knockout_has_a_bracket(cup: Folder) -> None:
    async with web_client(FolderBackend(cup.path)) as client:
        page = (await client.get(f"/event/{EVENT}")).text
    assert 'class="bracket"' in page
    assert page.count('<section class="round">') == 3
    assert "Final</h3>" in page


async def test_a_match_has_its_document_its_record_and_the_other_rotation(played: Folder) -> None:
    async with web_client(FolderBackend(played.path)) as client:
        matches = (await client.get("/matches.json")).json()["matches"]
        match_id = matches[0]["match_id"]
        info = (await client.get(f"/match/{match_id}.json")).json()["match"]
        [other] = [one for one in info["block_matches"] if one != match_id]
        page = await client.get(f"/match/{match_id}?beside={other}")
        record = await client.get(f"/match/{match_id}/record.tortuga")
        again = await client.get(f"/match/{match_id}/record.tortuga", headers={"if-none-match": record.headers["etag"]})
        document, same = await asyncio.gather(
            client.get(f"/match/{match_id}/document"), client.get(f"/match/{match_id}/document")
        )
    assert f'data-document="/match/{match_id}/document?v=' in page.text
    assert f'data-beside="/match/{other}/document?v=' in page.text
    assert record.body == played.record(match_id).read_bytes()
    assert "immutable" in record.headers["cache-control"]
    assert (again.status, again.body) == (304, b"")
    assert json.loads(gzip.decompress(document.body))["match"] == match_id
    assert same.body == document.body


async def test_filters_and_pages_of_matches(played: Folder) -> None:
    async with web_client(FolderBackend(played.path)) as client:
        of_ann = (await client.get(f"/matches.json?bot=ann&contest={CONTEST}")).json()["matches"]
        nobody = await client.get("/matches.json?bot=nobody")
        nonsense = await client.get("/matches?page=nonsense")
    assert len(of_ann) == 8
    assert all("ann" in [seat["entry"] for seat in match["seats"]] for match in of_ann)
    assert nobody.status == 404
    assert nonsense.status == 400


async def test_an_event_that_has_not_begun_shows_its_plan(tmp_path: Path) -> None:
    folder = events.make_event(tmp_path / "new")
    async with web_client(FolderBackend(folder.path)) as client:
        home, event = await client.get("/"), await client.get(f"/event/{EVENT}")
    assert (home.status, event.status) == (200, 200)
    assert "announced" in event.text


async def test_new_matches_of_an_event_are_found(
    played: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.web.page_cache.MOST_KEPT_SECONDS", 0.0)
    folder = events.make_event(tmp_path / "running")
    backend = FolderBackend(folder.path)
    monkeypatch.setattr(backend, "_answers", AnswerCache(0.0))
    async with web_client(backend) as client:
        before = (await client.get(f"/event/{EVENT}.json")).json()["event"]["event"]
        for path in (played.agreement, played.database):
            shutil.copy(path, folder.path)
        shutil.copytree(played.records, folder.records)
        after = (await client.get(f"/event/{EVENT}.json")).json()["event"]["event"]
    assert "matches_done" not in before
    assert after["matches_done"] == "12"


async def test_a_pile_of_records_is_a_ladder(played: Folder, cup: Folder, tmp_path: Path) -> None:
    pile = tmp_path / "pile"
    (pile / "below").mkdir(parents=True)
    for number, path in enumerate(sorted(played.records.iterdir())[:6]):
        shutil.copy(path, pile / f"game{number}.tortuga")
    shutil.copy(next(cup.records.iterdir()), pile / "below" / "another.tortuga")
    shutil.copy(pile / "game0.tortuga", pile / "copy.tortuga")
    (pile / "broken.tortuga").write_bytes(b"nothing of the kind")
    before = files_below(pile)
    async with web_client(FolderBackend(pile), pages_burst=10_000) as client:
        matches = (await client.get("/matches.json")).json()["matches"]
        pages = await crawl(client, most=40)
        record = await client.get(f"/match/{matches[0]['match_id']}/record.tortuga")
    assert len(matches) == 7
    assert {path: page.status for path, page in pages.items() if page.status != 200} == {}
    assert record.body in before.values()
    assert files_below(pile) == before


@pytest.mark.system
async def test_records_of_strangers_are_shown_with_plain_names(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as thread:
        record = thread.submit(play_record, "broadsides", 2, seed="strange").result()
    record.match_id = "../../etc/passwd"
    for seat in record.seats:
        seat.bot_name = seat.bot_version = seat.language = HOSTILE
    (tmp_path / "strange.tortuga").write_bytes(pack(record))
    async with web_client(FolderBackend(tmp_path), pages_burst=10_000) as client:
        pages = await crawl(client, most=30)
        [match] = (await client.get("/matches.json")).json()["matches"]
        document = await client.get(f"/match/{match['match_id']}/document")
    assert {path: page.status for path, page in pages.items() if page.status != 200} == {}
    assert all("onerror=alert(1)>" not in page.text for page in pages.values() if b"<html" in page.body)
    assert NAME.fullmatch(match["match_id"])
    assert document.status == 200


@pytest.mark.system
async def test_a_stopped_arena_shows_its_ladders(played: Folder, tmp_path: Path) -> None:
    arena = tmp_path / "arena"
    shutil.copytree(played.path, arena / "ladder")
    (arena / "arena.toml").write_text("")
    with Registry.open(arena / "arena.db") as registry:
        registry.add("ann", "Ann's owner", b"1" * 32)
    async with web_client(FolderBackend(arena), pages_burst=10_000) as client:
        ladder = (await client.get(f"/ladder/{CONTEST}.json")).json()["ladder"]
        bot = await client.get("/bot/ann")
        matches = (await client.get("/matches.json")).json()["matches"]
    assert {row["entry"] for row in ladder["rows"]} == {"ann", "bob", "cid"}
    assert "Ann&#39;s owner" in bot.text
    assert len(matches) == 12


@pytest.mark.parametrize("what", ["empty", "missing", "file"])
def test_a_folder_with_nothing_to_show_is_refused(what: str, tmp_path: Path) -> None:
    path = tmp_path / "somewhere"
    if what == "empty":
        path.mkdir()
    elif what == "file":
        path.write_text("")
    with pytest.raises(ConfigError, match=str(path)):
        FolderBackend(path)
