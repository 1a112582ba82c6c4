"""The referee measured: bare gRPC, real matches and the engine alone.

(a) echo            bare_server.py: the same bots and messages, but no referee
(b) (c) (f) tables  real matches between bot processes, 1, 8, 32 or 64 at once
(d) engine          random games in this process, without gRPC
(j) memory          of the referee and of a bot while 64 matches run
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bench.bare_server import YARDSTICK, Rate, measure_echo
from bench.processes import cpu_seconds, resident_bytes
from bench.rows import Figures, Task
from referee.games import find_game
from referee.rules.engine import AnyGame
from server.bots.spec import BotSpec, find_bot
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.play.match_setup import MatchSetup
from server.play.simulate import simulate

TABLES = 8

SETTLE_SECONDS = 0.3
"""From the start of the tables until they are measured."""

ENGINE_DECISIONS, MEMORY_DECISIONS = 5000, 5000
"""To play per second of a task."""

SHORT_GAME, SHORT_VARIANT = "pavillon_noir", {"max_rounds": "1"}
"""Matches of a few decisions, so that ten thousand of them show what a match costs beside its decisions."""


async def echo_row(task: Task) -> Figures:
    """Measure (a)."""
    return rate_figures(await measure_echo(find_game(task.game), task.seconds))


async def tables_row(task: Task) -> Figures:
    """Measure (b), (c) and (f)."""
    game = find_game(task.game)
    async with playing(game, task.tables) as counter:
        traffics = await counter.traffics()
        for traffic in traffics:
            traffic.clear()
        before = counter.mark()
        await asyncio.sleep(task.seconds)
        await counter.wait_for(before.decisions + 1)  # the machine may be that busy
        figures = rate_figures(counter.mark() - before)
        return figures | traffic_figures(traffics, max(1.0, task.tables / game.info.min_seats))


async def engine_row(task: Task) -> Figures:
    """Measure (d)."""
    game = find_game(task.game)
    variant, wanted = game.info.read_variant({}), ENGINE_DECISIONS * task.seconds
    simulate(game, variant, seats=game.info.min_seats, games=5, seed="warm")
    decisions, seconds, number, began = 0, 0.0, 0, time.process_time()
    while decisions < wanted:
        seed = f"{task.number}/{number}"
        tally = simulate(game, variant, seats=game.info.min_seats, games=5, seed=seed)
        decisions, seconds, number = decisions + sum(tally.decisions), seconds + tally.seconds, number + 1
    return {
        "decisions_per_second": decisions / seconds,
        "cpu_micros": 1e6 * (time.process_time() - began) / decisions,
    }


async def memory_row(task: Task) -> Figures:
    """Measure (j), after a number of decisions, because the caches fill with them."""
    async with playing(find_game(task.game), task.tables) as counter:
        await counter.wait_for(round(MEMORY_DECISIONS * task.seconds))
        bots = [resident_bytes(bot.process.pid) for bot in counter.bots]
        return {"referee_bytes": resident_bytes(), "bot_bytes": max(bots)}


def rate_figures(rate: Rate) -> Figures:
    """Return a rate as figures."""
    referee, bots = (1e6 * cpu / rate.decisions for cpu in (rate.referee_cpu_seconds, rate.bot_cpu_seconds))
    return {
        "decisions_per_second": rate.per_second,
        "referee_cpu_micros": referee,
        "bot_cpu_micros": bots,
        "core_cpu_micros": referee + bots,
    }


def traffic_figures(traffics: Sequence[Any], steady_state: float) -> Figures:
    """Return how full the batches were, and how long questions waited for company. Nothing where nobody counted."""
    if not sum(traffic.batches for traffic in traffics):
        return {}
    whole = traffics[0]
    for traffic in traffics[1:]:
        whole.merge(traffic)
    per_write = whole.questions / whole.batches
    return {
        "questions_per_write": per_write,
        "share_of_steady_state": per_write / steady_state,
        "wait_p50_micros": 1e6 * whole.wait_quantile(0.5),
        "wait_p99_micros": 1e6 * whole.wait_quantile(0.99),
    }


async def measure_matches(
    game: AnyGame, seconds: float, tables: int, bot: BotSpec | None = None, new_host: Callable[[], BotHost] = BotHost
) -> Rate:
    """Measure real matches of a bot against itself, `tables` of them at once, for some seconds after a warm-up."""
    async with playing(game, tables, bot, new_host) as counter:
        before = counter.mark()
        await asyncio.sleep(seconds)
        return counter.mark() - before


@asynccontextmanager
async def playing(
    game: AnyGame, tables: int, bot: BotSpec | None = None, new_host: Callable[[], BotHost] = BotHost
) -> AsyncIterator[Counter]:
    """Play matches of a bot against itself, `tables` at once and one after the other, during the `with` block."""
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="bench")
    bot = bot or find_bot(YARDSTICK)
    async with new_host() as host:
        bots = [await host.start_bot(bot) for _ in range(game.info.min_seats)]
        counter = Counter(host, setup, bots)
        await counter.play("warm")
        workers = [asyncio.create_task(counter.play_on(f"{table}")) for table in range(tables)]
        await asyncio.sleep(SETTLE_SECONDS)
        yield counter
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What was done and used so far."""

    decisions: int
    seconds: float
    referee_cpu_seconds: float
    bot_cpu_seconds: float

    def __sub__(self, earlier: Mark) -> Rate:
        return Rate(
            decisions=self.decisions - earlier.decisions,
            seconds=self.seconds - earlier.seconds,
            referee_cpu_seconds=self.referee_cpu_seconds - earlier.referee_cpu_seconds,
            bot_cpu_seconds=self.bot_cpu_seconds - earlier.bot_cpu_seconds,
        )


class Counter:
    """Plays matches and counts their decisions while they go."""

    def __init__(self, host: BotHost, setup: MatchSetup, bots: Sequence[HostedBot]) -> None:
        self.bots = bots
        self._host = host
        self._setup = setup
        self._decisions = 0
        self._wanted = 0
        self._reached = asyncio.Event()

    async def wait_for(self, decisions: int) -> None:
        """Wait until that many decisions were made since the first match."""
        self._wanted = decisions
        if self._decisions < decisions:
            await self._reached.wait()

    def mark(self) -> Mark:
        """Mark this moment."""
        return Mark(
            decisions=self._decisions,
            seconds=time.perf_counter(),
            referee_cpu_seconds=time.process_time(),
            bot_cpu_seconds=sum(cpu_seconds(bot.process.pid) for bot in self.bots),
        )

    async def traffics(self) -> list[Any]:
        """Return the counters of the bots' streams; none in an older checkout, which does not count."""
        sessions: list[Any] = [await bot.arrive(None) for bot in self.bots]
        return [session.traffic for session in sessions if hasattr(session, "traffic")]

    async def play_on(self, name: str) -> None:
        """Play match after match."""
        number = 0
        while True:
            await self.play(f"{name}/{number}")
            number += 1

    async def play(self, name: str) -> None:
        """Play one match."""

        def watch(course: object, kind: str, choices: Sequence[object]) -> None:
            self._decisions += len(choices)
            if self._decisions >= self._wanted > 0:
                self._reached.set()

        await self._host.play(self._setup.terms(name), self.bots, watch)


async def measure_growth(matches: int = 10_000) -> dict[str, Any]:
    """Measure whether a match costs more after ten thousand others: CPU and memory, by the thousand."""
    game = find_game(SHORT_GAME)
    setup = MatchSetup(game=game, variant=game.info.read_variant(SHORT_VARIANT), seed="growth")
    bot: BotSpec = find_bot(YARDSTICK)
    async with BotHost() as host:
        bots = [await host.start_bot(bot) for _ in range(2)]
        counter = Counter(host, setup, bots)
        waiting = iter(range(matches))
        marks = []

        async def work() -> None:
            for number in waiting:
                if number % 1000 == 0:
                    marks.append((time.process_time(), resident_bytes()))
                await counter.play(str(number))

        workers: list[Coroutine[Any, Any, None]] = [work() for _ in range(TABLES)]
        await asyncio.gather(*workers)
        marks.append((time.process_time(), resident_bytes()))
    costs = [1e3 * (later[0] - earlier[0]) / 1000 for earlier, later in pairwise(marks)]
    return {
        "matches": matches,
        "cpu_millis_per_match": costs,
        "memory_bytes": [memory for _, memory in marks],
        "last_over_first": costs[-1] / costs[0],
    }
