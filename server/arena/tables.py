"""One match between whoever is there: hosted bots are started or found idle, remote ones sit down as they are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from referee.match import Terms, Watcher
from server.arena.lobby import Member, MissingBot
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool
from server.hosting.hosted_bot import SeatedBot
from server.tournament.finished_match import FinishedMatch, finish_match


class Tables:
    """Where matches of an arena are played."""

    def __init__(self, host: BotHost, pool: BotPool) -> None:
        self._host = host
        self._pool = pool

    async def play(
        self, terms: Terms, seats: Sequence[tuple[str, Member | None]], watcher: Watcher | None = None
    ) -> FinishedMatch:
        """One match; each seat has a name in the record and a bot, or none if it did not come."""
        start_seconds = terms.clock.start_seconds
        async with AsyncExitStack() as stack:
            sitters: list[SeatedBot] = []
            for name, member in seats:
                if member is None:
                    sitters.append(MissingBot(name, start_seconds))
                elif member.spec is None:
                    sitters.append(member.seat(name))
                else:
                    spec = replace(member.spec, name=name)
                    [pooled] = await stack.enter_async_context(
                        self._pool.acquire([spec], lane=0, start_seconds=start_seconds, fresh=False)
                    )
                    sitters.append(pooled.bot)
            started = int(time.time() * 1000)
            result = await self._host.play(terms, sitters, watcher)
            return finish_match(result, sitters, started)
