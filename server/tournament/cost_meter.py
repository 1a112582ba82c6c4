"""Measures what the bots of a worker cost, for table_choice.py."""

from __future__ import annotations

import time
from collections import Counter

from server.hosting.bot_pool import BotPool
from server.tournament.summary import MatchSummary
from server.tournament.table_choice import BotCost, BotInGame

PERIOD_SECONDS = 0.25
"""Shortest time between two measurements."""


class CostMeter:
    """Measures the bots of one worker."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._matches: Counter[BotInGame] = Counter()
        self._answers: Counter[BotInGame] = Counter()
        self._due = 0.0

    def add(self, game: str, match: MatchSummary) -> None:
        """Count the answers of a match."""
        for seat in match.seats:
            self._matches[game, seat.bot] += 1
            self._answers[game, seat.bot] += seat.answers

    def take(self) -> dict[BotInGame, BotCost]:
        """The costs since the last time; nothing if that is not long ago."""
        if time.monotonic() < self._due:
            return {}
        self._due = time.monotonic() + PERIOD_SECONDS
        spent, slots = self._pool.take_cpu_seconds(), self._pool.slots()
        games = Counter(bot for _, bot in self._matches)  # of a bot that played two games we do not know the shares
        costs = {
            (game, bot): BotCost(count, self._answers[game, bot], spent.get(bot, 0.0), slots.get(bot, 1))
            for (game, bot), count in self._matches.items()
            if games[bot] == 1
        }
        self._matches.clear()
        self._answers.clear()
        return costs
