"""Challenges: who may ask for which, what becomes of them, and that no table ever counts one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.match import clock
from server.arena.config import ArenaConfig
from server.arena.errors import FailedPrecondition, NotFound, RateLimited
from server.arena.events import challenges as module
from server.arena.ladders.retention import RetentionPolicy
from server.arena.ladders.tables import RunningMatch
from server.arena.messages import match_info
from server.arena.operations.fsck import check_arena
from server.arena.reading.archive import Archive
from server.play.summary import MatchSummary
from server.tournament.folder import Folder
from server.tournament.store import Store
from support.ladders import COVE, DUEL, LADDER, make_config
from support.tables import House, open_house


def in_house(scenario: Callable[[House], Awaitable[None]], path: Path, config: ArenaConfig | None = None) -> None:
    """A hall where nothing is played but challenges."""

    async def work() -> None:
        async with open_house(path, config or make_config(DUEL, COVE), works=False) as house:
            await scenario(house)
            house.tables.gate.set()
            await house.challenges.drain(60.0)

    asyncio.run(work())


def stored(path: Path) -> list[MatchSummary]:
    with Store.read_only(Folder(path / "challenges").database) as store:
        return list(store.matches())


async def finish(house: House) -> None:
    house.tables.gate.set()
    await house.challenges.drain(60.0)


def test_a_challenge_is_played_recorded_and_counts_nowhere(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob")
        house.tables.gate.clear()
        match: RunningMatch = await house.challenges.begin("ann", LADDER, ["bob"])
        assert (match.challenger, match.contest, match.event) == ("ann", LADDER, "")
        assert sorted(match.entries) == ["ann", "bob"]
        assert house.hall.running[match.match_id] is match
        await finish(house)
        assert not house.hall.running
        assert all(member.busy == 0 for member in house.lobby.members)
        [found] = stored(tmp_path)
        assert (found.match_id, found.label) == (match.match_id, "challenge by ann")
        info = match_info(found)
        assert (info.challenger, info.game, info.revealed) == ("ann", "pavillon_noir", True)
        assert not any(seat.HasField("elo_before") for seat in info.seats)
        assert Folder(tmp_path / "challenges").record(match.match_id).exists()
        assert house.matches() == 0, "no ladder has it"
        with Store.read_only(house.folder.database) as store:
            assert list(store.matches()) == []
        archive = Archive(tmp_path, house.registry)
        assert (await archive.find(match.match_id)).folder == archive.challenges
        archive.close()

    in_house(scenario, tmp_path)
    assert check_arena(tmp_path)[1:] == [], "only arena.toml is missing"


@pytest.mark.parametrize(
    ("ladder", "opponents", "error", "words"),
    [
        (LADDER, [], ConfigError, r"\b1 to 16\b.* named 0"),
        (LADDER, ["bob", "cid"], ConfigError, r"pavillon_noir .*\b1\b.* named 2"),
        ("pirates_cove", ["bob"], ConfigError, r"pirates_cove .*\b3\b.* named 1"),
        (LADDER, ["ann"], ConfigError, "ann .*two seats"),
        ("pirates_cove", ["bob", "bob", "cid"], ConfigError, "bob .*two seats"),
        (LADDER, ["zoe"], NotFound, "there is no bot 'zoe'"),
        ("chess", ["bob"], NotFound, f"'chess'.* {LADDER}, pirates_cove-4$"),
        (LADDER, ["dan"], FailedPrecondition, "dan is not connected"),
        (LADDER, ["eve"], FailedPrecondition, "eve .*: it cheats"),
        (LADDER, ["fay"], FailedPrecondition, "fay .*not play .*2 seats"),
        (LADDER, ["x"] * 17, ConfigError, r"\b1 to 16 opponents"),
        ("\x1b[31m" * 1000, ["bob"], NotFound, "no ladder or game"),
    ],
)
def test_a_challenge_that_makes_no_sense_is_refused_with_the_reason(
    tmp_path: Path, ladder: str, opponents: list[str], error: type[Exception], words: str
) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob", "cid", "dan", "eve")
        house.come("fay", games=("broadsides",))
        house.lobby.remove("dan")
        house.registry.suspend("eve", "it cheats")
        with pytest.raises(error, match=words) as caught:
            await house.challenges.begin("ann", ladder, opponents)
        assert len(str(caught.value)) < 400
        assert not house.tables.played
        assert not house.challenges._bots

    in_house(scenario, tmp_path)


def test_a_game_stands_for_its_ladder_with_so_many_seats(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob", "cid", "dan")
        match = await house.challenges.begin("ann", "pirates_cove", ["dan", "bob", "cid"])
        assert match.contest == "pirates_cove-4"

    in_house(scenario, tmp_path)


def test_a_bot_is_in_one_challenge_at_a_time(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob", "cid")
        house.tables.gate.clear()
        await house.challenges.begin("ann", LADDER, ["bob"])
        for bot, opponent in (("ann", "cid"), ("cid", "bob")):
            with pytest.raises(FailedPrecondition, match="is in a challenge already"):
                await house.challenges.begin(bot, LADDER, [opponent])
        await finish(house)
        await house.challenges.begin("cid", LADDER, ["bob"])

    in_house(scenario, tmp_path)


def test_the_quota_is_per_bot_and_day_and_void_matches_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(clock, "now", lambda: now[0])

    async def scenario(house: House) -> None:
        house.come("ann", "bob")

        async def challenge(bot: str) -> None:
            await house.challenges.begin(bot, LADDER, ["bob" if bot == "ann" else "ann"])
            await finish(house)

        house.tables.spoil = lambda terms: True
        await challenge("ann")
        house.tables.spoil = lambda terms: False
        for _ in range(2):
            await challenge("ann")
        with pytest.raises(RateLimited, match=r"ann .*\b2\b.* wait 1441 min"):
            await challenge("ann")
        await challenge("bob")
        now[0] += 86_401
        await challenge("ann")
        assert len(stored(tmp_path)) == 4

    in_house(scenario, tmp_path, make_config(challenges_per_day=2))


def test_challenges_can_be_off(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob")
        with pytest.raises(FailedPrecondition, match="challenges are off here"):
            await house.challenges.begin("ann", LADDER, ["bob"])
        house.hall.draining = True

    in_house(scenario, tmp_path, make_config(challenges_per_day=0))


def test_a_challenge_waits_for_a_bot_that_plays_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.05)

    async def scenario(house: House) -> None:
        house.come("ann")
        [bob] = house.come("bob", slots=1)
        bob.busy = 1
        with pytest.raises(FailedPrecondition, match=r"ann, bob .*free soon"):
            await house.challenges.begin("ann", LADDER, ["bob"])
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 60.0)
        waiting = asyncio.create_task(house.challenges.begin("ann", LADDER, ["bob"]))
        await asyncio.sleep(0)
        house.lobby.release(bob)
        assert (await waiting).challenger == "ann"
        assert [member.busy for member in house.lobby.members] == [1, 1]

    in_house(scenario, tmp_path)


def test_a_bug_at_the_table_loses_one_match_and_frees_everybody(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob")
        house.tables.fail = lambda terms: RuntimeError("ours")
        with pytest.raises(FailedPrecondition, match=r"begin.* no fault of yours"):
            await house.challenges.begin("ann", LADDER, ["bob"])
        await finish(house)
        assert [member.busy for member in house.lobby.members] == [0, 0]
        assert not house.challenges._bots

    in_house(scenario, tmp_path)


def test_records_of_challenges_are_let_go_in_time(tmp_path: Path) -> None:
    async def scenario(house: House) -> None:
        house.come("ann", "bob")
        match = await house.challenges.begin("ann", LADDER, ["bob"])
        await finish(house)
        await house.challenges.results.delete_expired(RetentionPolicy(records=1))
        assert not Folder(tmp_path / "challenges").record(match.match_id).exists()
        assert [one.kept for one in stored(tmp_path)] == [False]

    in_house(scenario, tmp_path)
