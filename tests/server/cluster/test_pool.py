"""The pool of a cluster, with a cluster that is faked: blocks go out and come back once, whatever machines do."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.clusters import FakeCluster, Play, need_dask, play_well

need_dask()

from referee.errors import TortugaError  # noqa: E402 - what follows needs Dask
from server.bots.spec import BotSpec  # noqa: E402
from server.cli.main import main  # noqa: E402
from server.cluster import connection, membership  # noqa: E402
from server.cluster.bundles import PackedBots  # noqa: E402
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.messages import BlockReport, MachineFacts  # noqa: E402
from server.cluster.pool import ClusterPool  # noqa: E402
from server.cluster.settings import Certificates  # noqa: E402
from server.jail.confinement import Confinement  # noqa: E402
from server.jail.level import JailLevel  # noqa: E402
from server.play.block_jobs import BlockJob, BlockResult  # noqa: E402
from server.play.recorded_match import VoidMatch  # noqa: E402
from server.standings.host_check import check_hosts  # noqa: E402
from server.standings.report import write_report  # noqa: E402
from server.tournament import store_queries  # noqa: E402
from server.tournament.agreement import renewed_secret  # noqa: E402
from server.tournament.event import rebuild  # noqa: E402
from server.tournament.folder import Folder  # noqa: E402
from server.tournament.journal import read_journal  # noqa: E402
from server.tournament.runner import Ending  # noqa: E402
from server.tournament.standings import read_standings  # noqa: E402
from server.tournament.status import read_status  # noqa: E402
from server.tournament.store import Store  # noqa: E402
from support.dialling import until  # noqa: E402
from support.events import Notes, dump, make_event, play_job, run  # noqa: E402

Run = Callable[..., Ending]
FENCE, NONE = Confinement(level=JailLevel.FENCE), Confinement(level=JailLevel.NONE)


@pytest.fixture
def run_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs an event on a fake cluster."""
    certificates = Certificates(make_certificates(tmp_path / "certificates"))
    monkeypatch.setattr(membership, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(membership, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(PackedBots, "get", packed)

    def run_it(
        cluster: FakeCluster, folder: Folder, notes: Notes | None = None, repeated: float = 0.0, **keys: Any
    ) -> Ending:
        async def connect(*_: Any, **__: Any) -> FakeCluster:
            return cluster

        monkeypatch.setattr(connection, "connect", connect)
        made = partial(
            ClusterPool,
            address="tls://h:1",
            certificates=certificates,
            event="test",
            make_executor=ThreadPoolExecutor,
            repeated=repeated,
        )
        return run(folder, notes or Notes(), pool=made, **keys)  # type: ignore[arg-type]

    return run_it


async def packed(self: PackedBots, spec: BotSpec) -> tuple[str, bytes]:
    """A bundle of a bot that is a function."""
    return hashlib.sha256(spec.name.encode()).hexdigest(), b""


def void(job: BlockJob) -> BlockReport:
    """A block that a machine could not play."""
    result = BlockResult(contest=job.contest, block=job.block, matches=(), voids=(VoidMatch("the host was late"),))
    return BlockReport(result=result, tables=4)


@pytest.fixture
def whole(tmp_path: Path) -> Folder:
    """The event as one machine plays it, undisturbed."""
    folder = make_event(tmp_path / "whole", rounds=4)
    assert run(folder) is Ending.FINISHED
    return folder


def test_a_cluster_comes_to_the_same_as_one_machine(run_on: Run, whole: Folder, tmp_path: Path) -> None:
    cluster, folder = FakeCluster("a", "b", "c"), make_event(tmp_path / "event", rounds=4)
    assert run_on(cluster, folder) is Ending.FINISHED
    assert dump(folder) == dump(whole)
    assert cluster.closed
    assert {address for address, _ in cluster.jobs} == {"a", "b", "c"}


def test_tasks_are_pinned_tried_once_and_never_more_than_tables_and_one(run_on: Run, tmp_path: Path) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        return replace(await play_well(address, job), tables=1 if address == "a" else 4)

    cluster = FakeCluster("a", "b", play=play, a=MachineFacts(host="a", cores=1, tables=1, busy_speed=100.0))
    run_on(cluster, make_event(tmp_path / "event", rounds=8))
    blocks = [how for key, how in cluster.submitted if key.startswith("block-")]
    assert len(blocks) == 24
    for how in blocks:
        assert (how["pure"], how["retries"], how["allow_other_workers"], len(how["workers"])) == (False, 0, False, 1)
    assert 1 <= cluster.most_in_hand["a"] <= 2
    assert 1 <= cluster.most_in_hand["b"] <= 5


@pytest.mark.parametrize("confinement", [FENCE, NONE])
def test_a_machine_that_vanishes_loses_nothing(
    run_on: Run, whole: Folder, tmp_path: Path, confinement: Confinement
) -> None:
    """Where bots can tell nobody what they saw, the luck stays; where they can, it is new, and still the event's."""

    async def play(address: str, job: BlockJob) -> BlockReport:
        if address == "a" and cluster.in_hand["a"] > 1:
            cluster.present.pop("a", None)
            await asyncio.sleep(0.5)  # its report comes after it was given up: nobody listens
        return await play_well(address, job)

    cluster, folder, notes = FakeCluster("a", "b", play=play), make_event(tmp_path / "event", rounds=4), Notes()
    assert run_on(cluster, folder, notes, confinement=confinement) is Ending.FINISHED
    keys = [job.key for _, job in cluster.jobs]
    lost = {key for key in keys if keys.count(key) > 1}
    assert lost
    assert any("lost: a is gone" in text for text in notes.warnings)
    assert len(notes.finished) == len(set(notes.finished)) == len(dump(whole)["match"])
    for key in lost:
        first, second = [job.secrets for _, job in cluster.jobs if job.key == key]
        assert second == (first if confinement is FENCE else tuple(renewed_secret(one, 1) for one in first))
    if confinement is FENCE:
        assert dump(folder) == dump(whole)
    before = dump(folder)
    assert rebuild(folder).problems == [], "the records prove themselves, with their new luck too"
    assert dump(folder) == before


def test_an_empty_cluster_is_told_once_each_time_it_is_empty(
    run_on: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "NOBODY_SECONDS", 0.05)

    def times_told() -> int:
        return sum("cluster worker tls://h:1" in text for text in notes.notes + notes.warnings)

    class Deserted(FakeCluster):
        async def identity(self, n_workers: int) -> dict[str, Any]:
            told = times_told()
            if (told and len(self.jobs) == 0) or told == 2:
                self.present.setdefault("a", {"status": "running", "nthreads": 256, "metrics": {}})
            return await super().identity(n_workers)

    async def play(address: str, job: BlockJob) -> BlockReport:
        if len(cluster.jobs) == 3:
            cluster.present.pop("a", None)
        return await play_well(address, job)

    cluster, notes = Deserted(play=play), Notes()
    assert run_on(cluster, make_event(tmp_path / "event", rounds=4), notes) is Ending.FINISHED
    assert times_told() == 2


def test_a_void_block_gets_new_luck_because_its_bots_live_on(run_on: Run, tmp_path: Path) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        if job.block == 2 and [one.key for _, one in cluster.jobs].count(job.key) <= 2:
            return void(job)
        return await play_well(address, job)

    cluster, folder = FakeCluster("a", play=play), make_event(tmp_path / "event", rounds=4)
    assert run_on(cluster, folder, confinement=FENCE) is Ending.FINISHED
    first, second, third = [job.secrets[0] for _, job in cluster.jobs if job.block == 2]
    assert (second, third) == (renewed_secret(first, 1), renewed_secret(first, 2))
    assert rebuild(folder).problems == []


def test_a_block_that_is_handed_back_keeps_its_luck_and_does_not_count_as_tried(
    run_on: Run, whole: Folder, tmp_path: Path
) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        if address == "a":
            return BlockReport(result=None, tables=0)
        return await play_well(address, job)

    cluster, folder, notes = FakeCluster("a", "b", play=play), make_event(tmp_path / "event", rounds=4), Notes()
    assert run_on(cluster, folder, notes, confinement=NONE) is Ending.FINISHED
    assert dump(folder) == dump(whole)
    assert notes.warnings == []
    assert sum(address == "a" for address, _ in cluster.jobs) <= 5, "it was given more after it had handed back"


def test_a_task_that_fails_is_a_block_that_was_lost(run_on: Run, whole: Folder, tmp_path: Path) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        if job.block == 1 and [one.key for _, one in cluster.jobs].count(job.key) == 1:
            raise RuntimeError("KilledWorker")
        return await play_well(address, job)

    cluster, folder = FakeCluster("a", play=play), make_event(tmp_path / "event", rounds=4)
    assert run_on(cluster, folder, confinement=FENCE) is Ending.FINISHED
    assert dump(folder) == dump(whole)


def test_a_block_whose_report_never_comes_is_played_again(run_on: Run, whole: Folder, tmp_path: Path) -> None:
    class Forgetful(FakeCluster):
        def subscribe_topic(self, topic: str, handler: Callable[[Any], None]) -> None:
            lost: list[Any] = []
            self.report = lambda event: (
                handler(event) if lost or not event[1][0].startswith("block-") else lost.append(event)
            )

    cluster, folder, notes = Forgetful("a"), make_event(tmp_path / "event", rounds=4), Notes()
    assert run_on(cluster, folder, notes, confinement=FENCE) is Ending.FINISHED
    assert dump(folder) == dump(whole)
    assert any("lost: it gave no answer" in text for text in notes.warnings)


def test_a_machine_that_joins_late_gets_work(run_on: Run, tmp_path: Path) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        if "b" not in cluster.present:
            cluster.join("b")
        await asyncio.sleep(0.02)
        return await play_well(address, job)

    cluster = FakeCluster("a", play=play)
    assert run_on(cluster, make_event(tmp_path / "event", rounds=8)) is Ending.FINISHED
    assert any(address == "b" for address, _ in cluster.jobs)


def test_a_machine_that_says_it_is_leaving_gets_nothing_more(run_on: Run, tmp_path: Path) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        run_id = cluster.submitted[0][0].split("-")[1]
        cluster.say("a", run_id, "leaving")
        await asyncio.sleep(0.05)
        return await play_well(address, job)

    cluster, notes = FakeCluster("a", "b", play=play), Notes()
    assert run_on(cluster, make_event(tmp_path / "event", rounds=8), notes) is Ending.FINISHED
    assert sum(address == "a" for address, _ in cluster.jobs) <= 5
    assert notes.warnings == []
    assert any("a is leaving" in text for text in notes.notes)


def test_machines_that_are_unfit_or_too_slow_do_not_play_and_the_reason_is_said(run_on: Run, tmp_path: Path) -> None:
    cluster, notes = (
        FakeCluster(
            "fast",
            "slow",
            "other",
            slow=MachineFacts(host="slow", cores=2, tables=4, speed=90.0, busy_speed=49.0),
            other=MachineFacts(host="other", refusal="Tortuga is 0.1.0 here and 0.2.0 there"),
        ),
        Notes(),
    )
    assert run_on(cluster, make_event(tmp_path / "event", rounds=4), notes) is Ending.FINISHED
    assert {address for address, _ in cluster.jobs} == {"fast"}
    [slow] = [text for text in notes.notes if text.startswith("slow (slow) does not play")]
    assert "49%" in slow
    [other] = [text for text in notes.notes if text.startswith("other (other) does not")]
    assert other.endswith(cluster.facts["other"].refusal)


def test_who_is_too_slow_does_not_depend_on_who_came_first(run_on: Run, whole: Folder, tmp_path: Path) -> None:
    """The slow machine plays alone, waits while the fast one is there, and plays again when that has left."""
    played: list[str] = []

    async def play(address: str, job: BlockJob) -> BlockReport:
        played.append(address)
        if address == "slow" and played.count("slow") == 2:
            cluster.join("fast")
            await until(lambda: any(text.startswith("slow (slow) does not") for text in notes.notes))
        if address == "fast" and played.count("fast") > 3:
            cluster.present.pop("fast", None)
            await asyncio.sleep(3600)
        return await play_well(address, job)

    slow = MachineFacts(host="slow", cores=2, tables=1, speed=90.0, busy_speed=49.0)
    cluster, notes = FakeCluster("slow", play=play, slow=slow), Notes()
    folder = make_event(tmp_path / "event", rounds=4)
    assert run_on(cluster, folder, notes, confinement=FENCE) is Ending.FINISHED
    assert dump(folder) == dump(whole)
    said = [text for text in notes.notes if "slow (slow)" in text]
    assert ["plays, on" in text for text in said] == [True, False, True]
    assert "49%" in said[1]
    assert "1 of 2 machines play" in notes.notes
    assert not any("slow is gone" in text for text in notes.warnings), "what it has in hand it finishes"


def test_a_machine_that_cannot_play_a_bot_is_refused_and_its_blocks_are_played_elsewhere(
    run_on: Run, whole: Folder, tmp_path: Path
) -> None:
    cluster, notes = FakeCluster("a", "b"), Notes()
    cluster.foreign["a"] = "the bundle of ann was built for linux-x86_64, and this is linux-aarch64"
    folder = make_event(tmp_path / "event", rounds=4)
    assert run_on(cluster, folder, notes) is Ending.FINISHED
    assert dump(folder) == dump(whole)
    assert {address for address, _ in cluster.jobs} == {"b"}
    assert sum(text == f"a (a) does not play: {cluster.foreign['a']}" for text in notes.notes) == 1


def test_a_machine_that_plays_for_another_run_is_asked_again(run_on: Run, tmp_path: Path) -> None:
    async def open_later(address: str) -> bytes:
        if len([key for key, _ in cluster.submitted if key.startswith("open-")]) > 1:
            del cluster.facts["a"]
        return await opened(cluster, address)

    opened = FakeCluster._open
    cluster = FakeCluster("a", a=MachineFacts(host="a", refusal="it plays for another run", busy=True))
    cluster._open = open_later  # type: ignore[method-assign]
    assert run_on(cluster, make_event(tmp_path / "event", rounds=2)) is Ending.FINISHED


@pytest.mark.parametrize("how", ["connection lost", "connection made again", "another scheduler"])
def test_the_end_of_the_scheduler_ends_the_run_and_the_same_command_goes_on(
    run_on: Run, whole: Folder, tmp_path: Path, how: str
) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        if len(cluster.jobs) > 4:
            if how == "connection lost":
                cluster.status = "connecting"
            elif how == "connection made again":
                cluster.scheduler_comm = object()
                cluster.report = lambda event: None
                return await play_well(address, job)
            else:
                cluster.id = "two"
            await asyncio.sleep(3600)
        return await play_well(address, job)

    cluster, folder = FakeCluster("a", play=play), make_event(tmp_path / "event", rounds=4)
    with pytest.raises(TortugaError, match=r"scheduler.*tls://h:1.*gone.*\bsame\b"):
        run_on(cluster, folder)
    assert run_on(FakeCluster("a"), folder) is Ending.FINISHED
    assert dump(folder) == dump(whole)


def test_hosts_are_told_apart_and_judged_once_several_have_played(run_on: Run, whole: Folder, tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event", bots=("ann", "bob"), rounds=120, quarantine=1)
    run_on(FakeCluster("a", "b", play=late_if(lambda address, job: job.block % 3 == 0)), folder)
    found = CliRunner().invoke(main, ["tournament", "status", str(folder.path), "--json"])
    hosts = json.loads(found.output)["hosts"]
    assert {one["host"] for one in hosts["hosts"]} == {"a", "b"}
    assert sum(one["blocks"] for one in hosts["hosts"]) == 120
    assert sum(one["time_outs"] for one in hosts["hosts"]) == 80  # of each bot in every third block
    assert {one["speed"] for one in hosts["hosts"]} == {100}
    assert "no host played" in hosts["verdict"]
    text = CliRunner().invoke(main, ["tournament", "status", str(folder.path)]).output
    assert hosts["verdict"] in text
    rebuild(folder)  # from the records, which know the hosts as well
    with Store.read_only(folder.database) as store:
        assert store_queries.hosts(store) == {"a": 100, "b": 100}
    alone = CliRunner().invoke(main, ["tournament", "status", str(whole.path), "--json"])
    assert json.loads(alone.output)["hosts"] is None


def test_a_host_on_which_a_bot_runs_out_of_time_is_named(run_on: Run, tmp_path: Path) -> None:
    folder = make_event(tmp_path / "event", bots=("ann", "bob"), rounds=150, quarantine=1)
    run_on(FakeCluster("a", "b", "c", play=late_if(lambda address, job: address == "a" and job.block % 2 == 0)), folder)
    found = check_hosts(folder, read_standings(folder))
    assert found is not None
    assert found.tests["a"].differs
    assert found.tests["a"].time_outs > 2 * found.tests["a"].expected_time_outs
    assert "a played differently" in found.verdict or "a, " in found.verdict
    write_report(folder, folder.require_agreement(), read_status(folder), read_standings(folder))
    assert "a (differs)" in folder.report.read_text()


def test_blocks_that_two_hosts_play_name_the_host_that_plays_another_bot(
    run_on: Run, whole: Folder, tmp_path: Path
) -> None:
    async def play(address: str, job: BlockJob) -> BlockReport:
        return BlockReport(result=await play_job(job, other_bots="bob" if address == "b" else "nobody"), tables=1)

    folder = make_event(tmp_path / "event", rounds=16, games=[{"id": "broadsides"}])
    cluster = FakeCluster("a", "b", "c", "d", play=play)
    assert run_on(cluster, folder, repeated=1.0) is Ending.FINISHED
    matches = dump(folder)["match"]
    assert len(matches) == 96, "a repeat counts for nothing"
    assert len(cluster.jobs) > 48
    lines = list(read_journal(folder.journal, ["block_repeated"]))
    assert all(len(set(line["hosts"])) == 2 for line in lines)
    for line in lines:
        expected = ["bob"] if "b" in line["hosts"] and "bob" in line["bots"] else []
        assert line["diverged"] == expected, line
    found = check_hosts(folder, read_standings(folder))
    assert found is not None
    assert [host for host, test in found.tests.items() if test.differs] == ["b"]
    assert found.tests["b"].repeats > found.tests["b"].diverged > 0


def late_if(condition: Callable[[str, BlockJob], bool]) -> Play:
    """Machines on which both bots run out of time in some blocks, each in one match."""

    async def play(address: str, job: BlockJob) -> BlockReport:
        late = condition(address, job)
        return BlockReport(result=await play_job(job, late_seat=0 if late else None), tables=4)

    return play
