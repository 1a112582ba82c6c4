"""Bot processes that are kept for many matches.

A process belongs to a lane. The caller plays at most one match of each lane with the same luck, so no process meets
the same luck twice, and it is still started only once. Within its lane it serves as many tables as it has slots, and
no other is started while it has one left. After a void match its processes are retired, because they have seen the
luck with which it is played again (server/play/block_parts.py has the whole argument).
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from referee.errors import BotFault, ConfigError, FaultKind
from referee.match import clock
from referee.match.ids import BotIdentity
from referee.match.match import Player, Terms
from server.bots.spec import BotSpec
from server.hosting.bot_host import BotHost
from server.hosting.hosted_bot import AbsentPlayer, HostedBot


class UnstartableBot:
    """Stands for a bot whose program cannot be started at all."""

    def __init__(self, spec: BotSpec, reason: str) -> None:
        self.spec = spec
        self._reason = reason

    def identity(self) -> BotIdentity:
        """Return what its manifest says."""
        return self.spec.identity

    async def player(self, terms: Terms) -> Player:
        """Return a player that forfeits."""
        return AbsentPlayer(self.spec.name, BotFault(FaultKind.NO_SHOW, self._reason, clock.now()))


@dataclass(slots=True)
class Work:
    """How much a bot was asked, and the processor time it used."""

    questions: int = 0
    cpu_seconds: float = 0.0


@dataclass(slots=True, eq=False)
class PooledBot:
    """One bot of the pool and how busy it is."""

    bot: HostedBot | UnstartableBot
    slots: int = 0
    """Matches it can play at once."""
    busy: int = 1
    """Matches it plays now."""
    retiring: bool = False
    """Stopped as soon as its matches are over."""
    work: Work = field(default_factory=Work)
    """What it had done when that was last read."""

    @property
    def is_usable(self) -> bool:
        """Check whether it can take another match."""
        return not self.retiring and isinstance(self.bot, HostedBot) and not self.bot.is_gone


PoolKey = tuple[BotSpec, str, int]
"""A bot as it sits at the table, its own name, and its lane. Another version of it may have the same name."""


class BotPool:
    """The bot processes of one host, started when needed and kept while idle."""

    def __init__(self, host: BotHost, *, tables: int, idle_limit: int) -> None:
        self._host = host
        self.tables = TableLimit(tables)
        self._idle_limit = idle_limit
        self._bots: dict[PoolKey, list[PooledBot]] = {}
        self._starting: dict[PoolKey, asyncio.Event] = {}
        self._idle: dict[PooledBot, PoolKey] = {}  # the longest idle first
        self._stopping: set[asyncio.Task[None]] = set()
        self._work: defaultdict[str, Work] = defaultdict(Work)
        """By bot, since it was last taken."""
        self._banned: Mapping[str, str] = {}
        """The bots that may not play, and why."""
        self._endings: Counter[str] = Counter()
        """By bot, how often its processes of that time were ended or retired."""

    @asynccontextmanager
    async def acquire(
        self, specs: Sequence[BotSpec], lane: int, start_seconds: float, *, fresh: bool, names: Sequence[str] = ()
    ) -> AsyncIterator[list[PooledBot]]:
        """Give a table and a bot for each of its seats, for one match. `fresh`: newly started, stopped afterwards.

        `names` are the bots' own names, where they sit at the table under others.
        """
        keys = [(spec, name, lane) for spec, name in zip(specs, names or [spec.name for spec in specs], strict=True)]
        async with self.tables.table():
            acquired = await asyncio.gather(
                *(self._acquire(key, start_seconds, fresh) for key in keys), return_exceptions=True
            )
            try:
                for failure in acquired:
                    if isinstance(failure, BaseException):
                        raise failure
                yield [pooled for pooled in acquired if isinstance(pooled, PooledBot)]
            finally:
                for key, pooled in zip(keys, acquired, strict=True):
                    if isinstance(pooled, PooledBot):
                        self._release(key, pooled)

    def retire(self, bots: Iterable[PooledBot]) -> None:
        """Stop bots that have met luck which will be played again: now, or when their matches are over."""
        for pooled in bots:
            pooled.retiring = True
            if pooled in self._idle:
                self._remove(self._idle[pooled], pooled)

    def retire_all(self, name: str) -> None:
        """Stop all processes of a bot: the idle ones now, each of the others when its matches are over."""
        self._endings[name] += 1
        self.retire(pooled for _, pooled in self._processes_of(name))

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why.

        Their processes end at once: they lose the matches they are playing. Their next matches they lose by not coming.
        """
        added = {name: reason for name, reason in banned.items() if name not in self._banned}
        self._banned = dict(banned)
        for name, reason in added.items():
            for _, pooled in self._processes_of(name):
                if isinstance(pooled.bot, HostedBot):
                    pooled.bot.expel(reason)
            self.retire_all(name)

    def _processes_of(self, name: str) -> list[tuple[PoolKey, PooledBot]]:
        return [(key, pooled) for key, bots in self._bots.items() if key[1] == name for pooled in bots]

    def take_work(self) -> dict[str, Work]:
        """Return by bot what its processes have done since the last call."""
        for bots in self._bots.values():
            for pooled in bots:
                self._read_work(pooled)
        taken, self._work = dict(self._work), defaultdict(Work)
        return taken

    def slots(self) -> dict[str, int]:
        """Return by bot how many matches one of its processes plays at once."""
        return {spec.name: pooled.slots for (spec, _, _), bots in self._bots.items() for pooled in bots if pooled.slots}

    def _read_work(self, pooled: PooledBot) -> None:
        if isinstance(pooled.bot, HostedBot) and pooled.slots:  # it has arrived
            seconds = pooled.bot.process.cpu_seconds()
            if seconds is not None:
                done, total = pooled.work, self._work[pooled.bot.spec.name]
                total.questions += pooled.bot.questions - done.questions
                total.cpu_seconds += seconds - done.cpu_seconds
                pooled.work = Work(pooled.bot.questions, seconds)

    async def close(self) -> None:
        """Wait for the bots that are being stopped. The host ends all others."""
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _acquire(self, key: PoolKey, start_seconds: float, fresh: bool) -> PooledBot:
        spec, name, _ = key
        bots = self._bots.setdefault(key, [])
        while True:
            if name in self._banned:
                return PooledBot(UnstartableBot(spec, self._banned[name]))
            if fresh:
                return await self._start(key, start_seconds, fresh=True)
            free = next((pooled for pooled in bots if pooled.is_usable and pooled.busy < pooled.slots), None)
            if free is not None:
                free.busy += 1
                self._idle.pop(free, None)
                return free
            if spec.slots == 1 or key not in self._starting:
                break
            await self._starting[key].wait()  # the one that is starting may have a slot for us
        arrived = self._starting[key] = asyncio.Event()
        try:
            return await self._start(key, start_seconds, fresh=False)
        finally:
            if self._starting.get(key) is arrived:
                del self._starting[key]
            arrived.set()

    async def _start(self, key: PoolKey, start_seconds: float, *, fresh: bool) -> PooledBot:
        spec, name, _ = key
        endings = self._endings[name]
        try:
            bot = await self._host.start_bot(spec)
        except ConfigError as error:
            return PooledBot(UnstartableBot(spec, str(error)))
        pooled = PooledBot(bot, retiring=fresh or self._endings[name] > endings)
        self._bots[key].append(pooled)
        if name in self._banned:
            bot.expel(self._banned[name])
        try:
            pooled.slots = await bot.slots(start_seconds)
            pooled.work.cpu_seconds = bot.process.cpu_seconds() or 0.0  # what it took to start is not thinking
        except asyncio.CancelledError:
            self._remove(key, pooled)  # nobody would ever release it
            raise
        return pooled

    def _release(self, key: PoolKey, pooled: PooledBot) -> None:
        pooled.busy -= 1
        if pooled.busy:
            return
        if not pooled.is_usable:
            self._remove(key, pooled)
            return
        self._idle[pooled] = key
        if len(self._idle) > self._idle_limit:
            oldest = next(iter(self._idle))
            self._remove(self._idle[oldest], oldest)

    def _remove(self, key: PoolKey, pooled: PooledBot) -> None:
        self._read_work(pooled)
        self._idle.pop(pooled, None)
        if pooled in self._bots[key]:
            self._bots[key].remove(pooled)
        if isinstance(pooled.bot, HostedBot):
            task = asyncio.create_task(self._host.stop_bot(pooled.bot))
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)


class TableLimit:
    """Limits the number of simultaneous matches. Those who wait for a table get one in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._used = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def set(self, count: int) -> None:
        """Change the number of tables. Those in use stay so, even if they are more."""
        self._count = count
        self._hand_out()

    @asynccontextmanager
    async def table(self) -> AsyncIterator[None]:
        """Hold a table, as soon as there is one."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._hand_out()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._used -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._used < self._count:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                turn.set_result(None)
                self._used += 1
