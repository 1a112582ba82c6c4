"""The bots side by side: how long each takes to start, how much memory it holds, and what a decision costs it.

A bot plays against itself, so its choices and the referee are the same for every language; `random` in each language
answers by index, so what is measured is the client: gRPC, protobuf and the SDK.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from typing import Any

from bench.process_costs import resident_bytes
from bench.referee import TABLES, measure_matches
from referee.games import find_game
from referee.match import clock
from server.bots.kits import state_of
from server.bots.spec import BotSpec, find_bot, sample_bots
from server.hosting.bot_host import BotHost

PATIENCE_SECONDS = 60.0
GAME = "pavillon_noir"


def in_every_language(name: str) -> list[str]:
    """Return the bot of that name in Python, and in the languages in which it is built."""
    found = [spec for spec in sample_bots() if spec == name or spec.startswith(f"{name}-")]
    return [spec for spec in found if state_of(find_bot(spec)) == "ready"]


async def measure_bots(bots: Sequence[BotSpec], game_id: str, seconds: float, rounds: int) -> dict[str, Any]:
    """Measure all bots, interleaved, so that a noisy minute does not hit only one of them."""
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
