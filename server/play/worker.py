"""A worker: a process with one event loop and one gRPC server that plays the parts of blocks it is given.

`play_part` does all its work: from a job to a result. Jobs come in on stdin, results go out on stdout, both as frames
of a length and a pickle. When stdin ends, the parent is gone or needs this worker no longer: running matches are
abandoned, all bots are ended, and nothing is written, because only the parent writes.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvloop

from referee.wire import find_wire
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool, Work
from server.hosting.cores import pin_to_core
from server.hosting.hold_ups import HoldUps
from server.hosting.memory import limit_gc_pauses
from server.play.block_jobs import IDLE_LIMIT, BlockJob, BlockResult
from server.play.local_pool import make_frame, read_frame
from server.play.play_match import MatchHost, Table, play_match
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.play.table_choice import FIRST_TABLES, BotCost, BotInGame
from server.system import logs

ATTEMPTS = 3
"""How often a match is played before it is returned as void."""
PERIOD_SECONDS = 0.25
"""Shortest time between two measurements of what bots cost."""

log = logs.get_logger()


async def play_part(host: MatchHost, pool: BotPool, job: BlockJob) -> BlockResult:
    """Play some rotations of a block, at the same time if there are tables. Those that stay void are left out."""
    voids: list[VoidMatch] = []
    async with asyncio.TaskGroup() as rotations:  # which cancels the others if one raises
        tasks = [
            rotations.create_task(_play_rotation(host, pool, job, rotation, lane, voids))
            for rotation, lane in zip(job.rotations, job.lanes, strict=True)
        ]
    matches = tuple(match for task in tasks if isinstance(match := task.result(), RecordedMatch))
    return BlockResult(contest=job.contest, block=job.block, matches=matches, voids=tuple(voids))


async def _play_rotation(
    host: MatchHost, pool: BotPool, job: BlockJob, rotation: int, lane: int, voids: list[VoidMatch]
) -> RecordedMatch | VoidMatch:
    terms = job.terms(rotation)
    seating = job.seating(rotation)

    @asynccontextmanager
    async def open_table() -> AsyncIterator[Table]:
        async with pool.acquire(seating, lane, job.clock.start_seconds, fresh=job.fresh) as pooled:
            yield Table([seated.bot for seated in pooled], retire=lambda: pool.retire(pooled))

    return await play_match(
        host,
        terms,
        open_table,
        attempts=ATTEMPTS,
        place=job.place(rotation),
        notes=job.notes,
        machine=job.host,
        machine_speed=job.host_speed,
        voided=lambda void: voids.append(void.named(terms.match_id)),
    )


class CostMeter:
    """Measures what the bots of a worker cost, for table_choice.py."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._running: Counter[BotInGame] = Counter()
        self._played: Counter[BotInGame] = Counter()
        """Matches since the last measurement. Those that are still running count as none, so that the game is known."""
        self._due = 0.0

    def begin(self, job: BlockJob) -> None:
        """Note that a part begins."""
        for bot in job.bots:
            self._running[job.game, bot.name] += 1
            self._played[job.game, bot.name] += 0

    def end(self, job: BlockJob, result: BlockResult) -> None:
        """Note that a part was played."""
        for bot in job.bots:
            self._running[job.game, bot.name] -= 1
            self._played[job.game, bot.name] += len(result.matches)

    def take(self) -> dict[BotInGame, BotCost]:
        """Return the costs since the last measurement; nothing if that was not long ago."""
        if time.monotonic() < self._due:
            return {}
        self._due = time.monotonic() + PERIOD_SECONDS
        work, slots = self._pool.take_work(), self._pool.slots()
        games = Counter(bot for _, bot in self._played)  # of a bot that played two games we do not know the shares
        costs: dict[BotInGame, BotCost] = {}
        for (game, bot), matches in self._played.items():
            if games[bot] == 1:
                used = work.get(bot, Work())
                costs[game, bot] = BotCost(matches, used.questions, used.cpu_seconds, slots.get(bot, 1))
        self._played = Counter({key: 0 for key, count in self._running.items() if count})
        return costs


async def serve(folder: Path, tables: int, hold_ups: HoldUps, out: int) -> None:
    """Play the jobs that come in on stdin until it ends. A number is that of the tables from now on, a dict
    says which bots may not play from now on, and why.

    The first order is the Confinement of its bots. With 0 tables to begin with, it measures what its bots cost, and is
    told the number of tables later.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    playing: set[asyncio.Task[None]] = set()

    pipe, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(out, "wb"))
    writer = asyncio.StreamWriter(pipe, flow, None, loop)

    confinement = await read_frame(reader)
    if confinement is None:
        return
    async with BotHost(folder=folder, confinement=confinement, hold_ups=hold_ups) as host:
        pool = BotPool(host, tables=tables or FIRST_TABLES, idle_limit=IDLE_LIMIT)
        meter = CostMeter(pool)

        async def work(job: BlockJob) -> None:
            meter.begin(job)
            host.limit_excuses(job.excuses_left)
            try:
                result = await play_part(host, pool, job)
            except Exception as error:  # our bug, or the host's: without a result the parent would wait for ever
                log.exception("part_failed", contest=job.contest, block=job.block)
                void = VoidMatch(f"{error!r}")
                result = BlockResult(contest=job.contest, block=job.block, matches=(), voids=(void,))
            meter.end(job, result)
            if not tables and (costs := meter.take()):
                writer.write(make_frame(costs))
            writer.write(make_frame(result))

        while (order := await read_frame(reader)) is not None:
            if isinstance(order, int):
                pool.tables.set(order)
                continue
            if isinstance(order, dict):
                pool.set_banned(order)
                continue
            task = asyncio.create_task(work(order))
            playing.add(task)
            task.add_done_callback(playing.discard)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await pool.close()


def main() -> None:
    """`python -m server.play.worker FOLDER TABLES GAMES MEMORY [CORE]`: started by the pool, not by people.

    MEMORY is a descriptor of what the event's core watch notes.
    """
    # What a library prints must not get between our frames.
    out = os.dup(1)
    os.dup2(2, 1)
    folder, tables, games, memory, *core = sys.argv[1:]
    if core:
        pin_to_core(int(core[0]))
    hold_ups = HoldUps(int(memory))
    os.close(int(memory))
    logs.configure(verbose=bool(os.environ.get("TORTUGA_VERBOSE")))
    logs.get_ready()
    for game in games.split(","):
        find_wire(game)  # imports it now: later, matches would be held up
    limit_gc_pauses()
    uvloop.run(serve(Path(folder), int(tables), hold_ups, out))


if __name__ == "__main__":
    main()
