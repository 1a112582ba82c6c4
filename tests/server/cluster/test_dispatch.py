"""Which machine gets the next block, and how well many unequal machines are used: in virtual time, always the same."""

from __future__ import annotations

import pytest

from support.clusters import need_dask

need_dask()

from server.cluster.membership import ClusterMachine  # noqa: E402 - what follows needs Dask
from server.cluster.messages import MachineFacts  # noqa: E402
from server.play.block_jobs import BlockJob  # noqa: E402
from server.play.pool import Worker  # noqa: E402
from server.tournament.dispatch import Dispatcher  # noqa: E402
from support.simulate_cluster import Simulation, simulate  # noqa: E402


@pytest.mark.parametrize(("name", "bots", "rounds"), [("round-robin", 20, 6), ("gauntlet", 100, 3), ("league", 30, 80)])
def test_formats_that_wait_for_nothing_use_nine_tenths_of_unequal_machines(name: str, bots: int, rounds: int) -> None:
    found = simulate(name, bots, rounds, machines=20)
    assert 0.9 <= found.share <= 1
    assert found.most_in_hand <= 1, "never more blocks than tables and one"


@pytest.mark.parametrize(("name", "bots", "rounds"), [("swiss", 100, 6), ("knockout", 64, 3), ("ladder", 40, 20)])
def test_formats_that_wait_for_results_stay_below_what_they_allow(name: str, bots: int, rounds: int) -> None:
    found = simulate(name, bots, rounds, machines=20)
    assert found.ideal <= found.allowed <= found.makespan


@pytest.mark.parametrize(("name", "bots", "rounds"), [("swiss", 100, 6), ("knockout", 64, 3), ("ladder", 40, 20)])
def test_formats_that_wait_for_results_use_the_quickest_of_many_machines(name: str, bots: int, rounds: int) -> None:
    assert simulate(name, bots, rounds, machines=200).share_of_allowed >= 0.9


def test_blocks_go_where_they_are_over_first() -> None:
    order = given_out(
        [
            MachineFacts(host="slow", cores=2, tables=2, speed=50.0, busy_speed=50.0),
            MachineFacts(host="quick", cores=2, tables=2, speed=100.0, busy_speed=100.0),
            MachineFacts(host="large", cores=8, tables=8, speed=70.0, busy_speed=70.0),
        ]
    )
    assert order[:5] == ["quick", "large", "large", "large", "large"], "its eight tables are free of others"
    assert order[5] == "large", "a share of a quick core is more than a slow core"
    assert "slow" in order[6:8]


def test_blocks_are_spread_where_cores_slow_each_other_down() -> None:
    twins = [MachineFacts(host=host, cores=8, tables=8, speed=100.0, busy_speed=60.0) for host in "ab"]
    assert given_out(twins)[:4] == ["a", "b", "a", "b"]


def given_out(machines: list[MachineFacts]) -> list[str]:
    """The hosts that get the blocks of an event, in this order, until nobody has room."""
    workers = [ClusterMachine(facts.host, facts, threads=256) for facts in machines]
    order: list[str] = []

    def play(worker: Worker, job: BlockJob) -> None:
        assert isinstance(worker, ClusterMachine)
        worker.take(job)
        order.append(worker.host)

    blocks = Dispatcher([Simulation("round-robin", 20, 6, 1).contest])
    assert blocks.give_out(workers, play), "there are more blocks than room"
    assert len(blocks.running) == len(order)
    assert not any(worker.has_room for worker in workers)
    return order
