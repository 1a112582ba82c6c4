"""Measure what a cluster costs: `PYTHONPATH=tests python -m support.measure_cluster WHAT …`.

overhead ROUNDS [TURNS]: the same event by this machine's pool and by a cluster of one worker on all cores, in turns.
capacity BLOCKS [MACHINES…]: fake machines answer every block at once. Everything else is real: our pool, Dask's client,
scheduler and workers (all of them in one process), TLS. Prints blocks per second, the CPU of the process that gives
them out and of the scheduler, bytes per block, and the memory of both in ten steps.
alone BLOCKS [MACHINES…]: as capacity, but without Dask: a client that answers at once, in this process. What our own
pool costs, with the packing and unpacking of both sides, for as many blocks as one likes.
lag BLOCKS [MACHINES…]: as capacity; prints for how long the loop was held up at once, which matters to an arena.
event BLOCKS MACHINES: the same for a whole event: schedule, live ladder, records, database and journal as well.
None of these proves what comes back: `prove [BLOCKS]` prints what that costs for each game, per match.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # Dask brings it
import uvloop
from distributed import Security, get_worker
from distributed import Worker as DaskWorker

from referee.games import GAMES
from referee.match.clock import TimeControl
from server.bots.spec import find_bot
from server.cluster import connection, membership
from server.cluster import pool as pool_module
from server.cluster.admission import code_sha256
from server.cluster.bundles import as_sent
from server.cluster.certificates import make_certificates
from server.cluster.local import LocalCluster, local_cluster
from server.cluster.messages import (
    BlockReport,
    MachineFacts,
    SentBlock,
    SentMatch,
    pack,
    pack_facts,
    pack_report,
    pack_words,
    reports_topic,
    unpack,
)
from server.cluster.pool import ClusterPool
from server.cluster.proof import Prover, prove_block
from server.cluster.settings import Certificates
from server.jail.confinement import Confinement
from server.play.block_jobs import BlockJob, BlockResult
from server.play.recorded_match import RecordedMatch
from server.tournament.event import run_event
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.listener import Listener
from server.tournament.manifest import make_manifest, write_text
from support.clusters import FakeFuture
from support.events import play_job

TURNS = 3
WARM_UP_ROUNDS = 5
"""The first turn measures the machine and sends the bots. It does not count."""
MACHINES = (1, 4, 16, 64)
_canned: BlockResult | None = None


async def fake_open(run: str, key: str, ticket: bytes, *_: Any) -> None:
    """A machine that is ready at once."""
    tell(run, key, ticket, pack_facts(MachineFacts(host="fake", cores=2, tables=8, busy_speed=1.0)))


async def fake_bundle(run: str, key: str, ticket: bytes, *_: Any) -> None:
    """A bot that is there already."""
    tell(run, key, ticket, pack_words(""))


async def fake_play(run: str, key: str, ticket: bytes, content: bytes) -> None:
    """A block that is played at once: always the same one, of two real matches."""
    tell(run, key, ticket, await fake_report(content))


def tell(run: str, key: str, ticket: bytes, content: bytes) -> None:
    """Send an answer."""
    get_worker().log_event(reports_topic(run), (key, ticket, content))


async def fake_report(content: bytes) -> bytes:
    """What comes back of it."""
    return pack_report(BlockReport(result=await canned(unpack(content)), tables=8))


async def canned(job: BlockJob) -> BlockResult:
    """A block that is played once in this process."""
    global _canned
    if _canned is None:
        _canned = await play_job(job)
    return _canned


async def believe(_: Prover, job: BlockJob, block: SentBlock) -> tuple[RecordedMatch, ...]:
    """In place of proving: the record is always the same, so it is not that of the job."""
    matches = (await canned(job)).matches
    return tuple(rename(match, job, rotation) for rotation, match in enumerate(matches[: len(block.matches)]))


def rename(match: RecordedMatch, job: BlockJob, rotation: int) -> RecordedMatch:
    """A match as if it had been played for another job. The record inside stays what it was."""
    names = tuple(bot.name for bot in job.bots)
    seats = tuple(
        replace(seat, bot=bot.name) for seat, bot in zip(match.summary.seats, job.seating(rotation), strict=True)
    )
    place: dict[str, Any] = {
        "block": job.block,
        "stage": job.stage,
        "label": job.label,
        "rotation": rotation,
        "bots": names,
    }
    summary = replace(match.summary, match_id=job.match_id(rotation), event=job.event, seats=seats, **place)
    return replace(match, summary=summary)


async def fake_machines(address: str, folder: Path, count: int) -> None:
    """Dask workers in this process, until it is killed."""
    found = Certificates(folder)
    security = Security(
        tls_ca_file=found.ca, tls_worker_cert=found.certificate, tls_worker_key=found.key, require_encryption=True
    )
    made = (
        DaskWorker(address, security=security, nthreads=256, dashboard=False, name=f"fake{number}")
        for number in range(count)
    )
    workers = await asyncio.gather(*made)
    await asyncio.gather(*(worker.finished() for worker in workers))


def fake_tasks() -> None:
    """Let the pool give out blocks to fake machines."""
    ours = import_module("support.measure_cluster")  # by its name: Dask sends functions of the main module whole
    fakes = ((membership, "open_machine", "fake_open"), (pool_module, "play_block", "fake_play"))
    for module, name, fake in (*fakes, (pool_module, "take_bundle", "fake_bundle")):
        setattr(module, name, getattr(ours, fake))
    setattr(Prover, "prove", believe)  # noqa: B010 - a method


class Meter:
    """Time, CPU and memory of this process, and the CPU of the scheduler, from now on."""

    def __init__(self, scheduler: int, blocks: int) -> None:
        self._own, self._blocks = psutil.Process(), blocks
        self._scheduler = psutil.Process(scheduler) if scheduler else None
        self._begun, self._cpu, self._scheduler_cpu = time.perf_counter(), time.process_time(), self._of_scheduler()
        self._memory: list[int] = []
        self._scheduler_memory: list[int] = []
        self._done = 0

    def _of_scheduler(self) -> float:
        used = self._scheduler.cpu_times() if self._scheduler else None
        return used.user + used.system if used else 0.0

    def note(self, done: int) -> None:
        """So many blocks are done: once in a while, look at the memory."""
        self._done = done
        if done * 10 >= self._blocks * (len(self._memory) + 1):
            self._memory.append(self._own.memory_info().rss >> 20)
            if self._scheduler is not None:
                self._scheduler_memory.append(self._scheduler.memory_info().rss >> 20)
            print(f"  {done} blocks: {self}", file=sys.stderr, flush=True)

    def __str__(self) -> str:
        per_block = 1000 / max(1, self._done)
        own, scheduler = time.process_time() - self._cpu, self._of_scheduler() - self._scheduler_cpu
        speed = self._done / (time.perf_counter() - self._begun)
        memory = [" ".join(map(str, found)) for found in (self._memory, self._scheduler_memory)]
        return (
            f"{speed:6.0f} blocks/s, CPU per block {own * per_block:.2f} ms here, "
            f"{scheduler * per_block:.2f} ms in the scheduler; memory by tenths, MiB: {memory[0]} here, "
            f"{memory[1] or 'none'} in the scheduler"
        )


class InstantClient:
    """In place of Dask: runs every task at once, in this process."""

    def __init__(self, machines: int) -> None:
        self.status, self.scheduler, self.scheduler_comm = "running", self, self
        self._machines = {f"m{number}": {"status": "running", "nthreads": 256} for number in range(machines)}

    async def identity(self, n_workers: int) -> dict[str, Any]:
        """Who is there."""
        return {"id": "instant", "workers": self._machines}

    def subscribe_topic(self, topic: str, handler: Any) -> None:
        """Send reports there."""
        self._take_report = handler

    def submit(self, work: Any, *arguments: Any, key: str, **_: Any) -> FakeFuture:
        """Run a task."""
        return FakeFuture(key, self._answer(work.__name__, *arguments))

    async def _answer(self, name: str, run: str, key: str, ticket: bytes, *arguments: Any) -> None:
        answers = {
            "fake_open": pack_facts(MachineFacts(host="fake", cores=2, tables=8, busy_speed=1.0)),
            "fake_bundle": pack_words(""),
        }
        content = answers[name] if name in answers else await fake_report(*arguments)
        self._take_report((0.0, (key, ticket, content)))

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 - as Dask has it
        """Nothing to end."""


def alone(certificates: Certificates, blocks: int, *counts: int) -> None:
    """Print a line for each number of machines."""
    for count in counts or MACHINES:

        async def connect(*_: Any, count: int = count, **__: Any) -> InstantClient:
            return InstantClient(count)

        setattr(connection, "connect", connect)  # noqa: B010 - it is only imported there
        found = asyncio.run(give_out("tls://nowhere:1", certificates.folder, count, blocks, 0))
        print(f"{count:3} machines, without Dask: {found}", flush=True)


async def give_out(address: str, folder: Path, machines: int, blocks: int, scheduler: int) -> str:
    """What giving out the blocks costs."""
    fake_tasks()
    results: asyncio.Queue[BlockResult | None] = asyncio.Queue()
    pool = ClusterPool(
        address=address,
        certificates=Certificates(folder),
        event="measure",
        concurrency=8,
        pin=False,
        confinement=Confinement(),
        games={"pavillon_noir"},
        new_scratch=Path,
        say=lambda text: None,
        finished=results.put_nowait,
    )
    await pool.start()
    while len(pool.workers) < machines:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    bots = tuple(find_bot("random") for _ in range(2))
    meter, given, back = Meter(scheduler, blocks), 0, 0
    while back < blocks:
        for worker in pool.workers:
            while worker.has_room and given < blocks:
                pool.play(worker, make_job(given, bots))
                given += 1
        back += await results.get() is not None
        meter.note(back)
    found = str(meter)
    await pool.close()
    return found


class Counting(Listener):
    """Counts the matches of an event."""

    meter: Meter | None = None

    def match_finished(self, match: Any, done: int, planned: int | None) -> None:
        if self.meter is not None:
            self.meter.note(done // 2)


async def run_whole(address: str, folder: Path, machines: int, blocks: int, scheduler: int) -> str:
    """What a whole event costs the process that runs it."""
    fake_tasks()
    event = {"name": "m", "seed": "s", "rounds": blocks // 6, "concurrency": 8}
    games, bots = [{"id": "pavillon_noir", "variant": {"max_rounds": 1}}], "abcd"
    with tempfile.TemporaryDirectory(prefix="tortuga-measure-") as path:
        place = Folder(Path(path))
        listed = [{"spec": "random", "name": name} for name in bots]
        place.manifest.write_text(write_text(make_manifest({**event, "games": games, "bots": listed})))
        pool = partial(ClusterPool, address=address, certificates=Certificates(folder), event="measure")
        counting = Counting()
        counting.meter = Meter(scheduler, blocks // 6 * 6)
        await run_event(place, counting, make_pool=pool, confinement=Confinement())
        return str(counting.meter)


def make_job(block: int, bots: Any) -> BlockJob:
    """A block of two short matches."""
    return BlockJob(
        event="e",
        contest="pavillon_noir-2",
        game="pavillon_noir",
        variant={"max_rounds": "1"},
        block=block,
        stage=0,
        label="",
        bots=bots,
        rotations=(0, 1),
        secrets=(b"s" * 32, b"s" * 32),
        clock=TimeControl.read("60+0.1/1"),
        faults_allowed=0,
        fresh=False,
    )


def bytes_per_block() -> tuple[int, int]:
    """There and back, as we pack them."""
    job = make_job(0, tuple(as_sent(find_bot("random"), "0" * 64) for _ in range(2)))
    return len(pack(job)), len(asyncio.run(fake_report(pack(job))))


def capacity(
    certificates: Certificates, blocks: int, *counts: int, measure: Any = give_out, run: Any = uvloop.run
) -> None:
    """Print a line for each number of machines."""
    print("bytes per block there and back: {} {}".format(*bytes_per_block()), f"load {os.getloadavg()[0]:.0f}")
    for count in counts or MACHINES:
        with local_cluster(certificates, workers=0, log=certificates.folder / "log") as cluster:
            words = ["machines", cluster.address, str(certificates.folder), str(count)]
            command = [sys.executable, "-m", "support.measure_cluster", *words]
            machines = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                assert cluster.scheduler is not None
                found = run(measure(cluster.address, certificates.folder, count, blocks, cluster.scheduler.pid))
            finally:
                machines.kill()
                machines.wait()
        print(f"{count:3} machines: {found}", flush=True)


def prove(_: Certificates, blocks: int = 20) -> None:
    """Print the CPU time of proving a match of each game, with the replay and without, on one core."""
    for game in GAMES:
        bots = tuple(replace(find_bot("random"), name=name) for name in ("ann", "bob"))
        jobs = [replace(make_job(block, bots), game=game, variant={}) for block in range(blocks)]
        results = [asyncio.run(play_job(job)) for job in jobs]
        for replay in (True, False):
            begun = time.process_time()
            for job, result in zip(jobs, results, strict=True):
                sent = [SentMatch(record=match.packed, logs={}, notes=b"") for match in result.matches]
                assert not isinstance(prove_block(job, sent, [replay] * len(sent)), str)
            spent = (time.process_time() - begun) / len(jobs) / 2
            print(
                f"{game}: {1000 * spent:.1f} ms of CPU per match {'with' if replay else 'without'} replay", flush=True
            )


class Held:
    """How long each callback of an asyncio loop holds it up, in CPU time: others on the machine do not count."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def watch(self) -> None:
        """Measure all callbacks from now on."""
        run = asyncio.Handle._run

        def measured(handle: asyncio.Handle) -> None:
            begun = time.thread_time()
            run(handle)
            self.seconds.append(time.thread_time() - begun)

        setattr(asyncio.Handle, "_run", measured)  # noqa: B010 - uvloop has handles of its own: not with it

    def __str__(self) -> str:
        found = sorted(self.seconds)
        shares = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999}
        parts = [f"{name} {found[int(len(found) * share)] * 1000:.2f}" for name, share in shares.items()]
        longest = " ".join(f"{one * 1000:.1f}" for one in found[-3:])
        return f"{len(found)} callbacks, ms of CPU: {', '.join(parts)}, longest {longest}"


async def hold_up(address: str, folder: Path, machines: int, blocks: int, scheduler: int) -> str:
    """How long giving out blocks holds up the loop. The code was read before, as an arena does it."""
    code_sha256()
    held = Held()
    held.watch()
    await give_out(address, folder, machines, blocks, scheduler)
    return str(held)


def lag(certificates: Certificates, blocks: int, *counts: int) -> None:
    """Print a line for each number of machines."""
    for count in counts or MACHINES:
        capacity(certificates, blocks, count, measure=hold_up, run=asyncio.run)


def whole_event(certificates: Certificates, blocks: int, *counts: int) -> None:
    """The same, for an event."""
    capacity(certificates, blocks, *counts, measure=run_whole)


def overhead(certificates: Certificates, rounds: int, turns: int = TURNS) -> None:
    """Print the seconds and the CPU seconds of both in each turn, and the median of the ratios of the turns."""
    wall: dict[str, list[float]] = {"local": [], "cluster": []}
    cpu: dict[str, list[Counter[str]]] = {"local": [], "cluster": []}
    with local_cluster(certificates, workers=1, log=certificates.folder / "log") as cluster:
        for turn in range(turns + 1):
            for how in ("local", "cluster") if turn % 2 else ("cluster", "local"):
                place = Folder(certificates.folder / f"{how}{turn}")
                words = make_overhead_event(place, rounds if turn else WARM_UP_ROUNDS)
                if how == "cluster":
                    words += ["--cluster", cluster.address, "--certificates", str(certificates.folder)]
                used, begun = all_cpu(cluster), time.perf_counter()
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
                seconds = time.perf_counter() - begun
                spent = Counter({who: round(now - used[who], 2) for who, now in all_cpu(cluster).items()})
                first, last = playing_seconds(place)
                parts = " ".join(f"{who} {value:.2f}" for who, value in spent.items())
                print(
                    f"turn {turn} {how:8} wall {seconds:.1f} s (first block after {first - wall_time(begun):.1f}, "
                    f"playing {last - first:.1f}), CPU {spent.total():.2f} s: {parts}, load {os.getloadavg()[0]:.0f}",
                    flush=True,
                )
                if turn:
                    wall[how].append(seconds)
                    cpu[how].append(spent)
    totals = {how: [one.total() for one in found] for how, found in cpu.items()}
    for what, found in (("wall", wall), ("CPU", totals)):
        ratios = [there / here for here, there in zip(found["local"], found["cluster"], strict=True)]
        print(f"{what}: ratios {' '.join(f'{one:.3f}' for one in ratios)}, median {statistics.median(ratios):.3f}")


def make_overhead_event(place: Folder, rounds: int) -> list[str]:
    """An event of two bots, and the command that plays it here."""
    place.path.mkdir()
    event = {"name": "m", "seed": "s", "rounds": rounds, "concurrency": 8, "games": [{"id": "broadsides"}]}
    bots = [{"spec": "random", "name": name} for name in ("ann", "bob")]
    place.manifest.write_text(write_text(make_manifest({**event, "bots": bots})))
    return [sys.executable, "-m", "server", "tournament", "run", str(place.path), "--json"]


def playing_seconds(place: Folder) -> tuple[float, float]:
    """When the first and the last match of an event were finished."""
    times = [datetime.fromisoformat(line["at"]).timestamp() for line in read_journal(place.journal, ["match_finished"])]
    return min(times), max(times)


def wall_time(counted: float) -> float:
    """A moment of the performance counter on the clock of the journal."""
    return time.time() - (time.perf_counter() - counted)


def all_cpu(cluster: LocalCluster) -> Counter[str]:
    """What the cluster, its descendants and everything that we started and that has ended have used. Bots of a run end
    with it, and then count for who started them."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = Counter({"command": ended.ru_utime + ended.ru_stime})
    time.sleep(1.0)  # the pool of the machine ends a moment after the run
    for name, process in (("scheduler", cluster.scheduler), ("worker", cluster.workers[0])):
        assert process is not None
        used = psutil.Process(process.pid).cpu_times()
        found[name] += used.user + used.system
        found["its children"] += used.children_user + used.children_system
    return found


def main() -> None:
    """Do what the first word says."""
    what, *more = sys.argv[1:]
    if what == "machines":
        with suppress(KeyboardInterrupt):
            asyncio.run(fake_machines(more[0], Path(more[1]), int(more[2])))
        return
    os.environ["PYTHONPATH"] = os.pathsep.join(["tests", os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory(prefix="tortuga-measure-") as folder:
        certificates = Certificates(make_certificates(Path(folder) / "certificates"))
        whats = {
            "capacity": capacity,
            "overhead": overhead,
            "lag": lag,
            "event": whole_event,
            "alone": alone,
            "prove": prove,
        }
        whats[what](certificates, *map(int, more))  # type: ignore[operator]


if __name__ == "__main__":
    main()
