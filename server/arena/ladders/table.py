"""Plays one match of an arena: hosted bots are started or taken from the pool, remote bots are already connected."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from referee.match.clock import TimeControl
from referee.match.match import Terms, Watcher
from server.arena.ladders.bot_check import check_bot
from server.arena.ladders.lobby import Member, MissingBot
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool
from server.hosting.hosted_bot import SeatedBot
from server.play.finished_match import FinishedMatch, finish_match
from server.tournament.manifest import Contest


class Tables:
    """Plays the matches of an arena."""

    def __init__(self, host: BotHost, pool: BotPool) -> None:
        self._host = host
        self._pool = pool

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which hosted bots may not play from now on, and why: their processes end at once."""
        self._pool.set_banned(banned)

    def retire(self, name: str) -> None:
        """Let a hosted bot finish its matches in the version it has been playing, and start no more of these."""
        self._pool.retire_all(name)

    async def check(self, spec: BotSpec, contests: Sequence[Contest], clock: TimeControl) -> None:
        """Refuse a bot that cannot play against itself."""
        await check_bot(self._host, spec, contests, clock)

    async def play(
        self, terms: Terms, seats: Sequence[tuple[str, Member | None]], watcher: Watcher | None = None
    ) -> FinishedMatch:
        """Play one match. Each seat has a name in the record and a bot, or none if it is not connected."""
        start_seconds = terms.clock.start_seconds
        async with AsyncExitStack() as stack:
            bots: list[SeatedBot] = []
            for name, member in seats:
                if member is None:
                    bots.append(MissingBot(name, start_seconds))
                elif member.spec is None:
                    bots.append(member.seat(name))
                else:
                    spec = replace(member.spec, name=name)
                    [pooled] = await stack.enter_async_context(
                        self._pool.acquire([spec], 0, start_seconds, fresh=False, names=[member.name])
                    )
                    bots.append(pooled.bot)
            started = int(time.time() * 1000)
            result = await self._host.play(terms, bots, watcher)
            return finish_match(result, bots, started)
