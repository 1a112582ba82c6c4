"""Who is there, and who is taken: all of a table or nobody, and nobody twice."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from referee.door.remote_bots import AdmissionRefused
from referee.door.session import Session
from referee.door.tokens import hash_token
from server.arena.ladders import lobby as lobby_module
from server.arena.ladders.lobby import Lobby, Member, MissingBot
from server.arena.people.callers import Callers
from server.arena.people.teams import Team, Teams, TokenKind
from server.arena.registry import Registry
from server.tournament.manifest import make_contests
from support.dialling import until
from support.ladders import COVE, DUEL
from support.tables import Stream
from tortuga.v1 import referee_pb2 as pb

LONG = 3600.0


@asynccontextmanager
async def lobby_with(path: Path, **slots: int) -> AsyncIterator[Lobby]:
    """Remote bots with so many slots each."""
    with Registry.open(path / "arena.db") as registry:
        lobby = Lobby(registry, reconnect_seconds=10.0)
        for name, count in slots.items():
            add(lobby, name, count)
        yield lobby


def add(lobby: Lobby, name: str, slots: int = 1) -> Member:
    """One more."""
    stream: Any = Stream()
    member = Member(name=name, version="1", slots=slots, session=stream)
    lobby.add(member)
    return member


def leave(lobby: Lobby, name: str, present: bool) -> None:
    """Its stream breaks, or is back."""
    member = lobby.get(name)
    assert member is not None
    stream: Any = member.session
    stream.is_present = present
    lobby.presence_changed(name, stream)


def reserve(lobby: Lobby, *names: str, seconds: float = LONG) -> asyncio.Task[list[Member | None]]:
    return asyncio.create_task(lobby.reserve(names, seconds))


async def settle() -> None:
    """Let everybody have a turn who can."""
    for _ in range(20):
        await asyncio.sleep(0)


def busy(lobby: Lobby) -> dict[str, int]:
    return {member.name: member.busy for member in lobby.members}


async def test_a_table_takes_all_or_waits_and_holds_nobody_meanwhile(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1, bob=1, cid=1) as lobby:
        first = await lobby.reserve(["ann", "bob"], LONG)
        waiting = reserve(lobby, "bob", "cid")
        await settle()
        assert not waiting.done()
        assert busy(lobby) == {"ann": 1, "bob": 1, "cid": 0}, "cid is not held by a table that cannot begin"
        for member in first:
            assert member is not None
            lobby.release(member)
        assert [one and one.name for one in await waiting] == ["bob", "cid"]
        assert busy(lobby) == {"ann": 0, "bob": 1, "cid": 1}


async def test_tables_that_want_each_others_bots_do_not_wait_for_ever(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1, bob=1, cid=1) as lobby:
        most = dict.fromkeys(["ann", "bob", "cid"], 0)

        async def sit(*names: str) -> None:
            for member in await lobby.reserve(names, LONG):
                assert member is not None
                most[member.name] = max(most[member.name], member.busy)
                await asyncio.sleep(0)
                lobby.release(member)

        pairs = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("bob", "ann")] * 10
        async with asyncio.timeout(20):
            await asyncio.gather(*(sit(*pair) for pair in pairs))
        assert set(most.values()) == {1}
        assert set(busy(lobby).values()) == {0}


async def test_who_does_not_come_in_time_is_missing(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1) as lobby:
        found = await lobby.reserve(["ann", "bob"], 0.05)
        assert [one and one.name for one in found] == ["ann", None]
        assert busy(lobby) == {"ann": 1}
        sitter = MissingBot("bob", 10.0)
        assert sitter.identity().name == "bob"


async def test_who_comes_just_in_time_is_seated(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1) as lobby:
        waiting = reserve(lobby, "ann", "bob")
        await settle()
        assert busy(lobby) == {"ann": 0}
        bob = add(lobby, "bob")
        assert (await waiting)[1] is bob


async def test_a_busy_bot_is_waited_for_even_when_another_is_late(tmp_path: Path) -> None:
    """Whoever is there plays: that it is busy is not its fault."""
    async with lobby_with(tmp_path, ann=1) as lobby:
        [ann] = await lobby.reserve(["ann"], LONG)
        assert ann is not None
        waiting = reserve(lobby, "ann", "bob", seconds=0.0)
        await settle()
        assert not waiting.done()
        lobby.release(ann)
        assert await waiting == [ann, None]
        assert ann.busy == 1


async def test_a_bot_that_reconnects_is_not_free_until_it_is_back(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1, bob=1) as lobby:
        leave(lobby, "bob", present=False)
        waiting = reserve(lobby, "ann", "bob")
        await settle()
        assert busy(lobby) == {"ann": 0, "bob": 0}
        leave(lobby, "bob", present=True)
        assert None not in await waiting


async def test_everything_that_matters_stirs_the_hall(tmp_path: Path) -> None:
    async with lobby_with(tmp_path, ann=1) as lobby:
        stirs: list[str] = []
        lobby.wake = lambda: stirs.append("")
        member = add(lobby, "bob")
        leave(lobby, "bob", present=False)
        [ann] = await lobby.reserve(["ann"], LONG)
        assert ann is not None
        lobby.release(ann)
        lobby.remove(member.name)
        assert len(stirs) == 4


async def test_only_the_session_that_is_there_can_leave(tmp_path: Path) -> None:
    """A bot that dialled anew is not taken away by the end of its old stream."""
    async with lobby_with(tmp_path) as lobby:
        lobby._registry.add("ann", "", b"hash")
        old, new = add(lobby, "ann"), add(lobby, "ann")
        assert old.session is not None
        assert new.session is not None
        lobby.left("ann", old.session)
        assert lobby.get("ann") is new
        lobby.left("ann", new.session)
        assert lobby.get("ann") is None
        await until(lambda: lobby._registry.bot("ann").seen_millis > 0)


async def test_what_cannot_be_noted_is_logged_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with lobby_with(tmp_path, ann=1) as lobby:
        [ann] = lobby.members
        assert ann.session is not None

        def full(name: str) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        log = mock.Mock()
        monkeypatch.setattr(lobby_module, "log", log)
        monkeypatch.setattr(lobby._registry, "note_seen", full)
        lobby.left("ann", ann.session)
        await until(lambda: bool(log.error.mock_calls))
        assert log.error.mock_calls == [mock.call("registry_write_failed", reason="database or disk is full")]
        assert lobby.get("ann") is None


@pytest.mark.parametrize(
    ("games", "counts", "plays"),
    [((), (), "both"), (("pavillon_noir",), (), "duel"), ((), (4,), "cove"), (("pirates_cove",), (2,), "neither")],
)
def test_a_bot_plays_what_it_said(games: tuple[str, ...], counts: tuple[int, ...], plays: str) -> None:
    duel, cove = make_contests([DUEL, COVE], "ladders")
    member = Member(name="ann", version="1", games=games, seat_counts=counts)
    assert member.plays(duel) is (plays in ("both", "duel"))
    assert member.plays(cove) is (plays in ("both", "cove"))


def say_hello(lobby: Lobby, name: str, **fields: Any) -> str:
    """Why it is refused, if it is."""
    session = Session(name, "test", lobby)
    session.hello = pb.Hello(protocol=1, **fields)
    return lobby.arrived(name, session)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"games": ["pavillon_noir", "chess"]}, "'chess' .*pavillon_noir, "),
        ({"games": ["\u202e" * 20_000]}, r"no game '\\u202e"),
        ({"seat_counts": [2, 6]}, "no game .* 6 seats"),
        ({"seat_counts": [0]}, "no game .* 0 seats"),
        ({"seat_counts": [2**32 - 1]}, "no game .* 4294967295 seats"),
    ],
)
async def test_a_hello_that_wishes_for_what_is_not_played_here_is_refused_in_few_words(
    fields: dict[str, Any], words: str, tmp_path: Path
) -> None:
    async with lobby_with(tmp_path) as lobby:
        refusal = say_hello(lobby, "ann", **fields)
        assert re.search(words, refusal)
        assert len(refusal) < 1000, "a status goes into headers, which have to be small"
        assert lobby.get("ann") is None


async def test_what_is_said_a_thousand_times_is_kept_once(tmp_path: Path) -> None:
    with Registry.open(tmp_path / "arena.db") as registry:
        registry.add("ann", "", b"a")
        lobby = Lobby(registry, reconnect_seconds=10.0)
        assert not say_hello(lobby, "ann", games=["marauders"] * 1000, seat_counts=[4, 2] * 1000)
        await until(lambda: registry.bot("ann").games == ("marauders",))
        assert registry.bot("ann").seat_counts == (4, 2)


async def test_notes_are_made_in_order_and_all_of_them_before_the_end(tmp_path: Path) -> None:
    with Registry.open(tmp_path / "arena.db") as registry:
        registry.add("ann", "", b"a")
        lobby = Lobby(registry, reconnect_seconds=10.0)
        for number in range(50):
            assert not say_hello(lobby, "ann", bot_version=str(number))
        lobby.close()
        assert registry.bot("ann").version == "49"


async def test_a_bot_changes_its_version_only_so_often_a_day(tmp_path: Path) -> None:
    with Registry.open(tmp_path / "arena.db") as registry:
        registry.add("ann", "", b"a")
        registry.add("bob", "", b"b")
        lobby = Lobby(registry, reconnect_seconds=10.0, versions_per_day=3)

        async def comes(name: str, version: str) -> str:
            refusal = say_hello(lobby, name, bot_version=version)
            if not refusal:
                await until(lambda: registry.bot(name).version == version)
            return refusal

        assert [await comes("ann", version) for version in ("1", "1", "2", "2", "3", "3")] == [""] * 6
        refusal = await comes("ann", "4")
        assert "version 3 times in a day" in refusal
        assert "as version '3' again" in refusal
        assert not await comes("ann", "3")
        assert not await comes("bob", "4")


# Teams


@pytest.fixture
def teams(tmp_path: Path) -> Iterator[tuple[Lobby, Teams, bytes]]:
    with Registry.open(tmp_path / "teams.db") as registry:
        teams = Teams(registry, bots_per_team=2)
        teams.put([Team(name="ann"), Team(name="bob")])
        lobby = Lobby(registry, reconnect_seconds=10.0, callers=Callers(registry, teams))
        yield lobby, teams, hash_token(teams.new_token(TokenKind.AUTHOR, team="ann")[0])
        lobby.close()


async def test_a_team_makes_bots_by_connecting_them_up_to_its_cap(teams: tuple[Lobby, Teams, bytes]) -> None:
    lobby, known, token = teams
    assert await lobby.find_of_team(token, "one") == "one"
    assert await lobby.find_of_team(token, "one") == "one"
    found = await asyncio.gather(
        lobby.find_of_team(token, "two"), lobby.find_of_team(token, "three"), return_exceptions=True
    )
    assert [one for one in found if one == "two" or one == "three"] == [found[0]], "two at once are not one too many"
    assert isinstance(found[1], AdmissionRefused)
    assert [bot.name for bot in known.bots("ann")] == ["one", "two"]
    assert lobby.came_with("ann") == ["one", "two"]
    assert await lobby.find_of_team(hash_token("guess"), "one") is None


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("", "FAILED_PRECONDITION"),
        ("a b", "FAILED_PRECONDITION"),
        ("../x", "FAILED_PRECONDITION"),
        ("x" * 65, "FAILED_PRECONDITION"),
        ("deleted-1", "FAILED_PRECONDITION"),
        ("theirs", "PERMISSION_DENIED"),
        ("THEIRS", "PERMISSION_DENIED"),
    ],
)
async def test_a_team_takes_no_name_that_is_anothers_or_no_name(
    name: str, status: str, teams: tuple[Lobby, Teams, bytes]
) -> None:
    lobby, known, token = teams
    other = hash_token(known.new_token(TokenKind.AUTHOR, team="bob")[0])
    assert await lobby.find_of_team(other, "theirs") == "theirs"
    with pytest.raises(AdmissionRefused) as refused:
        await lobby.find_of_team(token, name)
    assert refused.value.status == status
    assert not known.bots("ann")


async def test_a_token_without_a_bot_or_of_another_kind_is_refused_with_the_reason(
    teams: tuple[Lobby, Teams, bytes],
) -> None:
    lobby, known, token = teams
    with pytest.raises(AdmissionRefused, match="TORTUGA_TOKEN=TOKEN:NAME"):
        lobby.find(token)
    for kind in (TokenKind.COMMENTATOR, TokenKind.ORGANISER):
        other = hash_token(known.new_token(kind)[0])
        with pytest.raises(AdmissionRefused, match=f"of the kind {kind}"):
            lobby.find(other)
        assert await lobby.find_of_team(other, "one") is None
    known.revoke("ann")
    assert lobby.find(token) is None
    assert await lobby.find_of_team(token, "one") is None
