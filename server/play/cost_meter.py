"""Measures what the bots of a worker cost, for table_choice.py."""

from __future__ import annotations

import time
from collections import Counter

from server.hosting.bot_pool import BotPool, Work
from server.play.block_jobs import BlockJob, BlockResult
from server.play.table_choice import BotCost, BotInGame

PERIOD_SECONDS = 0.25
"""Shortest time between two measurements."""


class CostMeter:
    """Measures the bots of one worker."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._running: Counter[BotInGame] = Counter()
        self._played: Counter[BotInGame] = Counter()
        """Matches since the last measurement. Those that are still running count as none, so that the game is known."""
        self._due = 0.0

    def begin(self, job: BlockJob) -> None:
        """A part begins."""
        for bot in job.bots:
            self._running[job.game, bot.name] += 1
            self._played[job.game, bot.name] += 0

    def end(self, job: BlockJob, result: BlockResult) -> None:
        """A part was played."""
        for bot in job.bots:
            self._running[job.game, bot.name] -= 1
            self._played[job.game, bot.name] += len(result.matches)

    def take(self) -> dict[BotInGame, BotCost]:
        """The costs since the last measurement; nothing if that was not long ago."""
        if time.monotonic() < self._due:
            return {}
        self._due = time.monotonic() + PERIOD_SECONDS
        work, slots = self._pool.take_work(), self._pool.slots()
        games = Counter(bot for _, bot in self._played)  # of a bot that played two games we do not know the shares
        costs: dict[BotInGame, BotCost] = {}
        for (game, bot), matches in self._played.items():
            if games[bot] == 1:
                done = work.get(bot, Work())
                costs[game, bot] = BotCost(matches, done.questions, done.cpu_seconds, slots.get(bot, 1))
        self._played = Counter({key: 0 for key, count in self._running.items() if count})
        return costs
