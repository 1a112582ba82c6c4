"""The bots side by side: how long each takes to start, how much memory it holds, and what a decision costs it.

A bot plays against itself, so its choices and the referee are the same for every language; `random` in each language
answers by index, so what is measured is the client: gRPC, protobuf and the SDK.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvloop
from rich.table import Table

from referee import clock
from referee.games import find_game
from server.bench.referee import TABLES, measure_matches
from server.bots.kits import state_of
from server.bots.spec import BotSpec, find_bot, sample_bots
from server.cli.output import console, print_json
from server.hosting.bot_host import BotHost

PATIENCE_SECONDS = 60.0
GAME = "pavillon_noir"


def run(specs: Sequence[str], *, games: Sequence[str], seconds: float, rounds: int, as_json: bool) -> None:
    """Measure and print; by default `random` in every language that is built."""
    bots = [find_bot(spec) for spec in specs or everywhere("random")]
    report = uvloop.run(measure(bots, games[0] if games else GAME, seconds, rounds))
    if as_json:
        print_json(report)
    else:
        show(report)


def everywhere(name: str) -> list[str]:
    """The bot of that name in Python, and in the languages in which it is built."""
    found = [spec for spec in sample_bots() if spec == name or spec.startswith(f"{name}-")]
    return [spec for spec in found if state_of(find_bot(spec)) == "ready"]


async def measure(bots: Sequence[BotSpec], game_id: str, seconds: float, rounds: int) -> dict[str, Any]:
    """All bots, interleaved, so that a noisy minute does not fall upon one of them."""
    game = find_game(game_id)
    found: dict[str, dict[str, list[float]]] = {bot.name: {} for bot in bots}

    def note(bot: BotSpec, what: str, value: float) -> None:
        found[bot.name].setdefault(what, []).append(value)

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
            | {what: statistics.median(values) for what, values in found[bot.name].items()}
            for bot in bots
        ],
    }


async def measure_start(bot: BotSpec) -> tuple[float, float]:
    """Seconds from the start of the process to its Hello, and the memory it then holds."""
    async with BotHost() as host:
        began = clock.now()
        hosted = await host.start_bot(bot)
        await hosted.arrive(PATIENCE_SECONDS)
        took = clock.now() - began
        await asyncio.sleep(0.1)
        return took, resident_bytes(hosted.process.pid)


def resident_bytes(pid: int) -> float:
    """The memory of a process, as the kernel counts it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return float(line.split()[1]) * 1024
    return 0.0


def show(report: dict[str, Any]) -> None:
    """For people."""
    table = Table(
        "bot", "language", "start", "memory", "CPU/decision, 1 table", "8 tables", "decisions/s, 1 table", "8"
    )
    for bot in report["bots"]:
        table.add_row(
            bot["bot"],
            bot["language"],
            f"{bot['start_seconds'] * 1000:.0f} ms",
            f"{bot['memory_bytes'] / 1e6:.0f} MB",
            f"{bot['one_table_bot_cpu_micros']:.0f} µs",
            f"{bot['eight_tables_bot_cpu_micros']:.0f} µs",
            f"{bot['one_table_decisions_per_second']:.0f}",
            f"{bot['eight_tables_decisions_per_second']:.0f}",
        )
    out = console()
    out.print(table)
    out.print(
        f"each bot against itself in {report['game']}; medians of {report['rounds']} interleaved runs of "
        f"{report['seconds']:g} s; start: process to Hello",
        markup=False,
    )
