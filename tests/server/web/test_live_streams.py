"""Live matches for many readers: one stream per match, the same bytes for all, and nobody waits for the slowest."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from referee.door.spectator import SpectatorFeed
from referee.match import clock
from referee.match.match import Match
from server.web import live_streams as module
from server.web.backend import PageNotFound, Unavailable
from server.web.live_streams import HEARTBEAT, LiveMatch, LiveMatches, join
from support.play import pick
from support.players import QuietHost, ScriptedPlayer
from support.spectators import collect, fetched, match_terms
from tortuga.v1 import arena_pb2 as pb

pytestmark = pytest.mark.virtual_time
END = object()


class FakeBackend:
    """Shows what a test puts into `sights`."""

    def __init__(self) -> None:
        self.sights: asyncio.Queue[Any] = asyncio.Queue()
        self.watching = 0
        self.opened = 0
        self.asked = 0

    def live(self, match_id: str) -> AsyncGenerator[pb.Sight, None] | None:
        return None if match_id == "folder" else self._show(match_id)

    async def ask(self, request: pb.GetMatchRequest) -> pb.MatchInfo:
        self.asked += 1
        if self.asked < 3:
            raise PageNotFound("not yet stored")
        return pb.MatchInfo(match_id=request.match_id, state=pb.MATCH_STATE_FINISHED)

    async def _show(self, match_id: str) -> AsyncGenerator[pb.Sight, None]:
        self.opened += 1
        if match_id == "gone":
            raise PageNotFound("no match 'gone' is being played")
        self.watching += 1
        try:
            while (sight := await self.sights.get()) is not END:
                if isinstance(sight, Exception):
                    raise sight
                yield sight
        finally:
            self.watching -= 1


async def real_sights() -> list[pb.Sight]:
    """All that spectators see of a short match."""
    import random

    terms, rng = match_terms("pavillon_noir"), random.Random(1)
    players = [ScriptedPlayer(lambda question: pick(rng, question.actions), name=name) for name in ("ann", "bob")]
    feed, sights = SpectatorFeed(terms, ["ann", "bob"]), list[pb.Sight]()
    viewer = asyncio.create_task(collect(feed, sights))
    await fetched()
    feed.end(await Match(terms, players, QuietHost(), feed).play())
    await viewer
    return sights


class Reader:
    """One browser."""

    def __init__(self, hub: LiveMatches, match_id: str = "m") -> None:
        self.chunks: list[bytes] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.over = False
        self._hub, self._match_id = hub, match_id
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        match = await self._hub.join(self._match_id)
        try:
            async for chunk in self._hub.read(match):
                self.chunks.append(chunk)
                await self.gate.wait()
            self.over = True
        finally:
            self._hub.leave(match)

    def events(self, kind: str) -> list[dict[str, Any]]:
        """What was told of a kind."""
        found = []
        for part in b"".join(self.chunks).decode().split("\n\n"):
            if part.startswith(f"event: {kind}\ndata: "):
                found.append(json.loads(part.partition("data: ")[2]))
        return found


async def settle(seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)
    for _ in range(20):
        await asyncio.sleep(0)


async def test_many_readers_share_one_stream_and_the_same_bytes() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    readers = [Reader(hub) for _ in range(50)]
    for sight in sights[:6]:
        backend.sights.put_nowait(sight)
        await settle(0.3)
    assert (backend.opened, backend.watching, hub.readers) == (1, 1, 50)
    first = readers[0]
    assert first.chunks[0].startswith(b"retry: 3000\n\nevent: start\n")
    assert first.events("start")[0]["seats"][0]["name"] == "ann"
    assert [frame["number"] for frame in first.events("frame")] == [2, 3, 4, 5, 6]
    assert all(frame["scene"]["shapes"] for frame in first.events("frame")), "every frame is whole"
    for other in readers[1:]:
        assert [*map(id, other.chunks[1:])] == [*map(id, first.chunks[1:])], "made once"
    late = Reader(hub)
    await settle()
    assert [frame["number"] for frame in late.events("frame")] == [6]
    backend.sights.put_nowait(sights[-1])
    await settle(1)
    assert all(reader.over for reader in [*readers, late])
    assert late.events("end")[0]["result"]
    assert (backend.watching, hub.readers) == (0, 0)
    after = Reader(hub)
    await settle()
    assert (after.over, backend.opened) == (True, 1), "who comes back is told the end"
    assert after.events("end") == late.events("end")


async def test_a_slow_reader_is_given_the_latest_and_holds_up_nobody() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    slow, quick = Reader(hub), Reader(hub)
    backend.sights.put_nowait(sights[0])
    await settle(0.2)
    slow.gate.clear()
    for sight in sights[1:10]:
        backend.sights.put_nowait(sight)
        await settle(0.3)
    slow.gate.set()
    await settle()
    assert len(quick.events("frame")) == 9
    assert [frame["number"] for frame in slow.events("frame")] == [2, 10] or [
        frame["number"] for frame in slow.events("frame")
    ] == [10]
    slow.task.cancel()
    quick.task.cancel()


async def test_scenes_that_come_too_fast_become_one_frame_with_all_their_lines() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    reader = Reader(hub)
    began = clock.now()
    for sight in sights:
        backend.sights.put_nowait(sight)
    await reader.task
    frames = reader.events("frame")
    assert len(frames) <= 2 + (clock.now() - began) / module.FRAME_SECONDS
    assert frames[-1]["number"] == sights[-2].number
    assert reader.events("end")
    told = [line for sight in sights[-5:-1] for line in sight.scene.lines]
    assert frames[-1]["lines"][-len(told) :] == told


async def test_the_more_read_the_fewer_frames_there_are() -> None:
    hub = LiveMatches(FakeBackend())
    assert hub.frame_seconds == module.FRAME_SECONDS
    readers = [Reader(hub) for _ in range(500)]
    await settle()
    assert hub.frame_seconds == 2.0
    for reader in readers:
        reader.task.cancel()
    await settle()


async def test_silence_is_broken_by_heartbeats() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    reader = Reader(hub)
    backend.sights.put_nowait(sights[0])
    await settle(3 * module.HEARTBEAT_SECONDS + 1)
    assert reader.chunks.count(HEARTBEAT) == 3
    reader.task.cancel()
    await settle()


async def test_a_match_without_readers_is_followed_no_longer() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    reader = Reader(hub)
    backend.sights.put_nowait(sights[0])
    await settle(0.2)
    reader.task.cancel()
    await settle(module.LINGER_SECONDS / 2)
    assert backend.watching == 1, "who reloads the page is back at once"
    again = Reader(hub)
    await settle(module.LINGER_SECONDS)
    assert (backend.watching, backend.opened) == (1, 1)
    again.task.cancel()
    await settle(module.LINGER_SECONDS + 1)
    assert backend.watching == 0


@pytest.mark.parametrize(
    ("match_id", "error", "words"),
    [("gone", PageNotFound, "is being played"), ("folder", PageNotFound, "watched here")],
)
async def test_what_cannot_be_watched_is_refused(match_id: str, error: type[Exception], words: str) -> None:
    hub = LiveMatches(FakeBackend())
    with pytest.raises(error, match=words):
        await hub.join(match_id)
    assert not hub._matches
    assert hub.readers == 0


async def test_an_arena_that_goes_away_ends_the_streams_and_is_asked_again() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    reader = Reader(hub)
    backend.sights.put_nowait(sights[0])
    await settle(0.2)
    backend.sights.put_nowait(Unavailable("the arena does not answer"))
    await settle(0.2)
    assert reader.over
    assert not reader.events("end"), "a browser comes back by itself"
    again = Reader(hub)
    backend.sights.put_nowait(sights[0])
    await settle(0.2)
    assert again.events("start")
    assert backend.opened == 2
    again.task.cancel()


async def test_a_silent_arena_is_not_waited_for_for_ever() -> None:
    hub = LiveMatches(FakeBackend())
    with pytest.raises(Unavailable, match="does not answer"):
        await hub.join("m")


async def test_all_streams_end_at_once_when_the_pages_end() -> None:
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    hub.stopping = asyncio.Event()
    readers = [Reader(hub) for _ in range(5)]
    backend.sights.put_nowait(sights[0])
    await settle(0.2)
    began = clock.now()
    hub.stopping.set()
    await settle()
    assert all(reader.over for reader in readers)
    assert backend.watching == 0
    assert clock.now() - began < 1, "in virtual time: nothing was waited for"


async def test_so_many_matches_are_watched_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MATCHES", 2)
    backend, sights = FakeBackend(), await real_sights()
    hub = LiveMatches(backend)
    one = Reader(hub, "one")
    backend.sights.put_nowait(sights[0])
    await settle(0.1)
    two = Reader(hub, "two")
    await settle(0.1)
    with pytest.raises(Unavailable, match="too many matches"):
        await hub.join("three")
    for reader in (one, two):
        reader.task.cancel()
    await settle()


async def test_a_sight_that_cannot_be_drawn_is_our_fault_and_harms_no_other_match() -> None:
    backend = FakeBackend()
    hub = LiveMatches(backend)
    backend.sights.put_nowait(pb.Sight(number=1, start={"game": "no such game"}))  # type: ignore[arg-type]
    backend.sights.put_nowait(pb.Sight(number=2, scene=pb.Scene(lines=["?"])))
    try:
        match: LiveMatch | None = await hub.join("m")
    except Unavailable:
        match = None
    await settle(1)
    assert match is None or match.is_over
    assert not hub._matches


def test_joined_sights_keep_so_many_lines() -> None:
    lines = [f"line {number}" for number in range(40)]
    one, other = (pb.Sight(number=number, scene=pb.Scene(lines=lines)) for number in (1, 2))
    joined = join(one, other)
    assert joined.number == 2
    assert len(joined.scene.lines) == module.MAX_LINES
    assert joined.scene.lines[-1] == "line 39"
    assert len(other.scene.lines) == 40, "sights are shared"
