"""The running arena: what the services are told of it, and what an organiser's word does to it. Nothing is played."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from referee.door.spectator import SpectatorFeed
from referee.door.tokens import hash_token
from referee.errors import ConfigError
from referee.match.clock import LagMeter
from server.arena.arena_state import Attendance
from server.arena.config import ArenaConfig
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound
from server.arena.ladders.tables import RunningMatch
from server.arena.operations.fsck import check_bundles
from server.arena.operations.running_arena import RunningArena, change_registry
from server.arena.registry_schema import EventState
from server.jail.level import JailLevel
from support.arena import MANIFEST
from support.ladders import COVE, DUEL, LADDER, make_config
from support.tables import House, ladder_terms, open_house
from tortuga.v1 import arena_pb2 as pb

HOSTED = "cmd: true"


def in_arena(
    scenario: Callable[[RunningArena, House], Awaitable[None]], path: Path, config: ArenaConfig | None = None
) -> None:
    """An arena where nothing happens by itself."""

    async def work() -> None:
        chosen = config or make_config()
        async with open_house(path, chosen, works=False) as house:
            parts = house.registry, house.hall, house.calendar, house.challenges
            await scenario(RunningArena(chosen, *parts, LagMeter(), JailLevel.JAIL), house)

    asyncio.run(work())


def begin(house: House, match_id: str, *, event: str = "") -> SpectatorFeed:
    """A match that is being played."""
    feed = SpectatorFeed(ladder_terms(make_config(), match_id), ["ann-2", "bob"])
    house.hall.running[match_id] = RunningMatch(
        match_id=match_id,
        contest=LADDER,
        event=event,
        entries=("ann-2", "bob"),
        versions=("2", "1"),
        started_millis=7,
        feed=feed,
    )
    return feed


# What is going on


def test_who_is_there(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        ann, bob = house.come("ann", "bob")
        stream: Any = bob.session
        stream.is_present = False
        ann.busy = 2
        await arena.host_bot(HOSTED, "own", "")
        await arena.add_bot("cid", "")
        assert arena.attendance("ann") == Attendance(pb.PRESENCE_CONNECTED, 2)
        assert arena.attendance("bob") == Attendance(pb.PRESENCE_RECONNECTING, 0)
        assert arena.attendance("own") == Attendance(pb.PRESENCE_CONNECTED, 0)
        assert arena.attendance("cid") == arena.attendance("nobody") == Attendance(pb.PRESENCE_ABSENT, 0)
        status = arena.status()
        assert (status.connected, status.reconnecting, status.hosted) == (1, 1, 1)

    in_arena(scenario, tmp_path)


def test_matches_of_events_run_but_not_on_a_ladder(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        begin(house, "m1")
        begin(house, "m2", event="cup")
        await arena.pause("pirates_cove-4")
        told = [(ladder.name, ladder.seats, ladder.running, ladder.paused) for ladder in arena.ladders()]
        assert told == [("pirates_cove-4", 4, 0, True), (LADDER, 2, 1, False)], "in the order of the configuration"
        assert [(match.match_id, match.event) for match in arena.running()] == [("m1", ""), ("m2", "cup")]
        assert [(seat.entry, seat.version) for seat in arena.running()[0].seats] == [("ann-2", "2"), ("bob", "1")]
        assert arena.status().running == 2
        assert arena.progress("cup") is None

    in_arena(scenario, tmp_path, make_config(COVE, DUEL))


def test_only_the_commentator_is_shown_everything_and_only_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        feed, asked = begin(house, "m1"), list[dict[str, Any]]()
        monkeypatch.setattr(feed, "watch", lambda **how: asked.append(how))
        arena.watch("m1", full=False)
        arena.watch("m1", full=True)
        assert asked == [
            {"full": False, "delay_seconds": 0.0, "pace_seconds": 0.0},
            {"full": True, "delay_seconds": 30.0, "pace_seconds": 0.0},
        ]
        with pytest.raises(NotFound, match="no match 'm2'"):
            arena.watch("m2", full=True)

    in_arena(scenario, tmp_path, make_config(commentator_delay_seconds=30.0))


# Bots


def test_a_token_is_told_once_and_another_ends_it(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        old = await arena.add_bot("ann", "Ann")
        assert house.registry.find(hash_token(old)) == "ann"
        with pytest.raises(AlreadyExists):
            await arena.add_bot("ANN", "")
        new = await arena.rotate("ann")
        assert (house.registry.find(hash_token(old)), house.registry.find(hash_token(new))) == (None, "ann")
        await arena.revoke("ann")
        assert house.registry.find(hash_token(new)) is None
        assert house.door.shown == [("ann", "this bot has a new token"), ("ann", "this bot was revoked")]

    in_arena(scenario, tmp_path)


def test_who_is_suspended_has_to_go_and_a_hosted_bot_is_back_when_that_is_lifted(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.host_bot(HOSTED, "own", "")
        house.come("ann")
        for name in ("own", "ann"):
            await arena.suspend(name, "too loud")
        assert [*house.lobby.members] == []
        (name, told), (other, same) = house.door.shown
        assert (name, other, told) == ("own", "ann", same)
        assert "suspended: too loud" in told
        await arena.host_bot(HOSTED, "own", "")
        assert house.lobby.get("own") is None, "a new version is suspended too"
        assert house.tables.banned == {"own": told}, "a remote bot has no process here"
        for name in ("own", "ann"):
            await arena.lift(name)
        assert house.tables.banned == {}
        assert [member.name for member in house.lobby.members] == ["own"], "the other has to dial in"
        await arena.revoke("own")
        await arena.lift("own")
        assert house.lobby.get("own") is None, "revoked is for ever"
        assert house.tables.banned == {"own": "this bot was revoked"}

    in_arena(scenario, tmp_path)


@pytest.mark.parametrize(
    ("spec", "words"),
    [("cmd: /no/such/program", "cannot be started"), ("remote: ann", "connects by itself"), ("nobody", "no bot")],
)
def test_a_bot_that_cannot_be_started_is_not_hosted(spec: str, words: str, tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        with pytest.raises(ConfigError, match=words):
            await arena.host_bot(spec, "", "")
        assert (house.registry.bots(), [*house.lobby.members]) == ([], [])

    in_arena(scenario, tmp_path)


def test_a_bot_that_fails_its_check_is_not_hosted_and_its_older_version_plays_on(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.host_bot("random", "own", "")
        [old] = house.lobby.members
        house.tables.unfit = "it cannot count"
        for name in ("own", "new"):
            with pytest.raises(ConfigError, match="it cannot count"):
                await arena.host_bot("random", name, "")
        assert [*house.lobby.members] == [old]
        assert [bot.name for bot in house.registry.bots()] == ["own"]
        house.tables.unfit = ""
        await arena.host_bot("random", "own", "")
        assert [*house.lobby.members] != [old]
        assert house.tables.retired == ["own", "own"]

    in_arena(scenario, tmp_path)


def test_a_name_that_cannot_be_hosted_is_refused_before_the_check(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.add_bot("ann", "")
        with pytest.raises(AlreadyExists, match="bot ann is a remote bot"):
            await arena.host_bot("random", "ann", "")
        await arena.host_bot("random", "own", "")
        await arena.revoke("own")
        with pytest.raises(FailedPrecondition, match="was revoked"):
            await arena.host_bot("random", "own", "")
        assert house.tables.checked == ["random"]

    in_arena(scenario, tmp_path)


def test_a_bot_of_a_running_event_keeps_its_version(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        for name in ("own", "other"):
            await arena.host_bot("random", name, "")
        await arena.create_event("cup", MANIFEST, 0, 0, 0)
        await arena.enter("cup", "own", late=True)
        await arena.host_bot("random", "own", "")
        house.registry.check_in("cup", ["own"])
        house.registry.set_state("cup", EventState.RUNNING)
        with pytest.raises(FailedPrecondition, match=r"\bown plays .*event cup"):
            await arena.host_bot("random", "own", "")
        await arena.host_bot("random", "other", "")
        house.registry.set_state("cup", EventState.FINISHED)
        await arena.host_bot("random", "own", "")

    in_arena(scenario, tmp_path)


def test_a_hosted_bot_has_its_own_name_unless_it_is_given_one(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        assert (await arena.host_bot("random", "", ""), await arena.host_bot("random", "dice", "")) == (
            "random",
            "dice",
        )
        [random, dice] = house.lobby.members
        assert (random.name, dice.name, dice.slots, dice.version) == ("random", "dice", 3, random.version)
        assert random.version

    in_arena(scenario, tmp_path, make_config(matches_per_bot=3))


# Ladders and events


def test_no_ladder_named_means_all_of_them(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.pause("")
        assert house.registry.paused() == {"pirates_cove-4", LADDER}
        await arena.resume(LADDER)
        assert house.registry.paused() == {"pirates_cove-4"}
        await arena.resume("")
        assert house.registry.paused() == frozenset()

    in_arena(scenario, tmp_path, make_config(COVE, DUEL))


def test_authors_enter_while_registration_is_open_and_the_organiser_until_the_start(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        house.come("ann", "bob")
        await arena.create_event("cup", MANIFEST, 0, 0, 0)
        for state in (EventState.ANNOUNCED, EventState.CHECK_IN):
            house.registry.set_state("cup", state)
            with pytest.raises(FailedPrecondition, match=f"cup is not open: it is {state}"):
                await arena.enter("cup", "ann", late=False)
            with pytest.raises(FailedPrecondition):
                await arena.leave("cup", "ann")
            await arena.enter("cup", "bob", late=True)
        house.registry.set_state("cup", EventState.REGISTRATION)
        await arena.enter("cup", "ann", late=False)
        await arena.leave("cup", "bob")
        assert [*house.registry.event("cup").entries] == ["ann"]
        house.registry.set_state("cup", EventState.RUNNING)
        with pytest.raises(FailedPrecondition, match="cup is running"):
            await arena.enter("cup", "bob", late=True)

    in_arena(scenario, tmp_path)


def test_who_plays_nothing_of_an_event_does_not_enter_it(tmp_path: Path) -> None:
    async def scenario(arena: RunningArena, house: House) -> None:
        ann, bob = house.come("ann", "bob")
        ann.games, bob.seat_counts = ("marauders",), (5,)
        await arena.create_event("cup", MANIFEST, 0, 0, 0)
        for bot in ("ann", "bob"):
            with pytest.raises(ConfigError, match=rf"{bot} plays none .*cup: p"):
                await arena.enter("cup", bot, late=True)
        with pytest.raises(ConfigError, match=r"ann plays none .*tea"):
            await arena.create_event("tea", f"{MANIFEST}\n[[bots]]\nspec = 'remote: ann'\n", 0, 0, 0)
        house.lobby.remove("ann")
        await arena.enter("cup", "ann", late=True)  # nobody knows what it will play when it comes

    in_arena(scenario, tmp_path)


def test_what_was_ordered_is_done_even_if_the_caller_has_gone() -> None:
    """Also what has to wait for a thread: nobody could tell whether it was done otherwise."""
    may_go_on, done = threading.Event(), list[str]()

    async def scenario() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        busy = asyncio.create_task(asyncio.to_thread(may_go_on.wait))
        await asyncio.sleep(0)
        order = asyncio.create_task(change_registry(done.append, "it"))
        await asyncio.sleep(0)
        order.cancel()
        await asyncio.wait([order])
        may_go_on.set()
        await busy
        assert order.cancelled()
        while not done:  # noqa: ASYNC110 - a thread does it
            await asyncio.sleep(0.01)

    asyncio.run(scenario())
    assert done == ["it"]


# Bundles


def write_bot(folder: Path, words: str = "1") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text('name = "mine"\nversion = "1"\nrun = ["python", "{dir}/bot.py"]\n')
    (folder / "bot.py").write_text(f"print({words!r})\n")
    return folder


def test_a_hosted_bot_plays_from_its_bundle_whatever_becomes_of_its_folder(tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "mine")

    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.host_bot(str(folder), "", "")
        known = house.registry.bot("mine")
        assert known.spec.startswith("bundle:")
        member = house.lobby.get("mine")
        assert member is not None
        assert member.spec is not None
        assert member.spec.folder is not None
        assert member.spec.identity.bundle_hash.hex() == known.spec.removeprefix("bundle:")
        write_bot(folder, "2")
        assert (member.spec.folder / "bot.py").read_text() == "print('1')\n"
        await arena.host_bot(str(folder), "", "")
        assert house.registry.bot("mine").spec != known.spec
        assert len([*house.hall.bundles.all()]) == 2, "the old one can still be found"
        await arena.host_bot("random", "", "")
        assert house.registry.bot("random").spec == "random", "sample bots play where they are"
        await arena.create_event("cup", MANIFEST.replace("pavillon_noir", "broadsides"), 0, 0, 0)
        for name in ("mine", "random"):
            await change_registry(house.registry.enter, "cup", name)
        made = house.calendar.make_manifest(house.registry.check_in("cup", ["mine", "random"]))
        assert [bot.spec for bot in made.bots] == [str(house.hall.find(house.registry.bot("mine")).folder), "random"]

    in_arena(scenario, tmp_path)


def test_a_bundle_that_is_lost_is_told(tmp_path: Path) -> None:
    folder = write_bot(tmp_path / "mine")

    async def scenario(arena: RunningArena, house: House) -> None:
        await arena.host_bot(str(folder), "", "")
        [sha256] = house.hall.bundles.all()
        house.hall.bundles.sweep(())
        house.hall.bundles.find(sha256).path.write_bytes(b"x")
        assert [problem.file for problem in check_bundles(tmp_path)] == [f"bundles/{sha256[:2]}/{sha256}.tar"]
        with pytest.raises(ConfigError, match=r"is damaged: .*SHA-256"):
            arena.add_hosted(house.registry.bot("mine"))

    in_arena(scenario, tmp_path)
