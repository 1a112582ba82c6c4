"""A worker: a process with one event loop and one door, that plays blocks handed to it.

`play_block` is the whole of its work: from an order to a report. Orders come in on stdin, reports go out on stdout,
both as frames of a length and a pickle. When stdin ends, the parent is gone or has no more use for this worker: what
runs is given up, all bots are ended, and nothing is written, for only the parent writes.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from referee.errors import MatchVoid
from referee.games import find_game
from referee.match import MatchResult, Terms
from referee.records.record import BotIdentity, make_record, pack
from referee.wire.terms import make_terms
from server import __version__, logs
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool, PooledBot
from server.hosting.cores import pin_to_core
from server.hosting.gc_pauses import limit_gc_pauses
from server.hosting.hosted_bot import HostedBot, SeatedBot
from server.tournament.block_jobs import IDLE_LIMIT, BlockJob, BlockResult, RecordedMatch
from server.tournament.summary import summarize
from tortuga.v1 import record_pb2

ATTEMPTS = 3
"""How often a void match is played before its block is given back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedMatch:
    """A match as it was played, void or not: all that is needed of its bots once they are gone."""

    result: MatchResult
    bots: tuple[BotIdentity, ...]
    logs: Mapping[int, bytes]
    """By seat, of those who failed."""
    started_millis: int


LENGTH = struct.Struct("<Q")

log = structlog.get_logger()


async def play_block(host: BotHost, pool: BotPool, order: BlockJob) -> BlockResult:
    """Every rotation of a block, at the same time as far as there are tables. All of it counts, or nothing."""
    voids: list[str] = []
    met: list[PooledBot] = []
    played: list[RecordedMatch] = []
    try:
        async with asyncio.TaskGroup() as rotations:  # which ends all of them if we stumble over one
            tasks = [
                rotations.create_task(_play_rotation(host, pool, order, rotation, voids, met))
                for rotation in order.rotations
            ]
        played = [match for task in tasks if (match := task.result()) is not None]
    finally:
        whole = len(played) == len(order.rotations)
        if not whole:
            for bot in met:
                pool.retire(bot)  # the block will be played again, with the same luck and perhaps by this worker
    matches = tuple(played) if whole else ()
    return BlockResult(contest=order.contest, block=order.block, matches=matches, voids=tuple(voids))


async def _play_rotation(
    host: BotHost, pool: BotPool, order: BlockJob, rotation: int, voids: list[str], met: list[PooledBot]
) -> RecordedMatch | None:
    terms = order_terms(order, rotation)
    seating = order.seating(rotation)
    for _ in range(ATTEMPTS):
        try:
            async with pool.acquire(seating, rotation, order.clock.start_seconds, fresh=order.fresh) as pooled:
                met += pooled
                started = int(time.time() * 1000)
                bots = [one.bot for one in pooled]
                result = await host.play(terms, bots)
                if not result.void:
                    return record_match(make_place(order, rotation), finish_match(result, bots, started))
                for one in pooled:
                    pool.retire(one)  # it has seen luck that will be played again
                voids.append(f"{terms.match_id}: {result.reason}")
        except MatchVoid as error:
            voids.append(f"{terms.match_id}: void: {error}")
    return None


def order_terms(order: BlockJob, rotation: int) -> Terms:
    """What one match of the block is played under."""
    game = find_game(order.game)
    return make_terms(
        game,
        game.info.read_variant(order.variant),
        order.secrets[rotation],
        match_id=order.match_id(rotation),
        clock=order.clock,
        faults_allowed=order.faults_allowed,
    )


def make_place(order: BlockJob, rotation: int) -> record_pb2.RecordPlace:
    """Where in the event a match belongs."""
    return record_pb2.RecordPlace(
        event=order.event,
        contest=order.contest,
        block=order.block,
        stage=order.stage,
        label=order.label,
        bots=[bot.name for bot in order.bots],
        rotation=rotation,
    )


def finish_match(result: MatchResult, bots: Sequence[SeatedBot], started_millis: int) -> FinishedMatch:
    """A match that is over. To be called while its bots are still at the table: their logs go when they go."""
    failed = {int(fault.seat) for fault in result.faults}
    return FinishedMatch(
        result=result,
        bots=tuple(bot.identity() for bot in bots),
        logs={
            seat: bot.process.printed()
            for seat, bot in enumerate(bots)
            if seat in failed and isinstance(bot, HostedBot)
        },
        started_millis=started_millis,
    )


def record_match(place: record_pb2.RecordPlace, played: FinishedMatch) -> RecordedMatch:
    """A match that counts, ready to be stored."""
    record = make_record(
        played.result,
        played.bots,
        server_version=__version__,
        started_unix_millis=played.started_millis,
        place=place,
    )
    packed = pack(record)
    return RecordedMatch(summary=summarize(record, packed), packed=packed, logs=played.logs)


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """One value, or None at the end."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def frame(value: Any) -> bytes:
    """One value on its way."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(content)) + content


async def serve(folder: Path, tables: int, out: int) -> None:
    """Play what comes in until nothing comes in any more."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    playing: set[asyncio.Task[None]] = set()

    pipe, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(out, "wb"))
    writer = asyncio.StreamWriter(pipe, flow, None, loop)

    async with BotHost(folder=folder) as host:
        pool = BotPool(host, tables=tables, idle_limit=IDLE_LIMIT)

        async def work(order: BlockJob) -> None:
            try:
                report = await play_block(host, pool, order)
            except Exception as error:  # our bug or the host's trouble: the parent has to hear of it, or waits for ever
                log.exception("block_failed", contest=order.contest, block=order.block)
                report = BlockResult(contest=order.contest, block=order.block, matches=(), voids=(f"{error!r}",))
            writer.write(frame(report))

        while (order := await read_frame(reader)) is not None:
            task = asyncio.create_task(work(order))
            playing.add(task)
            task.add_done_callback(playing.discard)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await pool.close()


def main() -> None:
    """`python -m server.tournament.worker FOLDER TABLES [CORE]`: started by the pool, not by people."""
    import uvloop

    # Whatever a library prints must not get between our frames.
    out = os.dup(1)
    os.dup2(2, 1)
    folder, tables, *core = sys.argv[1:]
    if core:
        pin_to_core(int(core[0]))
    logs.configure(verbose=bool(os.environ.get("TORTUGA_VERBOSE")))
    limit_gc_pauses()
    uvloop.run(serve(Path(folder), int(tables), out))


if __name__ == "__main__":
    main()
