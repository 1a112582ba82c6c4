"""The games of a comparison between bot processes, over gRPC: for bots in any language."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import TypeAlias

from referee.errors import TortugaError
from referee.games import find_game
from referee.match.clock import TimeControl
from server.bots.kits import refuse_unbuilt
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.jail.confinement import Confinement
from server.play.match_setup import MatchSetup
from server.play.play_match import play_match, table_of
from server.play.recorded_match import VoidMatch
from server.tuning.comparison import FIELD, BlockScore, Comparison, Finished, Seating

ATTEMPTS = 5
"""How often a match is tried that the host itself held up."""

Crew: TypeAlias = dict[int, HostedBot]
"""A process for every occupant of a table."""


async def play_blocks(
    comparison: Comparison, blocks: Iterable[int], *, jobs: int, clock: TimeControl, confinement: Confinement
) -> AsyncIterator[BlockScore]:
    """Play blocks, several at once, and give their scores in order. Each block under way has processes of its own."""
    for bot in comparison.bots:
        refuse_unbuilt(bot)
    setup = MatchSetup(game=find_game(comparison.game), variant=comparison.variant, seed=comparison.seed, clock=clock)
    left = iter(blocks)
    async with BotHost(confinement=confinement) as host:
        free: asyncio.Queue[Crew] = asyncio.Queue()
        for _ in range(jobs):
            free.put_nowait({who: await _start(host, comparison, who) for who in range(len(comparison.bots))})

        async def play(block: int) -> BlockScore:
            crew = await free.get()
            try:
                return await _play_block(host, comparison, setup, block, crew)
            finally:
                free.put_nowait(crew)

        under_way: list[asyncio.Task[BlockScore]] = []
        try:
            while True:
                while len(under_way) < 2 * jobs and (block := next(left, None)) is not None:
                    under_way.append(asyncio.create_task(play(block)))
                if not under_way:
                    return
                yield await under_way.pop(0)
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)


async def _start(host: BotHost, comparison: Comparison, who: int) -> HostedBot:
    bot = comparison.bots[who]
    if who >= FIELD:
        return await host.start_bot(bot)
    side = comparison.sides[who]
    return await host.start_bot(replace(bot, run=bot.run + side.arguments), side.environment)


async def _play_block(host: BotHost, comparison: Comparison, setup: MatchSetup, block: int, crew: Crew) -> BlockScore:
    games = []
    for seating in comparison.seatings(block):
        games.append((seating, await _play(host, comparison, setup, block, seating, crew)))
        for who, bot in list(crew.items()):
            if bot.is_gone:  # it crashed: the next match is another chance
                await host.stop_bot(bot)
                crew[who] = await _start(host, comparison, who)
    return comparison.count(games)


async def _play(
    host: BotHost, comparison: Comparison, setup: MatchSetup, block: int, seating: Seating, crew: Crew
) -> Finished:
    match = await play_match(
        host,
        setup.terms(str(block), seating.rotation),
        table_of([crew[who] for who in seating.occupants]),
        attempts=ATTEMPTS,
    )
    if isinstance(match, VoidMatch):
        raise TortugaError(f"block {block} could not be played in {ATTEMPTS} attempts: {match.reason}")
    seats, faults = match.summary.seats, match.summary.faults
    return Finished(
        ranks=match.summary.ranks,
        points=tuple(seat.score for seat in seats),
        faults=tuple((seating.occupants[fault.seat], f"{fault.kind}: {fault.message}") for fault in faults),
    )
