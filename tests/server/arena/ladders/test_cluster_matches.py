"""Ladder matches on a cluster that is faked: who plays where, nothing lost or doubled, and the arena always goes on."""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from referee.match.clock import LagMeter
from referee.records.record import read_packed, read_record, signer_of
from referee.records.signature import SigningKey
from referee.records.verify import verify
from server.arena.errors import FailedPrecondition
from server.arena.operations.running_arena import RunningArena
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob, BlockResult
from server.tournament.event import rebuild
from server.tournament.journal import read_journal
from server.tournament.store import Store
from support.dialling import until
from support.events import dump
from support.ladders import make_config
from support.logged import captured
from support.machines import FakeMachines, handed_back, hurry, void
from support.tables import House, open_house

pytestmark = pytest.mark.system

BOTS = ["ann", "bob", "cid", "dan"]
LOST = "the block was lost: far is gone"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


Said = list[MutableMapping[str, Any]]


@pytest.fixture
def said() -> Iterator[Said]:
    """What goes to the log."""
    with captured() as lines:
        yield lines


def names(jobs: list[BlockJob]) -> set[str]:
    """Whoever played on the machines."""
    return {bot.name for job in jobs for bot in job.bots}


def in_journal(house: House, event: str, key: str) -> set[str]:
    """Matches that the journal tells of."""
    return {line[key] for line in read_journal(house.folder.journal, [event]) if key in line}


def check_once(house: House) -> None:
    """Every match that counts is there once, numbered without a gap, and follows from the records."""
    with Store.read_only(house.folder.database) as store:
        matches = list(store.matches())
    assert sorted(match.block for match in matches) == list(range(len(matches)))
    told = [line["match"] for line in read_journal(house.folder.journal, ["match_finished"])]
    assert sorted(told) == sorted(match.match_id for match in matches)
    assert {path.stem for path in house.folder.records.iterdir()} == {*told}


async def test_hosted_bots_play_on_the_cluster_and_their_records_are_like_all_others(tmp_path: Path) -> None:
    machines = FakeMachines(count=2)
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.folder.key.write_bytes(secrets.token_bytes(32))
        house.host(*BOTS)
        await until(lambda: len(machines.jobs) >= 20 and house.matches() >= 20)
    check_once(house)
    key = SigningKey.open(house.folder.key)
    assert key is not None
    luck = [job.secrets for job in machines.jobs]
    assert len({*luck}) == len(luck), "every match has luck of its own"
    far = 0
    for path in house.folder.records.iterdir():
        record, sealed = read_record(path)
        far += record.host == "far" and record.host_speed == 100
        assert verify(record, sealed=sealed).messages_compared
        assert signer_of(read_packed(path)) == key.public
        assert record.place.label == "ladder"
    assert far >= 20
    stored = dump(house.folder, measured=True)
    assert rebuild(house.folder).problems == []
    assert dump(house.folder, measured=True) == stored


async def test_whoever_meets_a_remote_bot_plays_at_the_arenas_own_tables(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.come("far", "off")
        house.host("ann", "bob")
        await until(lambda: len(machines.jobs) >= 5 and len(house.tables.played) >= 20)
    assert names(machines.jobs) == {"ann", "bob"}
    mixed = [names for _, _, names, _ in house.tables.played if {*names} & {"far", "off"} and {*names} & {"ann", "bob"}]
    assert mixed, "hosted bots meet remote ones as well"
    check_once(house)


async def test_a_full_cluster_makes_hosted_bots_wait_and_nobody_else(tmp_path: Path) -> None:
    machines = FakeMachines(tables=1)
    async with open_house(tmp_path, make_config(matches_per_bot=8), cluster=machines.tables_of()) as house:
        house.host(*BOTS)
        await until(lambda: len(machines.jobs) >= 5)
        machines.gate.clear()
        house.come("far", "off")
        await until(lambda: sum({*names} == {"far", "off"} for _, _, names, _ in house.tables.played) >= 5)
        before = [names for _, _, names, _ in house.tables.played if not {*names} & {"far", "off"}]
        await until(lambda: len(house.tables.played) >= 60)
        after = [names for _, _, names, _ in house.tables.played if not {*names} & {"far", "off"}]
        assert before == after, "hosted bots wait for a machine"
        machines.gate.set()
    assert machines.most == 2, "no more than the machine takes"


async def test_while_our_own_tables_are_full_the_cluster_is_not_idle(tmp_path: Path) -> None:
    machines = FakeMachines(tables=8)
    async with open_house(tmp_path, make_config(matches_at_once=1), cluster=machines.tables_of()) as house:
        house.host(*BOTS)
        await until(lambda: len(machines.jobs) >= 3)
        house.tables.gate.clear()
        house.come("far", "off")
        await until(lambda: house.tables.now[""] == 1)
        given = len(machines.jobs)
        await until(lambda: len(machines.jobs) >= given + 10)
        assert house.tables.now[""] == 1


async def test_a_lost_match_is_void_and_played_again_with_other_luck(tmp_path: Path) -> None:
    def lose_the_third(job: BlockJob) -> BlockResult | None:
        return void(job, LOST) if len(machines.jobs) == 3 else None

    machines = FakeMachines(tables=1)
    machines.answer = lose_the_third
    async with open_house(tmp_path, make_config(rest_seconds=0.001), cluster=machines.tables_of()) as house:
        house.host("ann", "bob", slots=1)
        await until(lambda: len(machines.jobs) >= 6)
    [line] = read_journal(house.folder.journal, ["match_void"])
    assert line["reason"] == LOST
    again = [one["again"] for one in read_journal(house.folder.journal, ["match_started"]) if one.get("again")]
    assert again == [line["match"]]
    assert house.hall.voided == 1
    check_once(house)


async def test_a_match_that_is_handed_back_is_played_elsewhere_and_nobody_lost_anything(tmp_path: Path) -> None:
    machines = FakeMachines(tables=1)
    machines.answer = lambda job: handed_back(job) if machines.jobs.index(job) < 3 else None
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host("ann", "bob", slots=1)
        await until(lambda: len(machines.jobs) >= 6)
    assert machines.jobs[0].secrets == machines.jobs[1].secrets, "no bot has seen it: it keeps its luck"
    assert list(read_journal(house.folder.journal, ["match_void"])) == []
    check_once(house)


async def test_the_scheduler_may_die_and_come_back_and_the_arena_goes_on(tmp_path: Path, said: Said) -> None:
    machines = FakeMachines()
    cluster = machines.tables_of()
    async with open_house(tmp_path, cluster=cluster) as house:
        house.host(*BOTS)
        await until(lambda: house.matches() >= 5)
        machines.gate.clear()
        await until(lambda: bool(machines.pool.workers[0].running))
        machines.reachable = False
        machines.pool.fail()
        first, here = machines.pool, len(house.tables.played)
        await until(lambda: len(house.tables.played) >= here + 10)
        assert first.closed
        assert "is away, hosted bots" in cluster.words()
        await until(lambda: len(machines.pools) >= 6)
        machines.reachable = True
        machines.gate.set()
        given = len(machines.jobs)
        await until(lambda: len(machines.jobs) >= given + 10)
        assert cluster.words() == "tls://h:1: 1 machine plays"
        await until(lambda: in_journal(house, "match_void", "match") == in_journal(house, "match_started", "again"))
    lost, finished = in_journal(house, "match_void", "match"), in_journal(house, "match_finished", "match")
    assert lost == {job.only_match for job in machines.jobs} - finished
    check_once(house)
    facts = [line["event"] for line in said]
    assert facts.count("cluster_away") == 1, "it is said once, however often it is tried"
    assert facts.count("cluster") == 2, "and that it is there"


async def test_without_machines_hosted_bots_play_at_home(tmp_path: Path) -> None:
    machines = FakeMachines(count=0)
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host("ann", "bob")
        await until(lambda: house.matches() >= 5)
        assert machines.jobs == []
        machines.pool.join(1)
        await until(lambda: len(machines.jobs) >= 5)
        machines.pool.join(0)
        played = len(house.tables.played)
        await until(lambda: len(house.tables.played) >= played + 5)


async def test_a_bot_that_cannot_travel_plays_at_home_and_the_others_go(tmp_path: Path, said: Said) -> None:
    machines = FakeMachines()
    machines.unpackable = {"dan"}
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host(*BOTS)
        [eve] = house.host("eve")
        await until(lambda: len(machines.jobs) >= 10 and len(house.tables.played) >= 10)
        assert "dan" not in names(machines.jobs)
        machines.pool.keep_home(eve.spec, "far: the bundle of eve was built for another machine")
        given, played = len(machines.jobs), len(house.tables.played)
        await until(lambda: len(machines.jobs) >= given + 10 and len(house.tables.played) >= played + 10)
        assert "eve" not in names(machines.jobs[given:])
    assert [(line["bot"]) for line in said if line["event"] == "bot_stays_here"] == ["dan", "eve"]


async def test_bots_that_may_not_play_are_made_known_in_all_their_versions(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host("ann", "bob")
        await until(lambda: house.matches() >= 3)
        house.host("ann", version="2")
        await until(lambda: "ann-2" in names(machines.jobs))
        house.registry.suspend("ann", "it cheats")
        house.hall.disconnect("ann", "it cheats")
        assert {*machines.pool.banned} == {"ann", "ann-2"}
        machines.pool.fail()
        await until(lambda: len(machines.pools) == 2 and bool(machines.pool.workers))
        assert {*machines.pool.banned} == {"ann", "ann-2"}, "the next connection knows as well"
        house.registry.lift("ann")
        house.hall.enforce_bans()
        assert machines.pool.banned == {}


async def test_a_new_version_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host("ann", "bob", version="0")
        await until(lambda: house.matches() >= 3)
        house.hall.add_hosted(house.registry.host("ann", "", "random"))
        assert "ann 0" in machines.forgotten
        given = len(machines.jobs)
        await until(lambda: len(machines.jobs) >= given + 5)
        assert "ann" not in names(machines.jobs[given:])


async def test_a_bot_that_fails_on_the_cluster_is_suspended_like_any_other(tmp_path: Path) -> None:
    machines = FakeMachines()
    config = make_config(suspend_faults=30, suspend_matches=100)
    async with open_house(tmp_path, config, cluster=machines.tables_of()) as house:
        house.host("ann", "crash")
        await until(lambda: bool(house.registry.bot("crash").suspended))
        assert len(house.tables.played) < 30, "what happened on the machines counts"
        assert house.hall.faults["crash"] >= 30
        await until(lambda: house.lobby.get("crash") is None)
        assert "crash" in machines.pool.banned


async def test_matches_on_the_cluster_are_listed_and_cannot_be_watched(tmp_path: Path) -> None:
    machines, config = FakeMachines(), make_config()
    async with open_house(tmp_path, config, cluster=machines.tables_of()) as house:
        arena = RunningArena(
            config, house.registry, house.hall, house.calendar, house.challenges, LagMeter(), JailLevel.JAIL
        )
        house.host("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 1)
        machines.gate.clear()
        await until(lambda: arena.status().on_cluster == 1)
        [match] = arena.running()
        assert match.on_cluster
        assert [seat.entry for seat in match.seats] == [bot.name for bot in machines.jobs[-1].bots]
        with pytest.raises(FailedPrecondition, match=r"cluster.* be watched"):
            arena.watch(match.match_id, full=False)
        machines.pool.refused["tls://far:1"] = "its Python is another"
        status = arena.status()
        assert (status.running, status.cluster.startswith("tls://h:1: 1 machine plays; ")) == (1, True)
        assert "tls://far:1 does not play" in status.cluster
        assert status.cluster.endswith("its Python is another")
        assert arena.ladders()[0].running == 1
        machines.gate.set()


async def test_a_server_that_stops_hands_back_what_machines_play_and_the_next_one_plays_it(tmp_path: Path) -> None:
    machines = FakeMachines()
    async with open_house(tmp_path, cluster=machines.tables_of()) as house:
        house.host("ann", "bob", slots=1)
        await until(lambda: house.matches() >= 3)
        machines.gate.clear()
        await until(lambda: bool(machines.pool.workers[0].running))
        await house.hall.drain(0.0)
        running = machines.jobs[-1].only_match
    assert machines.pool.closed
    assert running not in {line["match"] for line in read_journal(house.folder.journal, ["match_finished"])}
    async with open_house(tmp_path, works=False) as later:
        assert running in {one.match_id for one in later.hall.ladder.unfinished}
    check_once(house)


def test_an_arena_without_a_cluster_imports_nothing_of_it() -> None:
    code = "import sys, server.cli.serve, server.arena.serve; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "server.arena.ladders.cluster_matches" in out.split()
    assert not [name for name in out.split() if name.startswith(("dask", "distributed", "server.cluster"))]
