"""Events of an arena on its cluster, which is faked: beside the ladders, and here while it is away."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.arena.events import calendar as calendar_module
from server.arena.registry_schema import EventState
from server.bots.spec import find_bot
from server.play.block_jobs import BlockJob
from server.tournament.agreement import renewed_secret
from server.tournament.event import rebuild
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.status import read_status
from support.calendars import CALM, CUP
from support.dialling import until
from support.events import InProcessPool, dump
from support.machines import FakeMachines, handed_back, hurry, void
from support.tables import House, open_house

pytestmark = pytest.mark.system

BOTS = ("ann", "bob", "cid")
ROUNDS = 10
BLOCKS = ROUNDS * 3


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setattr(calendar_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(calendar_module, "LocalPool", InProcessPool)


async def start_cup(house: House, *bots: str) -> None:
    """An event of hosted bots that begins now, and on the cluster."""
    cluster = house.hall.cluster
    assert cluster is not None
    for bot in bots:
        house.hall.add_hosted(house.registry.host(bot, "", "random"))
    await until(lambda: cluster.travels(find_bot("random")))
    house.calendar.create("cup", CUP.replace("rounds = 2", f"rounds = {ROUNDS}"), (0, 0, 0))
    for bot in bots:
        house.registry.enter("cup", bot)
    await house.calendar.start("cup")


async def play_out(house: House) -> None:
    await until(lambda: house.registry.event("cup").state is EventState.FINISHED)
    await until(lambda: not house.calendar.progress)


def of_the_cup(machines: FakeMachines) -> list[BlockJob]:
    """The blocks of the event that were given to machines."""
    return [job for job in machines.jobs if job.event]


def times_given(machines: FakeMachines, block: int) -> int:
    """How often a machine was given a block of the event."""
    return sum(job.block == block for job in of_the_cup(machines))


def check_whole(path: Path) -> Folder:
    """Everything was played, once, and the records prove it."""
    folder = Folder(path / "events" / "cup")
    assert read_status(folder).matches_done == 2 * BLOCKS
    told = [line["match"] for line in read_journal(folder.journal, ["match_finished"])]
    assert len(told) == len({*told}) == 2 * BLOCKS
    stored = dump(folder)
    assert rebuild(folder).problems == []
    assert dump(folder) == stored
    return folder


async def test_an_event_of_hosted_bots_is_played_on_the_cluster_beside_the_ladders(tmp_path: Path) -> None:
    machines = FakeMachines(tables=1)
    async with open_house(tmp_path, CALM, cluster=machines.tables_of()) as house:
        house.hall.add_hosted(house.registry.host("dan", "", "random"))
        house.hall.add_hosted(house.registry.host("eve", "", "random"))
        await until(lambda: len(machines.jobs) > 2)
        await start_cup(house, *BOTS)
        await play_out(house)
        given = len(machines.jobs)
        await until(lambda: len(machines.jobs) > given + 2)
    assert len(of_the_cup(machines)) == BLOCKS
    assert machines.most <= 2, "no machine gets more than it takes, whoever gives it"
    assert {job.named for job in machines.jobs} == {"pavillon_noir-2"}, "the contests have the same name"
    check_whole(tmp_path)


async def test_an_event_goes_on_here_when_the_cluster_is_gone_and_there_when_it_is_back(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, CALM, cluster=machines.tables_of()) as house:
        house.registry.pause(["pavillon_noir-2"])
        machines.answer = lambda job: void(job) if job.event and times_given(machines, block=2) == 1 else None
        await start_cup(house, *BOTS)
        await until(lambda: times_given(machines, block=2) > 1)
        machines.reachable = False
        machines.gate.clear()
        await until(lambda: bool(machines.pool.workers[0].running))
        machines.pool.fail()
        done = house.calendar.progress["cup"].done
        await until(lambda: house.calendar.progress["cup"].done > done + 4)
        machines.reachable = True
        machines.gate.set()
        await play_out(house)
    folder = check_whole(tmp_path)
    voids = [line["block"] for line in read_journal(folder.journal, ["match_void"])]
    assert len(voids) > 1
    given = [(job.block, job.secrets[0]) for job in of_the_cup(machines)]
    assert len({*given}) == len(given), "no block is given out twice with the same luck"
    assert any(
        secret == renewed_secret(folder.require_agreement().match_secret("pavillon_noir-2", block, 0), 1)
        for block, secret in given
    )


async def test_blocks_that_are_handed_back_are_given_out_again(tmp_path: Path) -> None:
    machines = FakeMachines()
    machines.answer = lambda job: handed_back(job) if machines.jobs.index(job) % 3 == 0 else None
    async with open_house(tmp_path, CALM, cluster=machines.tables_of()) as house:
        house.registry.pause(["pavillon_noir-2"])
        await start_cup(house, *BOTS)
        await play_out(house)
    assert len(of_the_cup(machines)) > BLOCKS
    folder = check_whole(tmp_path)
    assert list(read_journal(folder.journal, ["match_void"])) == []


async def test_an_event_with_a_bot_that_cannot_travel_is_played_here(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, CALM, cluster=machines.tables_of()) as house:
        house.registry.pause(["pavillon_noir-2"])
        house.hall.add_hosted(house.registry.host("own", "", "cmd: true"))
        house.calendar.create("cup", CUP.replace("rounds = 2", f"rounds = {ROUNDS}"), (0, 0, 0))
        house.registry.enter("cup", "own")
        for bot in BOTS[:2]:
            house.hall.add_hosted(house.registry.host(bot, "", "random"))
            house.registry.enter("cup", bot)
        await house.calendar.start("cup")
        await play_out(house)
    assert machines.jobs == []
    check_whole(tmp_path)
