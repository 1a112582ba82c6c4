"""Workers that die, cannot be started, or stumble over a block: the runner always hears of it."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.errors import TortugaError
from server.bots.spec import BotSpec
from server.hosting.hold_ups import CoreWatch
from server.jail.confinement import Confinement
from server.play import worker as worker_module
from server.play.block_jobs import IDLE_LIMIT, BlockJob, BlockResult
from server.play.local_pool import DEATHS, LENGTH, LocalMachine, LocalPool, WorkerProcess, make_frame, read_frame
from server.play.pool import Worker
from server.tournament.runner import Ending
from support.events import InProcessPool, Notes, dump, make_event, run
from support.fake_bot_host import make_job


def test_workers_that_always_die_stop_the_event_which_goes_on_at_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, notes = make_event(tmp_path / "event", rounds=10, concurrency=1), Notes()
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(TortugaError, match=rf"\b{DEATHS} workers died.*code 1\b"):
        run(folder, notes, LocalPool)
    assert all("played again" in text and "died (exit code 1)" in text for text in notes.warnings)
    assert dump(folder)["match"] == []
    monkeypatch.undo()
    assert run(folder) is Ending.FINISHED


def test_a_worker_that_cannot_be_started_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_event(tmp_path)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(TortugaError, match=r"worker.*started.*/no/such/python"):
        run(folder, Notes(), LocalPool)


def test_when_one_worker_cannot_be_started_those_before_it_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arena that tries an event again for days must not gather workers."""
    started: list[WorkerProcess] = []

    class Poor(LocalPool):
        async def _start(self, number: int) -> None:
            await super()._start(number)
            started.extend(self.machine.processes)
            sys.executable = "/no/such/python"

    monkeypatch.setattr(sys, "executable", sys.executable)
    monkeypatch.setattr("server.play.local_pool.core_count", lambda: 2)
    with pytest.raises(TortugaError, match="no worker can be started"):
        run(make_event(tmp_path), Notes(), Poor)
    assert [worker.process.returncode is None for worker in started] == [False]


def test_a_worker_that_cannot_be_started_again_stops_the_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its blocks would be waited for, for ever."""

    class Poor(LocalPool):
        async def _start(self, number: int) -> None:
            await super()._start(number)
            sys.executable = "/no/such/python"

    folder = make_event(tmp_path, concurrency=1)
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(TortugaError, match="no worker can be started"):
        run(folder, Notes(), Poor)


def test_an_event_waits_for_a_worker_that_is_being_replaced(tmp_path: Path) -> None:
    """All died before they were given anything: nothing runs, and yet it is not the end."""

    class Late(InProcessPool):
        async def start(self) -> None:
            asyncio.get_running_loop().call_later(0.1, self._arrive)

        def _arrive(self) -> None:
            self.workers = [Worker(2)]
            self._finished(None)

    folder = make_event(tmp_path)
    assert run(folder, Notes(), Late) is Ending.FINISHED
    assert len(dump(folder)["match"]) == 12


async def test_an_idle_worker_that_dies_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(100))

    pool = LocalPool(
        concurrency=1,
        pin=False,
        confinement=Confinement(),
        games=["pavillon_noir"],
        say=lambda text: None,
        new_scratch=lambda: tmp_path / f"tortuga-{next(numbers)}",
        finished=lambda result: None,
    )
    await pool.start()
    [first] = pool.machine.processes
    first.process.kill()
    while first in pool.machine.processes or not pool.workers:  # noqa: ASYNC110 - there is nobody to tell
        await asyncio.sleep(0.01)
    [second] = pool.machine.processes
    await pool.close()
    assert second.process.returncode is not None
    assert first.process.pid != second.process.pid
    assert pool.failure is None


async def test_a_worker_tells_of_a_block_that_it_stumbled_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own bug, or a host out of space: a result all the same, and the next block is played."""
    job, calls = make_job(0, []), list[BlockJob]()

    async def stumble(host: object, pool: object, job: BlockJob) -> BlockResult:
        calls.append(job)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(worker_module, "play_part", stumble)
    answers = os.pipe()
    jobs = os.pipe()
    os.write(jobs[1], make_frame(Confinement()) + make_frame(job) * 2)
    monkeypatch.setattr(sys, "stdin", os.fdopen(jobs[0]))

    watch = CoreWatch()
    task = asyncio.create_task(worker_module.serve(tmp_path / "tortuga-x", 2, watch.hold_ups, answers[1]))
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(answers[0]))
    results = [await read_frame(reader) for _ in range(2)]
    os.close(jobs[1])
    await task
    watch.close()
    assert len(calls) == 2
    for result in results:
        assert (result.contest, result.block, result.matches) == (job.contest, 0, ())
        assert "No space left on device" in result.voids[0].reason


@pytest.mark.parametrize("cut", [0, 4, 8, 12])
async def test_a_frame_that_was_cut_off_is_the_end(cut: int) -> None:
    reader = asyncio.StreamReader()
    reader.feed_data(make_frame({"a": 1})[:cut])
    reader.feed_eof()
    assert await read_frame(reader) is None


async def test_frames_carry_any_value() -> None:
    reader = asyncio.StreamReader()
    for value in (1, "two", make_job(3, [])):
        reader.feed_data(make_frame(value))
    reader.feed_eof()
    assert [await read_frame(reader) for _ in range(4)] == [1, "two", make_job(3, []), None]
    content = make_frame("x")
    assert LENGTH.unpack(content[:8])[0] == len(pickle.dumps("x", protocol=pickle.HIGHEST_PROTOCOL))


def bot(number: int) -> BotSpec:
    """One of many."""
    return BotSpec(name=f"bot{number}", run=("true",))


def test_a_worker_is_given_one_block_more_than_it_has_tables_for() -> None:
    worker = Worker(2)
    for block, room in ((0, True), (1, True), (2, False)):
        assert worker.has_room is room
        worker.take(make_job(block, [bot(0), bot(1)]))
    assert worker.assigned == 6
    worker.give_back(make_job(1, [bot(0), bot(1)]).key)
    assert worker.assigned == 4


def test_a_worker_remembers_the_bots_that_it_played_with_lately() -> None:
    worker = Worker(1)
    for block in range(IDLE_LIMIT):
        worker.take(make_job(block, [bot(0), bot(block + 1)]))
    assert list(worker.bots) == [
        "bot2",
        *(f"bot{number}" for number in range(3, IDLE_LIMIT)),
        "bot0",
        f"bot{IDLE_LIMIT}",
    ]


def test_a_machine_has_room_if_a_process_has_and_none_is_far_behind() -> None:
    """A process that is held up must not gather a part of every block of the event."""
    machine = LocalMachine()
    assert not machine.has_room, "without a process"
    quick, slow = (WorkerProcess(None, 4) for _ in range(2))  # type: ignore[arg-type]
    machine.processes = [quick, slow]
    while machine.has_room:
        part = replace(make_job(slow.assigned, [bot(0), bot(1)]), rotations=(0,))
        slow.take(part)
        quick.take(part)
        quick.give_back(part.key)
    assert slow.assigned == 9, "twice its tables, and one more"
