"""Plays one match of an arena: hosted bots are started or taken from the pool, remote bots are already connected."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial

from referee.match.clock import TimeControl
from referee.match.match import MatchResult, Terms, Watcher
from referee.match.notes import EVERYBODY
from server.arena.ladders.bot_check import check_bot
from server.arena.ladders.lobby import Member, MissingBot
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.bot_pool import BotPool
from server.hosting.hosted_bot import SeatedBot
from server.play.play_match import Table, play_match
from server.play.recorded_match import RecordedMatch, VoidMatch
from server.tournament.manifest import Contest
from tortuga.v1.record_pb2 import RecordPlace


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
        self,
        terms: Terms,
        seats: Sequence[tuple[str, Member | None]],
        *,
        place: RecordPlace | None = None,
        notes: str = EVERYBODY,
        watcher: Watcher | None = None,
        ended: Callable[[MatchResult], None] = lambda result: None,
    ) -> RecordedMatch | VoidMatch:
        """Play one match. Each seat has a name in the record and a bot, or none if it is not connected.

        It is tried once. A void match gets other luck when it is played again, so its bots need not be retired.
        """
        return await play_match(
            self._host,
            terms,
            partial(self._open, seats, terms.clock.start_seconds),
            place=place,
            notes=notes,
            watcher=watcher,
            ended=lambda result, bots: ended(result),
        )

    @asynccontextmanager
    async def _open(self, seats: Sequence[tuple[str, Member | None]], start_seconds: float) -> AsyncIterator[Table]:
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
            yield Table(bots)
