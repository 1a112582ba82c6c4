"""What bots cost: side by side, and at each level of confinement.

A bot plays against itself, so its choices and the referee are the same for every language; `random` in each language
answers by index, so what is measured is the client: gRPC, protobuf and the SDK. Of confinement we measure the start of
a bot, a decision and a whole event at each level that this machine has.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.processes import resident_bytes
from bench.referee import TABLES, measure_matches
from referee.errors import ConfigError, TortugaError
from referee.games import find_game
from referee.match import clock
from server.bots.kits import state_of
from server.bots.spec import BotSpec, find_bot, sample_bots
from server.hosting.bot_host import BotHost
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.jail.machine import obstacle

PATIENCE_SECONDS = 60.0
GAME = "pavillon_noir"


def in_every_language(name: str) -> list[str]:
    """Return the bot of that name in Python, and in the languages in which it is built."""
    specs = [spec for spec in sample_bots() if spec == name or spec.startswith(f"{name}-")]
    return [spec for spec in specs if state_of(find_bot(spec)) == "ready"]


async def measure_bots(bots: Sequence[BotSpec], game_id: str, seconds: float, rounds: int) -> dict[str, Any]:
    """Measure all bots, interleaved, so that a noisy minute does not hit only one of them."""
    game = find_game(game_id)
    figures: dict[str, dict[str, list[float]]] = {bot.name: {} for bot in bots}

    def note(bot: BotSpec, what: str, value: float) -> None:
        figures[bot.name].setdefault(what, []).append(value)

    for _ in range(rounds):
        for bot in bots:
            started, memory = await measure_start(bot)
            note(bot, "start_seconds", started)
            note(bot, "memory_bytes", memory)
            for name, tables in (("one_table", 1), ("eight_tables", TABLES)):
                rate = await measure_matches(game, seconds, tables, bot)
                note(bot, f"{name}_bot_cpu_micros", 1e6 * rate.bot_cpu_seconds / rate.decisions)
                note(bot, f"{name}_decisions_per_second", rate.per_second)
    return {
        "game": game.info.id,
        "rounds": rounds,
        "seconds": seconds,
        "bots": [
            {"bot": bot.name, "language": bot.language}
            | {what: statistics.median(values) for what, values in figures[bot.name].items()}
            for bot in bots
        ],
    }


async def measure_start(bot: BotSpec) -> tuple[float, float]:
    """Return the seconds from the start of a bot's process to its Hello, and the memory it then holds."""
    async with BotHost() as host:
        began = clock.now()
        hosted = await host.start_bot(bot)
        await hosted.arrive(PATIENCE_SECONDS)
        took = clock.now() - began
        await asyncio.sleep(0.1)
        return took, resident_bytes(hosted.process.pid)


# What confinement costs

BOT = "random"
STARTS = 5
"""Per round and level: one start is short."""
EVENT_BOTS = ("random", "bare", "gunner")
EVENT_ROUNDS = 30
"""Of every pair in the event, per second of a measurement."""


async def measure_levels(seconds: float, rounds: int) -> dict[str, Any]:
    """Measure all levels that can be had here, interleaved, so that a noisy minute does not hit only one of them."""
    levels = [level for level in JailLevel if not obstacle(level) and await can_start(level)]
    figures: dict[str, dict[str, list[float]]] = {level: {} for level in levels}

    def note(level: JailLevel, what: str, value: float) -> None:
        figures[level].setdefault(what, []).append(value)

    for number in range(rounds):
        for level in levels[::-1] if number % 2 else levels:
            for _ in range(STARTS):
                note(level, "start_seconds", await measure_confined_start(Confinement(level=level)))
            new_host = partial(BotHost, confinement=Confinement(level=level))
            rate = await measure_matches(find_game(GAME), seconds, 1, find_bot(BOT), new_host)
            note(level, "decisions_per_second", rate.per_second)
            note(level, "event_seconds", await asyncio.to_thread(measure_event, level, seconds, number))
    base = figures[JailLevel.NONE]
    return {
        "rounds": rounds,
        "seconds": seconds,
        "levels": [
            {
                "level": str(level),
                "start_seconds": statistics.median(figures[level]["start_seconds"]),
                "decisions_per_second": statistics.median(figures[level]["decisions_per_second"]),
                "event_seconds": statistics.median(figures[level]["event_seconds"]),
                # Round by round, because the machine may be slower in one than in another.
                "decisions_over_none": median_ratio(figures[level], base, "decisions_per_second"),
                "event_over_none": median_ratio(figures[level], base, "event_seconds"),
            }
            for level in levels
        ],
    }


def median_ratio(ours: dict[str, list[float]], base: dict[str, list[float]], what: str) -> float:
    """Return the median of the ratios within each round."""
    return statistics.median(mine / theirs for mine, theirs in zip(ours[what], base[what], strict=True))


async def can_start(level: JailLevel) -> bool:
    """Check whether the bot can be started at a level: as root, `process` needs a Python that all users may read."""
    try:
        await measure_confined_start(Confinement(level=level))
    except ConfigError:
        return False
    return True


async def measure_confined_start(confinement: Confinement) -> float:
    """Return the seconds from the start of a bot to its Hello."""
    async with BotHost(confinement=confinement) as host:
        began = clock.now()
        hosted = await host.start_bot(find_bot(BOT))
        await hosted.arrive(PATIENCE_SECONDS)
        return clock.now() - began


def measure_event(level: JailLevel, seconds: float, number: int) -> float:
    """Return the seconds that a whole event takes, as a user runs it."""
    with tempfile.TemporaryDirectory(prefix="tortuga-") as path:
        command = [sys.executable, "-P", "-m", "server", "tournament", "run", str(Path(path) / "event"), "--game", GAME]
        command += [word for bot in EVENT_BOTS for word in ("--bot", bot)]
        rounds = max(1, round(EVENT_ROUNDS * seconds))
        command += ["--rounds", str(rounds), "--seed", f"bench {number}", "--jail", level]
        began = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        took = time.perf_counter() - began
    if done.returncode:
        raise TortugaError(f"the event at the level {level} failed: {done.stderr[-2000:].decode(errors='replace')}")
    return took
