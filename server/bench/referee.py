"""The benchmark: bare gRPC, real matches and the engine alone, side by side in one run.

(a) echo     a server that plays no game: it hands the same bots the ready-made questions of a real match, in the same
order (b) 1 table  real matches between two bot processes, one at a time (c) 8 tables the same bots with eight matches
at once (d) engine   random games in this process, without gRPC

This machine is noisy: look at the ratios, not at the rates. Measurements are interleaved and medians are shown.
"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import uvloop
from rich.table import Table

from referee.chance import SeededChance, derive_secret
from referee.course import Course
from referee.door.service import OPTIONS
from referee.door.session import LIMITS
from referee.engine import AnyGame, Seat
from referee.games import GAMES, find_game
from referee.match import Introduction, make_question
from referee.wire import envelope, find_wire
from server.bots.spec import BotSpec, find_bot
from server.cli.output import console, print_json
from server.hosting.bot_host import BotHost
from server.hosting.cores import available_cores, pin_to_core
from server.hosting.hosted_bot import HostedBot
from server.hosting.launcher import Launcher
from server.matches.setting import Setting
from server.matches.simulate import simulate

YARDSTICK = "random"
TABLES = 8

SHORT_GAME, SHORT_VARIANT = "pavillon_noir", {"max_rounds": "1"}
"""Matches of a few decisions, so that ten thousand of them show what a match costs beside its decisions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """One measurement."""

    decisions: int
    seconds: float
    referee_cpu_seconds: float
    bot_cpu_seconds: float

    @property
    def per_second(self) -> float:
        """Decisions per second."""
        return self.decisions / self.seconds


def run(games: Sequence[str], *, seconds: float, rounds: int, growth: bool, pin: bool, as_json: bool) -> None:
    """Measure and print."""
    if pin:
        pin_to_core(min(available_cores()))
    chosen = [find_game(game) for game in games or GAMES]
    report = uvloop.run(measure(chosen, seconds, rounds, growth))  # one loop: grpc.aio does not survive a second one
    report["pinned"] = pin
    if as_json:
        print_json(report)
    else:
        show(report)


async def measure(games: Sequence[AnyGame], seconds: float, rounds: int, growth: bool) -> dict[str, Any]:
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
        "echo": shown(echo),
        "one_table": shown(one),
        "eight_tables": shown(many),
        "engine": {"decisions_per_second": statistics.median(engine)},
        "one_table_over_echo": rates["one_table"] / rates["echo"],
        "eight_tables_over_one_table": rates["eight_tables"] / rates["one_table"],
    }


def shown(rates: Sequence[Rate]) -> dict[str, float]:
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


# (a)


async def measure_echo(game: AnyGame, seconds: float) -> Rate:
    """The same bots and the same messages in the same order, but no referee behind them."""
    bare = BareServer(game)
    server = grpc.aio.server(options=OPTIONS)
    play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(bare.play)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tortuga.v1.Referee", {"Play": play}),))
    with tempfile.TemporaryDirectory(prefix="tortuga-") as folder:
        server.add_insecure_port(f"unix:{folder}/echo")
        await server.start()
        async with Launcher(Path(folder)) as launcher:
            environment = {"TORTUGA_ADDRESS": f"unix:{folder}/echo", "TORTUGA_TOKEN": "none"}
            run = find_bot(YARDSTICK).run
            bots = [await launcher.start(f"echo-{seat}", run, environment) for seat in range(game.info.min_seats)]
            rate = await bare.measure(seconds, lambda: sum(bot.cpu_seconds() or 0.0 for bot in bots))
            await server.stop(1.0)
    return rate


class BareServer:
    """Says what a referee would say, from a list."""

    def __init__(self, game: AnyGame) -> None:
        self._seats = game.info.min_seats
        self._start, self._questions = ready_made(game)
        self._streams: list[tuple[AsyncIterator[bytes], grpc.aio.ServicerContext[bytes, bytes]]] = []
        self._complete: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def play(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """Greet a bot, seat it, and leave the stream to `measure`."""
        answers = aiter(requests)
        await anext(answers)
        await context.write(envelope.batch([envelope.welcome(envelope.PROTOCOL, "bench", LIMITS)]))
        await context.write(envelope.batch([self._start]))
        await anext(answers)
        self._streams.append((answers, context))
        if len(self._streams) == self._seats:
            self._complete.set_result(None)
        await self._over
        await context.write(envelope.batch([envelope.goodbye("measured")]))

    async def measure(self, seconds: float, bot_cpu: Callable[[], float]) -> Rate:
        """Question after question, each to the seat it was put to in the match."""
        await asyncio.wait_for(self._complete, 60)
        count, began, cpu, bots = 0, time.perf_counter(), time.process_time(), bot_cpu()
        while time.perf_counter() - began < seconds:
            seat, question = self._questions[count % len(self._questions)]
            answers, context = self._streams[seat]
            await context.write(question)
            await anext(answers)
            count += 1
        rate = Rate(
            decisions=count,
            seconds=time.perf_counter() - began,
            referee_cpu_seconds=time.process_time() - cpu,
            bot_cpu_seconds=bot_cpu() - bots,
        )
        self._over.set_result(None)
        return rate


def ready_made(game: AnyGame) -> tuple[bytes, list[tuple[Seat, bytes]]]:
    """A MatchStart and the questions of one random game, serialized, with the seats they are put to."""
    setting = Setting(game=game, variant=game.info.read_variant({}), seed="bench")
    terms, seats = setting.terms(), game.info.min_seats
    course = Course(game, seats, setting.variant, SeededChance(derive_secret("bench")))
    rng, wire = random.Random(1), find_wire(game.info.id)
    questions: list[tuple[Seat, bytes]] = []
    while course.outcome is None:
        choices = {}
        for seat, actions in course.asked.items():
            asked = make_question(course, wire, seat, len(questions) + 1)
            message = envelope.question(1, asked, wire.field, omit_options=False, omit_events=False)
            questions.append((seat, envelope.batch([message])))
            choices[seat] = rng.randrange(len(actions))
        course.choose(choices)
    introduction = Introduction(terms=terms, seat=Seat(0), seat_names=(YARDSTICK,) * seats)
    return envelope.match_start(1, introduction), questions


# (b) and (c)


async def measure_matches(game: AnyGame, seconds: float, tables: int, bot: BotSpec | None = None) -> Rate:
    """Real matches of a bot against itself, `tables` of them at once, for some seconds after everybody is warm."""
    setting = Setting(game=game, variant=game.info.read_variant({}), seed="bench")
    bot = bot or find_bot(YARDSTICK)
    async with BotHost() as host:
        bots = [await host.start_bot(bot) for _ in range(game.info.min_seats)]
        counter = Counter(host, setting, bots)
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

    def __init__(self, host: BotHost, setting: Setting, bots: Sequence[HostedBot]) -> None:
        self._host = host
        self._setting = setting
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

        await self._host.play(self._setting.terms(name), self._bots, watch)


# Does a match cost more after ten thousand others?


async def measure_growth(matches: int = 10_000) -> dict[str, Any]:
    """CPU per match and memory, over the first thousand matches and the last."""
    game = find_game(SHORT_GAME)
    setting = Setting(game=game, variant=game.info.read_variant(SHORT_VARIANT), seed="growth")
    bot: BotSpec = find_bot(YARDSTICK)
    async with BotHost() as host:
        bots = [await host.start_bot(bot) for _ in range(2)]
        counter = Counter(host, setting, bots)
        waiting = iter(range(matches))
        marks = []

        async def work() -> None:
            for number in waiting:
                if number % 1000 == 0:
                    marks.append((time.process_time(), memory_bytes()))
                await counter.play(str(number))

        workers: list[Coroutine[Any, Any, None]] = [work() for _ in range(TABLES)]
        await asyncio.gather(*workers)
        marks.append((time.process_time(), memory_bytes()))
    costs = [1e3 * (later[0] - earlier[0]) / 1000 for earlier, later in pairwise(marks)]
    return {
        "matches": matches,
        "cpu_millis_per_match": costs,
        "memory_bytes": [memory for _, memory in marks],
        "last_over_first": costs[-1] / costs[0],
    }


def memory_bytes() -> int:
    """What this process holds in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def show(report: dict[str, Any]) -> None:
    """The report for people."""
    out = console()
    table = Table("game", "what", "decisions/s", "referee µs", "bot µs", "ratio")
    for game in report["games"]:
        rows = [
            ("(a) echo", game["echo"], ""),
            ("(b) 1 table", game["one_table"], f"{game['one_table_over_echo']:.2f} of (a)"),
            ("(c) 8 tables", game["eight_tables"], f"{game['eight_tables_over_one_table']:.2f} of (b)"),
        ]
        for what, rate, ratio in rows:
            table.add_row(
                game["game"],
                what,
                f"{rate['decisions_per_second']:.0f}",
                f"{rate['referee_cpu_micros']:.0f}",
                f"{rate['bot_cpu_micros']:.0f}",
                ratio,
            )
        engine = game["engine"]["decisions_per_second"]
        table.add_row(game["game"], "(d) engine", f"{engine:.0f}", f"{1e6 / engine:.0f}", "", "")
    out.print(table)
    where = "referee and bots pinned to one core" if report["pinned"] else "unpinned"
    out.print(f"medians of {report['rounds']} interleaved runs of {report['seconds']:g} s, {where}", markup=False)
    if growth := report.get("growth"):
        costs, memory = growth["cpu_millis_per_match"], growth["memory_bytes"]
        out.print(
            f"{growth['matches']} short matches: {costs[0]:.2f} ms of CPU each in the first thousand, "
            f"{costs[-1]:.2f} in the last ({growth['last_over_first']:.2f} times); "
            f"memory {memory[1] / 1e6:.0f} to {memory[-1] / 1e6:.0f} MB",
            markup=False,
        )
