"""Bot processes that are kept for many matches.

A process belongs to a lane: it sits only in matches of that rotation of a block, and there is one such match per
block. So no process ever meets the same luck twice, and it is still started only once. After a void match its
processes are let go, because they have seen the luck with which it is played again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from referee import clock
from referee.errors import BotFault, ConfigError, FaultKind
from referee.match import Player, Terms
from referee.records.record import BotIdentity
from server.bots.spec import BotSpec
from server.hosting.stage import Absent, Contender, Stage


class NeverStarted:
    """Stands for a bot whose program cannot be started at all."""

    def __init__(self, spec: BotSpec, reason: str) -> None:
        self.spec = spec
        self._reason = reason

    def identity(self) -> BotIdentity:
        """What its manifest says."""
        return self.spec.identity

    async def player(self, terms: Terms) -> Player:
        """A seat that forfeits."""
        return Absent(self.spec.name, BotFault(FaultKind.NO_SHOW, self._reason, clock.now()))


@dataclass(slots=True, eq=False)
class Hand:
    """One process and what it is doing."""

    bot: Contender | NeverStarted
    slots: int = 0
    busy: int = 1
    spoilt: bool = False
    """Has to go after its matches."""

    @property
    def is_usable(self) -> bool:
        """Whether it can take another match."""
        return not self.spoilt and isinstance(self.bot, Contender) and not self.bot.is_gone


Place = tuple[BotSpec, int]
"""What a process is, and its lane. Not by name: another version may bear the same one."""


class Crew:
    """The bot processes of one stage."""

    def __init__(self, stage: Stage, *, tables: int, idle_limit: int) -> None:
        self._stage = stage
        self._tables = asyncio.Semaphore(tables)
        self._idle_limit = idle_limit
        self._hands: dict[Place, list[Hand]] = {}
        self._starting: dict[Place, asyncio.Event] = {}
        self._idle: dict[Hand, Place] = {}  # the longest idle first
        self._leaving: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def hire(
        self, bots: Sequence[BotSpec], lane: int, start_seconds: float, *, fresh: bool
    ) -> AsyncIterator[list[Hand]]:
        """A table and a process for each of its seats, for one match."""
        async with self._tables:
            taken = await asyncio.gather(
                *(self._take(bot, lane, start_seconds, fresh) for bot in bots), return_exceptions=True
            )
            try:
                for failure in taken:
                    if isinstance(failure, BaseException):
                        raise failure
                yield [hand for hand in taken if isinstance(hand, Hand)]
            finally:
                for bot, hand in zip(bots, taken, strict=True):
                    if isinstance(hand, Hand):
                        self._release((bot, lane), hand)

    def spoil(self, hand: Hand) -> None:
        """It has met luck that will be played again: it has to go, now or after its matches."""
        hand.spoilt = True
        if hand in self._idle:
            self._let_go(self._idle[hand], hand)

    async def close(self) -> None:
        """Wait for those who are leaving. The stage ends all others."""
        if self._leaving:
            await asyncio.wait(self._leaving)

    async def _take(self, spec: BotSpec, lane: int, start_seconds: float, fresh: bool) -> Hand:
        place = (spec, lane)
        hands = self._hands.setdefault(place, [])
        if fresh:
            return await self._start(place, start_seconds, fresh=True)
        while True:
            free = next((hand for hand in hands if hand.is_usable and hand.busy < hand.slots), None)
            if free is not None:
                free.busy += 1
                self._idle.pop(free, None)
                return free
            if spec.slots == 1 or place not in self._starting:
                break
            await self._starting[place].wait()  # it may have a slot for us
        arrived = self._starting[place] = asyncio.Event()
        try:
            return await self._start(place, start_seconds, fresh=False)
        finally:
            if self._starting.get(place) is arrived:
                del self._starting[place]
            arrived.set()

    async def _start(self, place: Place, start_seconds: float, *, fresh: bool) -> Hand:
        spec, _ = place
        try:
            bot = await self._stage.start_bot(spec)
        except ConfigError as error:
            return Hand(NeverStarted(spec, str(error)))
        hand = Hand(bot, spoilt=fresh)
        self._hands[place].append(hand)
        try:
            hand.slots = await bot.slots(start_seconds)
        except asyncio.CancelledError:
            self._let_go(place, hand)  # nobody would ever release it
            raise
        return hand

    def _release(self, place: Place, hand: Hand) -> None:
        hand.busy -= 1
        if hand.busy:
            return
        if not hand.is_usable:
            self._let_go(place, hand)
            return
        self._idle[hand] = place
        if len(self._idle) > self._idle_limit:
            oldest = next(iter(self._idle))
            self._let_go(self._idle[oldest], oldest)

    def _let_go(self, place: Place, hand: Hand) -> None:
        self._idle.pop(hand, None)
        if hand in self._hands[place]:
            self._hands[place].remove(hand)
        if isinstance(hand.bot, Contender):
            task = asyncio.create_task(self._stage.retire(hand.bot))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
