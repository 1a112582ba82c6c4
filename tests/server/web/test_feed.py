"""The feed: valid Atom and JSON Feed, whatever the texts are; and pages that tell of seasons."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from xml.etree import ElementTree

from server.arena.ladders.seasons import FOLDER as SEASONS
from server.tournament.folder import Folder
from server.tournament.rulings.new_rulings import disqualify_bot
from server.web.folder_backend import FolderBackend
from support.arena import LADDER, block, fill
from support.web import HOSTILE, HostileBackend, web_client
from tortuga.v1 import arena_pb2 as pb

ATOM = "{http://www.w3.org/2005/Atom}"


async def test_the_feed_is_atom() -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get("/feed.xml")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.body)
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert feed.findtext(f"{ATOM}{name}")
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 3
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 3
    title = entries[0].findtext(f"{ATOM}title")
    assert title
    assert "onerror=alert(1)>" in title  # it is text there, and nothing turned it round
    assert "\u202e" not in answer.text
    links = [link.attrib["href"] for link in feed.iter(f"{ATOM}link")]
    assert all(link.startswith("http://arena.test/") for link in links)
    assert entries[1].find(f"{ATOM}category").attrib == {"term": "bot_suspended"}  # type: ignore[union-attr]


async def test_the_feed_is_json_feed() -> None:
    async with web_client(HostileBackend()) as client:
        answer = await client.get("/feed.json")
    found = answer.json()
    assert answer.headers["content-type"].startswith("application/feed+json")
    assert found["version"] == "https://jsonfeed.org/version/1.1"
    assert found["items"][2]["url"] == "http://arena.test/ladders"
    assert found["items"][1]["date_published"] == "1970-01-01T00:00:02Z"
    assert all({"id", "url", "title", "content_text"} <= set(item) for item in found["items"])


async def test_a_folder_has_no_feed() -> None:
    async with web_client(HostileBackend(is_arena=False)) as client:
        assert (await client.get("/feed.xml")).status == 404
        assert "/feed.xml" not in (await client.get("/")).text


async def test_pages_tell_of_seasons_and_why_nothing_is_played() -> None:
    async with web_client(HostileBackend()) as client:
        page = (await client.get("/ladder/broadsides-2")).text
        assert "frozen since" in page
        assert re.search(r"No match .*\b4 bots\b.*\b2\.", page)
        assert "/ladder/broadsides-2?season=s1" in page
        assert "/feed.xml" in page
        page = (await client.get("/ladders")).text
        assert "Archived seasons" in page


def test_the_folder_of_an_arena_shows_its_archived_seasons(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").write_text("")
    fill(Folder(tmp_path / "ladder"), [block(0, ["ann", "bob"])])
    fill(Folder(tmp_path / SEASONS / "s1"), [block(number, ["ann", "bob"]) for number in range(3)])

    async def look() -> tuple[pb.GetLadderResponse, pb.GetLadderResponse, int]:
        backend = FolderBackend(tmp_path)
        await backend.start()
        try:
            now = await backend.ask(pb.GetLadderRequest(name=LADDER))
            then = await backend.ask(pb.GetLadderRequest(name=LADDER, season="s1"))
            matches = await backend.ask(pb.ListMatchesRequest(season="s1"))
            return now, then, len(matches.matches)
        finally:
            await backend.close()

    now, then, matches = asyncio.run(look())
    assert now.table_matches == 2
    assert [season.name for season in now.seasons] == ["s1"]
    assert then.table_matches == matches == 6
    assert not now.quiet


async def test_a_ladder_shows_the_rulings_of_its_own_season(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").write_text("")
    fill(Folder(tmp_path / "ladder"), [block(0, ["ann", "bob"])])
    fill(Folder(tmp_path / SEASONS / "s1"), [block(number, ["ann", "bob"]) for number in range(3)])
    disqualify_bot(Folder(tmp_path / SEASONS / "s1"), "bob", by="judge", reason="<b>it cheated", from_start=True)
    async with web_client(FolderBackend(tmp_path)) as client:
        now = (await client.get(f"/ladder/{LADDER}")).text
        then = (await client.get(f"/ladder/{LADDER}?season=s1")).text
    ruled = re.compile(r"Ruling 1: bob .*disqualified.*\(judge, 20")
    assert [bool(ruled.search(page)) for page in (now, then)] == [False, True]
    assert "&lt;b&gt;it cheated" in then


def test_hostile_text_is_hostile() -> None:
    assert "\u202e" in HOSTILE
