"""Bots that may not play, and bots that a machine cannot play: what an arena asks of the pool of its cluster."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.clusters import FakeCluster, FakeFuture, need_dask

need_dask()

from server.arena.ladders.cluster_matches import ladder_job  # noqa: E402 - what follows needs Dask
from server.bots.spec import BotSpec, find_bot  # noqa: E402
from server.cluster import connection, membership  # noqa: E402
from server.cluster.bundles import PackedBots  # noqa: E402
from server.cluster.certificates import make_certificates  # noqa: E402
from server.cluster.machine import Machine  # noqa: E402
from server.cluster.messages import MachineOrder  # noqa: E402
from server.cluster.pool import ClusterPool  # noqa: E402
from server.cluster.settings import Certificates  # noqa: E402
from server.jail.confinement import Confinement  # noqa: E402
from server.jail.level import JailLevel  # noqa: E402
from server.jail.limits import ResourceLimits  # noqa: E402
from server.play.block_jobs import BlockJob, BlockResult  # noqa: E402
from support.dialling import until  # noqa: E402
from support.ladders import make_config  # noqa: E402
from support.tables import ladder_terms  # noqa: E402


class Listening(FakeCluster):
    """Remembers what machines are told of bots that may not play."""

    def __init__(self, *addresses: str) -> None:
        super().__init__(*addresses)
        self.told: list[tuple[str, int, dict[str, str]]] = []

    def submit(self, work: Any, *arguments: Any, **how: Any) -> FakeFuture:
        """As Dask's client."""
        if work.__name__ == "ban_bots":
            self.told.append((how["workers"][0], *arguments[3:]))
        return super().submit(work, *arguments, **how)


@asynccontextmanager
async def pool_of(
    cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch, path: Path, **keys: Any
) -> AsyncIterator[ClusterPool]:
    """A pool of this cluster."""

    async def connect(*_: Any, **__: Any) -> FakeCluster:
        return cluster

    monkeypatch.setattr(connection, "connect", connect)
    monkeypatch.setattr(membership, "POLL_SECONDS", 0.01)
    pool = ClusterPool(
        address="tls://h:1",
        certificates=Certificates(make_certificates(path / "certificates")),
        event="test",
        concurrency=0,
        pin=False,
        confinement=Confinement(level=JailLevel.NONE),
        games=["pavillon_noir"],
        new_scratch=lambda: path,
        **{"say": lambda text: None, "finished": lambda result: None, **keys},
    )
    try:
        yield pool
    finally:
        await pool.close()


async def test_machines_hear_of_banned_bots_when_they_join_and_whenever_that_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cluster = Listening("a")
    async with pool_of(cluster, monkeypatch, tmp_path) as pool:
        pool.set_banned({"ann": "it cheats"})
        await pool.start()
        await until(lambda: len(pool.workers) == 1)
        assert cluster.told == [("a", 1, {"ann": "it cheats"})], "before its first block"
        pool.set_banned({})
        await until(lambda: len(cluster.told) == 2)
        cluster.join("b")
        await until(lambda: len(pool.workers) == 2)
        assert cluster.told[1:] == [("a", 2, {}), ("b", 2, {})]


async def test_an_old_order_about_banned_bots_does_not_undo_a_newer_one() -> None:
    class Orders:
        def set_banned(self, banned: dict[str, str]) -> None:
            given.append(banned)

    given: list[dict[str, str]] = []
    order = MachineOrder(
        run="r", event="test", level="none", limits=ResourceLimits(), concurrency=0, pin=False, games=()
    )
    machine = Machine(order, "open")
    pool: Any = Orders()
    machine._pool = pool
    machine.set_banned(2, {"ann": "it cheats"})
    machine.set_banned(1, {})
    assert given == [{"ann": "it cheats"}]


@pytest.mark.parametrize("kept", [True, False])
async def test_a_bot_that_a_machine_cannot_play_is_kept_home_or_the_machine_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: bool
) -> None:
    cluster, came_back, home = FakeCluster("a"), list[BlockResult | None](), list[tuple[str, str]]()
    cluster.foreign["a"] = "the bundle of ann was built for linux-pdp11"
    keys: dict[str, Any] = {"finished": came_back.append}
    if kept:
        keys["keep_home"] = lambda bot, reason: home.append((bot.name, reason))

    async def packed(self: PackedBots, spec: BotSpec) -> tuple[str, bytes]:
        return hashlib.sha256(spec.name.encode()).hexdigest(), b""

    monkeypatch.setattr(PackedBots, "get", packed)
    async with pool_of(cluster, monkeypatch, tmp_path, **keys) as pool:
        await pool.start()
        await until(lambda: len(pool.workers) == 1)
        pool.play(pool.workers[0], job_of("ann"))
        await until(lambda: any(result is not None for result in came_back))
        [result] = [result for result in came_back if result is not None]
        assert (result.matches, result.voids) == ((), ()), "nobody has seen anything of it"
        assert home == ([("ann", f"a: {cluster.foreign['a']}")] if kept else [])
        assert len(pool.workers) == kept
        assert bool(pool.refused) == (not kept)


def job_of(*names: str) -> BlockJob:
    """A ladder match."""
    [contest, *_] = make_config().ladders
    bots = [replace(find_bot("random"), name=name) for name in names]
    return ladder_job(contest, ladder_terms(make_config()), bots, "everybody")
