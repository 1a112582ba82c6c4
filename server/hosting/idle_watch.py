"""Ends bots that use the processor without an open question, because others are playing at that time.

It looks at each bot once in a while and costs nothing per decision. Only the time between two looks counts in which no
question was open at all, so a bot is never charged for a moment of its match.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from server.hosting.hosted_bot import HostedBot
from server.jail.limits import IDLE, IDLE_CPU_SECONDS
from server.system.logs import get_logger

LOOK_SECONDS = 1.0

log = get_logger()


@dataclass(slots=True)
class Look:
    """Readings taken when a bot began to be idle."""

    questions: int
    cpu_seconds: float


class IdleWatch:
    """Checks the bots of one host from time to time."""

    def __init__(self) -> None:
        self._bots: dict[HostedBot, Look | None] = {}
        self._task: asyncio.Task[None] | None = None

    def add(self, bot: HostedBot) -> None:
        """Look at this bot, too, until it ends."""
        self._bots[bot] = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Look at every bot once."""
        for bot, first in [*self._bots.items()]:
            if bot.is_gone:
                del self._bots[bot]
            elif not bot.is_idle or (seconds := bot.process.cpu_seconds()) is None:
                self._bots[bot] = None
            elif first is None or first.questions != bot.questions:
                self._bots[bot] = Look(bot.questions, seconds)
            elif (used := seconds - first.cpu_seconds) > IDLE_CPU_SECONDS:
                bot.process.end_for_crossing(IDLE, used, IDLE_CPU_SECONDS)
                log.warning("bot_worked_while_idle", bot=bot.spec.name, cpu_seconds=round(used, 2))
                del self._bots[bot]
