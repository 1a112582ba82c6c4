"""The referee measured: bare gRPC, real matches and the engine alone, side by side in one run.

(a) echo      bare_server.py: the same bots and messages, but no referee
(b) 1 table   real matches between two bot processes, one at a time
(c) 8 tables  the same bots with eight matches at once
(d) engine    random games in this process, without gRPC

This machine is noisy: look at the ratios, not at the rates. Measurements are interleaved and medians are shown.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Coroutine, Sequence
from itertools import pairwise
from typing import Any

from referee.engine import AnyGame
from referee.games import find_game
from server.bench.bare_server import YARDSTICK, Rate, measure_echo
from server.bench.process_costs import resident_bytes
from server.bots.spec import BotSpec, find_bot
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import HostedBot
from server.matches.match_setup import MatchSetup
from server.matches.simulate import simulate

TABLES = 8

SHORT_GAME, SHORT_VARIANT = "pavillon_noir", {"max_rounds": "1"}
"""Matches of a few decisions, so that ten thousand of them show what a match costs beside its decisions."""


async def measure_referee(games: Sequence[AnyGame], seconds: float, rounds: int, growth: bool) -> dict[str, Any]:
    """Everything, one after the other."""
    found = [await measure_game(game, seconds, rounds) for game in games]
    report: dict[str, Any] = {"rounds": rounds, "seconds": seconds, "games": found}
    if growth:
        report["growth"] = await measure_growth()
    return report


async def measure_game(game: AnyGame, seconds: float, rounds: int) -> dict[str, Any]:
    """All four measurements of one game, interleaved."""
    echo: list[Rate] = []
    one: list[Rate] = []
    many: list[Rate] = []
    engine: list[float] = []
    for _ in range(rounds):
        echo.append(await measure_echo(game, seconds))
        one.append(await measure_matches(game, seconds, tables=1))
        many.append(await measure_matches(game, seconds, tables=TABLES))
        engine.append(measure_engine(game, seconds))
    rates = {
        name: statistics.median(rate.per_second for rate in found)
        for name, found in (("echo", echo), ("one_table", one), ("eight_tables", many))
    }
    return {
        "game": game.info.id,
        "echo": medians(echo),
        "one_table": medians(one),
        "eight_tables": medians(many),
        "engine": {"decisions_per_second": statistics.median(engine)},
        "one_table_over_echo": rates["one_table"] / rates["echo"],
        "eight_tables_over_one_table": rates["eight_tables"] / rates["one_table"],
    }


def medians(rates: Sequence[Rate]) -> dict[str, float]:
    """The medians of several measurements."""
    return {
        "decisions_per_second": statistics.median(rate.per_second for rate in rates),
        "referee_cpu_micros": statistics.median(1e6 * rate.referee_cpu_seconds / rate.decisions for rate in rates),
        "bot_cpu_micros": statistics.median(1e6 * rate.bot_cpu_seconds / rate.decisions for rate in rates),
    }


def measure_engine(game: AnyGame, seconds: float) -> float:
    """Decisions per second of random games in this process."""
    options = game.info.read_variant({})
    decisions, spent, number = 0, 0.0, 0
    while spent < seconds / 2:
        tally = simulate(game, options, seats=game.info.min_seats, games=5, seed=str(number))
        decisions, spent, number = decisions + sum(tally.decisions), spent + tally.seconds, number + 1
    return decisions / spent


async def measure_matches(game: AnyGame, seconds: float, tables: int, bot: BotSpec | None = None) -> Rate:
    """Real matches of a bot against itself, `tables` of them at once, for some seconds after a warm-up."""
    setup = MatchSetup(game=game, variant=game.info.read_variant({}), seed="bench")
    bot = bot or find_bot(YARDSTICK)
    async with BotHost() as host:
        bots = [await host.start_bot(bot) for _ in range(game.info.min_seats)]
        counter = Counter(host, setup, bots)
        await counter.play("warm")
        workers = [asyncio.create_task(counter.play_on(f"{table}")) for table in range(tables)]
        await asyncio.sleep(0.2)
        before = counter.mark()
        await asyncio.sleep(seconds)
        after = counter.mark()
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return Rate(
        decisions=int(after[0] - before[0]),
        seconds=after[1] - before[1],
        referee_cpu_seconds=after[2] - before[2],
        bot_cpu_seconds=after[3] - before[3],
    )


class Counter:
    """Plays matches and counts their decisions while they go."""

    def __init__(self, host: BotHost, setup: MatchSetup, bots: Sequence[HostedBot]) -> None:
        self._host = host
        self._setup = setup
        self._bots = bots
        self._decisions = 0

    def mark(self) -> tuple[float, float, float, float]:
        """Decisions, wall time, own CPU time and the bots' CPU time so far."""
        bots = sum(bot.process.cpu_seconds() or 0.0 for bot in self._bots)
        return self._decisions, time.perf_counter(), time.process_time(), bots

    async def play_on(self, name: str) -> None:
        """Match after match."""
        number = 0
        while True:
            await self.play(f"{name}/{number}")
            number += 1

    async def play(self, name: str) -> None:
        """One match."""

        def watch(course: object, kind: str, made: Sequence[object]) -> None:
            self._decisions += len(made)

        await self._host.play(self._setup.terms(name), self._bots, watch)


async def measure_growth(matches: int = 10_000) -> dict[str, Any]:
    """Does a match cost more after ten thousand others? CPU and memory, by the thousand."""
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
