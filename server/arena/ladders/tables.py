"""The tables of an arena: playing one match at them, what is being played, and how quickly bots answer.

Hosted bots are started or taken from the pool, remote bots are already connected.
"""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from referee.door.spectator import SpectatorFeed
from referee.match import clock
from referee.match.clock import TimeControl
from referee.match.match import Chooser, MatchResult, Terms, Watcher
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

WINDOW_SECONDS = 60
STEP = math.log(1.1)
SHORTEST_SECONDS = 1e-5


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunningMatch:
    """A match being played."""

    match_id: str
    contest: str
    event: str
    """Empty: it is a ladder match."""
    entries: tuple[str, ...]
    versions: tuple[str, ...]
    started_millis: int
    feed: SpectatorFeed | None
    """None: it is played on a machine of the cluster, where nobody can watch it."""
    game: str = ""
    place: RecordPlace | None = None
    """Its place in the event. None: it is not in one."""
    challenger: str = ""
    """The bot that made a challenge. Empty: it is not a challenge."""


def running_match(terms: Terms, contest: str, seats: Sequence[tuple[str, Member | None]]) -> RunningMatch:
    """Describe a ladder match that begins now."""
    return RunningMatch(
        match_id=terms.match_id,
        contest=contest,
        event="",
        entries=tuple(name for name, _ in seats),
        versions=tuple(member.version if member else "" for _, member in seats),
        started_millis=int(time.time() * 1000),
        feed=None,
        game=terms.game.info.id,
    )


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


class AnswerTimes:
    """The answers of matches that ended within the last minute."""

    def __init__(self) -> None:
        self._rows: deque[tuple[int, Counter[int]]] = deque()

    def add(self, result: MatchResult) -> None:
        """Add all answers of a match."""
        second = int(clock.now())
        if not self._rows or self._rows[-1][0] != second:
            self._rows.append((second, Counter()))
        self._drop_old(second)
        log, row = math.log, self._rows[-1][1]
        for moment in result.moments:
            for answer in moment.answers:
                if answer.source is Chooser.BOT:
                    row[math.ceil(log(max(1.0, answer.seconds / SHORTEST_SECONDS)) / STEP)] += 1

    def percentiles(self, *shares: float) -> list[float]:
        """Return the time within which each share of the answers came, in seconds; 0 without answers."""
        self._drop_old(int(clock.now()))
        total: Counter[int] = Counter()
        for _, row in self._rows:
            total.update(row)
        return [self._within(total, share) for share in shares]

    @staticmethod
    def _within(counts: Counter[int], share: float) -> float:
        wanted, seen = share * counts.total(), 0
        for step in sorted(counts):
            seen += counts[step]
            if seen >= wanted:
                return SHORTEST_SECONDS * math.exp(STEP * step)
        return 0.0

    def _drop_old(self, second: int) -> None:
        while self._rows and self._rows[0][0] < second - WINDOW_SECONDS:
            self._rows.popleft()
