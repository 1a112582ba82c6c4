"""Which machine gets the next block, and how well many unequal machines are used: in virtual time, always the same."""

from __future__ import annotations

import pytest

from support.clusters import need_dask

need_dask()

from server.cluster.messages import MachineFacts  # noqa: E402 - what follows needs Dask
from server.cluster.pool import ClusterMachine  # noqa: E402
from server.tournament.block_jobs import BlockJob  # noqa: E402
from server.tournament.dispatch import Dispatcher  # noqa: E402
from server.tournament.pool import Worker  # noqa: E402
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


def test_blocks_go_to_the_least_loaded_machine_and_among_equals_to_the_quickest() -> None:
    simulation = Simulation("round-robin", 20, 6, 1)
    machines = [
        ClusterMachine(host, MachineFacts(host=host, tables=tables, busy_speed=speed), threads=256)
        for host, tables, speed in (("slow", 2, 50.0), ("quick", 2, 100.0), ("large", 8, 70.0))
    ]
    order: list[str] = []

    def play(worker: Worker, job: BlockJob) -> None:
        assert isinstance(worker, ClusterMachine)
        worker.take(job)
        order.append(worker.host)

    blocks = Dispatcher([simulation.contest])
    assert blocks.give_out(machines, play), "there are more blocks than room"
    assert order[:3] == ["quick", "large", "slow"]
    assert order[:6].count("large") == 4, "its eight tables are filled before others wait behind two"
    assert len(blocks.running) == len(order)
    assert not any(machine.has_room for machine in machines)
