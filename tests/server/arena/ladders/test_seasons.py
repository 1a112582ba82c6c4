"""Seasons: a frozen ladder finishes what runs, an archive is an event folder, and tables follow from records alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.arena.errors import AlreadyExists, FailedPrecondition
from server.arena.ladders.seasons import Seasons, empty_folder, finish_start, order_season, season_folder
from server.arena.registry import Registry, wall_millis
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.repair.fsck import check_event
from server.tournament.standings import read_standings
from server.tournament.starting_ratings import read_starting_ratings
from server.tournament.store import Store
from support.dialling import until
from support.ladders import LADDER, make_config
from support.tables import House, open_house

CONFIG = make_config(anchor="", suspend_faults=0)
BOTS = ("ann", "crash", "cid")
"""One of them fails always: so there is a difference to rate."""


def has(house: House, count: int) -> Callable[[], bool]:
    return lambda: house.matches() >= count


async def play_and_freeze(house: House, matches: int = 12) -> None:
    """So many matches, and the end of the season."""
    house.come(*BOTS)
    await until(has(house, matches))
    await house.keeper.freeze([LADDER], 0)
    await until(lambda: not house.hall._playing)
    await house.hall.settle()


def tables(folder: Folder) -> str:
    """All tables, to the last digit."""
    return json.dumps([one.as_json() for one in read_standings(folder)])


async def test_matches_that_run_are_finished_and_none_begins(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        house.tables.gate.clear()
        house.come(*BOTS)
        await until(lambda: bool(house.hall.running))
        running = len(house.hall._playing)
        await house.keeper.freeze([LADDER], 0)
        with pytest.raises(FailedPrecondition, match="still being played"):
            await house.keeper.archive("one")
        house.tables.gate.set()
        await until(lambda: not house.hall._playing)
        await house.hall.settle()
        assert house.matches() == running == len(house.tables.played)
        await house.keeper.unfreeze([LADDER])
        await until(has(house, running + 3))


async def test_a_ladder_is_frozen_at_its_date_also_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000_000]
    monkeypatch.setattr("server.arena.ladders.seasons.wall_millis", lambda: now[0])
    async with open_house(tmp_path, CONFIG) as house:
        house.come(*BOTS)
        await house.keeper.freeze([LADDER], 2_000_000)
        await until(has(house, 3))
        with pytest.raises(FailedPrecondition, match=r"not frozen .*1970-01-01 00:33:20 UTC"):
            await house.keeper.archive("one")
    now[0] = 2_000_000
    async with open_house(tmp_path, CONFIG) as house:
        assert house.hall.closed() == {LADDER}
        before = house.matches()
        house.come(*BOTS)
        await house.hall._matchmaker.fit()
        assert house.hall._matchmaker.next_of_ladders() is None
        assert house.matches() == before


@pytest.mark.system
@pytest.mark.parametrize("from_ratings", [False, True])
async def test_the_tables_of_a_season_follow_from_its_records_alone(tmp_path: Path, from_ratings: bool) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        before = tables(house.folder)
        season = await house.keeper.archive("one")
        archive = season_folder(tmp_path, "one")
        assert season.matches == house.matches()
        assert season.ladders == (LADDER,)
        assert tables(archive) == before
        assert json.dumps(json.loads((archive.path / "final.json").read_text())) == before
        assert not check_event(archive)
        assert archive.report.is_file()
        ratings = await house.keeper.start(from_ratings=from_ratings, shrink=0.5)
        assert house.matches() == 0
        assert {one.bot for one in ratings} == ({*BOTS} if from_ratings else set())
        assert [*read_starting_ratings(house.folder.starting_ratings)] == ratings
        await until(has(house, 8))  # it goes on by itself
        await house.keeper.freeze([LADDER], 0)
        await until(lambda: not house.hall._playing)
        await house.hall.settle()
    live, elo = tables(house.folder), live_elo(house.folder)
    assert tables(archive) == before
    house.folder.database.unlink()
    for part in ("-wal", "-shm"):
        house.folder.database.with_name(house.folder.database.name + part).unlink(missing_ok=True)
    findings = rebuild(house.folder)
    assert not findings.problems
    assert tables(house.folder) == live
    assert live_elo(house.folder) == elo
    assert not check_event(house.folder)
    if from_ratings:  # and they matter: without that record the tables are others
        house.folder.starting_ratings.unlink()
        assert tables(house.folder) != live


def live_elo(folder: Folder) -> dict[str, tuple[int, int]]:
    with Store.read_only(folder.database) as store:
        return store.live_elo(LADDER)


@pytest.mark.system
async def test_records_of_an_archive_are_proven_again(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        await house.keeper.archive("one")
        await house.keeper.start(from_ratings=False, shrink=0.0)
    archive = season_folder(tmp_path, "one")
    before = tables(archive)
    archive.database.unlink()
    assert not rebuild(archive).problems
    assert tables(archive) == before


async def test_a_bot_that_comes_back_has_its_rating_and_a_stranger_none(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        await house.keeper.archive("one")
        await house.keeper.start(from_ratings=True, shrink=1.0)
        await until(has(house, 1))
        house.come("dan")
        await until(lambda: "dan" in (one.name for one in house.hall.ladder._agreement.roster))
        await until(has(house, 6))
        await house.keeper.freeze([LADDER], 0)
        await until(lambda: not house.hall._playing)
        await house.hall.settle()
    [ladder] = read_standings(house.folder)
    lines = {line.bot: line.row for line in ladder.lines}
    assert lines["cid"].rating > lines["crash"].rating
    assert lines["dan"].matches
    assert set(house.folder.require_agreement().starts(LADDER)) == {*BOTS}


async def test_a_start_that_was_cut_short_is_finished_by_the_next(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        await house.keeper.archive("one")
        order_season(house.hall.seasons, from_ratings=True, shrink=0.5)
    empty_folder(house.folder)  # killed here
    said: list[str] = []
    with Registry.open(tmp_path / "arena.db") as registry:
        finish_start(tmp_path, Seasons(registry), said.append)
        assert "interrupted" in said[0]
        finish_start(tmp_path, Seasons(registry), pytest.fail)
        assert not Seasons(registry).frozen()
    assert {one.bot for one in read_starting_ratings(house.folder.starting_ratings)} == {*BOTS}
    async with open_house(tmp_path, CONFIG) as house:
        assert house.matches() == 0
        house.come(*BOTS)
        await until(has(house, 3))


@pytest.mark.system
async def test_an_archive_that_was_not_noted_is_made_again(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        season_folder(tmp_path, "one").path.mkdir(parents=True)
        (season_folder(tmp_path, "one").path / "half").write_text("of it")
        (tmp_path / "archive" / ".one.draft").mkdir()
        await house.keeper.archive("one")
    assert not check_event(season_folder(tmp_path, "one"))
    assert (tmp_path / "archive" / "one.damaged" / "half").exists()


async def test_what_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        with pytest.raises(FailedPrecondition, match="is not frozen"):
            await house.keeper.archive("one")
        with pytest.raises(FailedPrecondition, match="is not frozen"):
            await house.keeper.start(from_ratings=False, shrink=0.0)
        await house.keeper.freeze([LADDER], 0)
        with pytest.raises(FailedPrecondition, match="nothing to archive"):
            await house.keeper.archive("one")
        with pytest.raises(FailedPrecondition, match="is not archived"):
            await house.keeper.start(from_ratings=False, shrink=0.0)
        await house.keeper.unfreeze([LADDER])
        await play_and_freeze(house, 3)
        for name in ("../one", "", "a/b", ".hidden", "x" * 65, "a\nb"):
            with pytest.raises(ConfigError, match="cannot be called"):
                await house.keeper.archive(name)
        await house.keeper.archive("one")
        with pytest.raises(FailedPrecondition, match="archived already, as one"):
            await house.keeper.archive("two")
        with pytest.raises(AlreadyExists, match="exists already"):
            await house.keeper.archive("ONE")
        with pytest.raises(FailedPrecondition, match="a match more would"):
            await house.keeper.unfreeze([LADDER])
        for shrink in (-0.1, 1.1, float("nan")):
            with pytest.raises(ConfigError, match="expected 0 to 1"):
                await house.keeper.start(from_ratings=True, shrink=shrink)
        await house.keeper.start(from_ratings=False, shrink=0.0)
    told = [kind for kind, _, _ in house.news]
    assert told == ["ladder_frozen", "ladder_frozen", "season_archived", "season_started"]


async def test_a_freeze_is_told_before_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_house(tmp_path, CONFIG) as house:
        await play_and_freeze(house)
        await house.keeper.archive("one")
        await house.keeper.start(from_ratings=False, shrink=0.0)
        assert [kind for kind, _, _ in house.news] == ["ladder_frozen", "season_archived", "season_started"]
        del house.news[:]
        house.come(*BOTS)
        await until(has(house, 3))
        now = wall_millis()
        await house.keeper.freeze([LADDER], now + 3_600_000)
        assert not house.news
        monkeypatch.setattr("server.arena.ladders.seasons.wall_millis", lambda: now + 3_600_000)
        await until(lambda: not house.hall._playing)
        await house.hall.settle()
        await house.keeper.archive("two")  # it has become frozen since the last look at the clock
        assert [kind for kind, _, _ in house.news] == ["ladder_frozen", "season_archived"]


async def test_a_freeze_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from server.arena.ladders import season_keeper

    monkeypatch.setattr(season_keeper, "LOOK_SECONDS", 0.01)
    async with open_house(tmp_path, CONFIG, works=False) as house:
        house.hall.seasons.freeze([LADDER], wall_millis())  # killed before it could be told
    async with open_house(tmp_path, CONFIG, works=False) as house:
        task = asyncio.create_task(house.keeper.run())
        await until(lambda: bool(house.news))
        await asyncio.sleep(0.05)
        [(kind, ladder, text)] = house.news
        assert (kind, ladder, f"{LADDER} is frozen" in text) == ("ladder_frozen", LADDER, True)
        task.cancel()
    async with open_house(tmp_path, CONFIG, works=False) as house:
        task = asyncio.create_task(house.keeper.run())
        await asyncio.sleep(0.05)
        assert not house.news
        task.cancel()
