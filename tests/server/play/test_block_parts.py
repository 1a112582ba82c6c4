"""Blocks that several workers share: whole or void, evenly spread, and no process meets the same luck twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.bots.spec import BotSpec
from server.hosting.bot_pool import BotPool
from server.play.block_jobs import BlockJob, BlockResult
from server.play.block_parts import BlocksInParts
from server.play.pool import Worker
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.play.worker import ATTEMPTS, play_part
from support.fake_bot_host import FakeBotHost, make_job
from support.sizes import pick, sized

BOTS = [BotSpec(name=name, run=("true",), slots=64) for name in ("ann", "bob", "cid", "dan", "eve")]


class FakeWorker(Worker):
    """A worker whose bots are no processes."""

    def __init__(self, is_void: Callable[[str, int], bool]) -> None:
        super().__init__(tables=16)
        self.host = FakeBotHost(is_void=is_void)
        self._pool: BotPool | None = None

    async def play(self, part: BlockJob) -> BlockResult:
        """Play a part, with the bots that earlier parts have started."""
        if self._pool is None:
            self._pool = BotPool(self.host, tables=self.tables, idle_limit=100)  # type: ignore[arg-type]
        result = await play_part(self.host, self._pool, part)
        if part.key in self.running:
            self.give_back(part.key)
        return result


class FakeMachine:
    """Workers that share blocks. `is_void` is asked with the worker's number, the match and its attempts there."""

    def __init__(self, count: int, is_void: Callable[[int, str, int], bool] = lambda *_: False) -> None:
        self._is_void = is_void
        self.blocks: BlocksInParts[FakeWorker] = BlocksInParts()
        self.workers: list[FakeWorker] = []
        self.dead: list[FakeWorker] = []
        for _ in range(count):
            self.start()

    def start(self) -> None:
        """Start a worker."""
        number = len(self.workers) + len(self.dead)
        self.workers.append(FakeWorker(lambda match_id, before: self._is_void(number, match_id, before)))

    def kill(self, number: int) -> None:
        """Lose a worker, and start another."""
        self.dead.append(self.workers.pop(number))
        self.start()

    async def play(self, job: BlockJob) -> BlockResult:
        """Play a block once: whole or void."""
        parts = self.blocks.split(job, self.workers)
        for worker, part in parts:
            worker.take(part)
        results = [
            self.blocks.join(result) for result in await asyncio.gather(*(one.play(part) for one, part in parts))
        ]
        assert results[:-1] == [None] * (len(parts) - 1)
        assert results[-1] is not None
        return results[-1]

    async def play_all(self, jobs: Sequence[BlockJob]) -> list[BlockResult]:
        """Play blocks at the same time, each until it is whole; returns every result."""
        found: list[BlockResult] = []

        async def play(job: BlockJob) -> None:
            while not found_whole(await self.play(job)):
                pass

        def found_whole(result: BlockResult) -> bool:
            found.append(result)
            return bool(result.matches)

        await asyncio.gather(*(play(job) for job in jobs))
        return found

    @property
    def hosts(self) -> list[FakeBotHost]:
        """Of all workers, dead ones too."""
        return [worker.host for worker in [*self.workers, *self.dead]]

    def check_luck(self) -> None:
        """No process has met the same luck twice, and no match was kept and played again."""
        for host in self.hosts:
            meetings = Counter((process, secret) for process, secret, _ in host.met)
            assert set(meetings.values()) <= {1}


def rotations(matches: Sequence[RecordedMatch]) -> list[int]:
    """Which were played, in the order of the result."""
    return [match.summary.rotation for match in matches]


@pytest.mark.few(4)
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("workers", [1, 2, 3, 8])
async def test_every_worker_gets_as_much_as_the_others(workers: int, seats: int) -> None:
    machine = FakeMachine(workers)
    jobs = [make_job(block, BOTS[:seats]) for block in range(24)]
    results = await machine.play_all(jobs)
    assert [rotations(result.matches) for result in results] == [list(range(seats))] * 24
    played = [len({match_id for _, _, match_id in host.met}) for host in machine.hosts]
    assert max(played) - min(played) <= 1
    assert sum(played) == 24 * seats
    lanes = -(-seats // workers)
    for host in machine.hosts:
        assert len(host.started) <= seats * lanes, "one process for each bot and lane"
    machine.check_luck()


async def test_two_bots_on_two_workers_need_four_processes() -> None:
    machine = FakeMachine(2)
    await machine.play_all([make_job(block, BOTS[:2]) for block in range(16)])
    assert [len(host.started) for host in machine.hosts] == [2, 2]
    assert [host.most_tables for host in machine.hosts] == [16, 16]


async def test_only_what_is_missing_is_played_again_and_by_fresh_processes_if_all_workers_have_met_the_luck() -> None:
    """Rotation 1 is void for its first worker, time after time."""
    machine = FakeMachine(2, lambda number, match_id, before: match_id.endswith("-1") and before < ATTEMPTS)
    job = make_job(0, BOTS[:2])
    first = await machine.play(job)
    assert (first.matches, len(first.voids)) == ((), ATTEMPTS)
    kept = [host for host in machine.hosts if len(host.met) == 2]
    [(worker, part)] = machine.blocks.split(job, machine.workers)
    assert (part.rotations, part.fresh) == ((1,), True)
    second = machine.blocks.join(await worker.play(part))
    while second is not None and not second.matches:
        second = await machine.play(job)
    assert second is not None
    assert rotations(second.matches) == [0, 1]
    assert len(kept) == 1
    assert sum(match_id.endswith("-0") for host in machine.hosts for _, _, match_id in host.met) == 2, "played once"
    machine.check_luck()


async def test_the_part_of_a_dead_worker_goes_to_the_one_that_replaced_it_whose_processes_are_kept() -> None:
    machine = FakeMachine(2)
    job = make_job(0, BOTS[:2])
    (lost, _), (other, part) = machine.blocks.split(job, machine.workers)
    machine.kill(machine.workers.index(lost))
    died = BlockResult(contest=job.contest, block=job.block, matches=(), voids=(VoidMatch("the worker died"),))
    assert machine.blocks.join(died) is None, "the other part is still out"
    assert machine.blocks.join(await other.play(part)) == died
    [(worker, again)] = machine.blocks.split(job, machine.workers)
    assert worker not in (lost, other)
    assert (again.rotations, again.fresh) == ((0,), False)
    whole = machine.blocks.join(await worker.play(again))
    assert whole is not None
    assert (rotations(whole.matches), whole.voids) == ([0, 1], ())
    machine.check_luck()


async def test_a_block_with_lost_records_is_whole_with_the_others() -> None:
    machine = FakeMachine(2)
    result = await machine.play(replace(make_job(0, BOTS[:3]), rotations=(1,)))
    assert rotations(result.matches) == [1]


async def test_where_every_match_has_fresh_processes_so_has_every_part() -> None:
    machine = FakeMachine(2)
    job = make_job(0, BOTS[:3], fresh=True)
    assert all(part.fresh for _, part in machine.blocks.split(job, machine.workers))


@pytest.mark.system
@sized
@settings(deadline=None, max_examples=pick(quick=40, ci=200))
@given(
    workers=st.integers(1, 4),
    seats=st.integers(2, 4),
    voids=st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 3)), st.integers(1, 7), max_size=6),
    deaths=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=4),
)
def test_whatever_goes_wrong_no_process_meets_the_same_luck_twice(
    workers: int, seats: int, voids: dict[tuple[int, int], int], deaths: list[tuple[int, int]]
) -> None:
    """Matches that are void some times, by block and rotation, and workers that die before a block begins."""
    left = Counter({(block, rotation): count for (block, rotation), count in voids.items()})

    def is_void(number: int, match_id: str, before: int) -> bool:
        block, rotation = int(match_id.split("-")[-3]), int(match_id.split("-")[-1])
        left[block, rotation] -= 1
        return left[block, rotation] >= 0

    async def play() -> None:
        machine = FakeMachine(workers, is_void)
        for block in range(6):
            job, result = make_job(block, BOTS[:seats]), None
            while result is None or not result.matches:
                result = await machine.play(job)
                for at, number in deaths:
                    if at == block:
                        machine.kill(number % workers)
            assert rotations(result.matches) == list(range(seats))
        machine.check_luck()

    asyncio.run(play())
