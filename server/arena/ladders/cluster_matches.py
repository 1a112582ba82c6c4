"""Plays ladder matches of an arena on the machines of a cluster, while it can be reached.

The hall decides who plays, and writes results; a machine plays and sends the record back. Each match is a separate
block with its own luck, so whatever is lost on the way can be replayed anywhere. While the cluster cannot be reached,
or a bot cannot be sent there, matches are played at the arena's own tables.

This module does not depend on Dask: it is given a function that makes a pool (server/cluster/pool.py), which it calls
again after a while when the scheduler is gone.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from referee.errors import ConfigError, TortugaError
from referee.match import clock
from referee.match.match import Terms
from server.bots.spec import BotSpec
from server.jail.confinement import Confinement
from server.play.block_jobs import BlockJob, BlockResult
from server.play.pool import BlockPool, Worker
from server.play.recorded_match import VoidMatch
from server.system.logs import get_logger
from server.tournament.manifest import Contest

RETRY_SECONDS = 5.0
"""Time between two tries to reach a cluster."""
START_SECONDS = 60.0
"""How long a cluster may take to answer."""
HOME_SECONDS = 300.0
"""How long a bot that a machine could not play stays at the arena's own tables before it is sent out again."""

log = get_logger()

Answer = asyncio.Future[BlockResult]


class MachinePool(BlockPool, Protocol):
    """A pool whose bots travel: what an arena asks of its cluster besides."""

    @property
    def refused(self) -> Mapping[str, str]:
        """Return why machines do not play, by address."""
        ...

    async def pack_bot(self, bot: BotSpec) -> None:
        """Get a bot ready to travel. Raises ConfigError or OSError if it cannot."""
        ...

    def forget_bot(self, bot: BotSpec) -> None:
        """Let go of a bot: it is gone, or its folder may have changed."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """The cluster that an arena may use."""

    make_pool: Callable[..., MachinePool]
    address: str
    certificates: Path
    """The folder of certificates, which no bot may see."""


class ClusterTables:
    """The machines of a cluster, as tables of an arena."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        confinement: Confinement,
        games: Collection[str],
    ) -> None:
        self.address = cluster.address
        self.listeners: list[Callable[[], None]] = []
        """Called when machines came or went, a bot is ready to travel, or a match came back."""
        self._make_pool = cluster.make_pool
        self._confinement = confinement
        self._games = games
        self._pool: MachinePool | None = None
        self._away = "it was not reached yet"
        """Why there is no cluster."""
        self._has_said_so = False
        self._changed = asyncio.Event()
        self._tickets = itertools.count(1)
        self._out: dict[str, Answer] = {}
        """What machines play now, by ticket: the name of the job's contest on its way."""
        self._banned: Mapping[str, str] = {}
        self._ready: set[Path] = set()
        """The folders of bots that can travel."""
        self._home: dict[Path, float] = {}
        """Those of bots that stay here, and until when."""
        self._packing: dict[Path, asyncio.Task[None]] = {}

    # The cluster comes and goes

    async def run(self) -> None:
        """Play on the cluster whenever it is there, for ever."""
        while True:
            self._changed.clear()
            pool = self._make_pool(
                concurrency=0,
                pin=False,
                confinement=self._confinement,
                games=self._games,
                new_scratch=_no_scratch,
                say=_say,
                finished=self._take,
                advice="",
                keep_home=self._keep_home,
            )
            reason = ""
            try:
                reason = await self._use(pool)
                self._say_away(reason)
            finally:
                self._pool = None
                self._lose(reason or "the server is stopping")
                await self._close(pool)
            await asyncio.sleep(RETRY_SECONDS)

    async def _use(self, pool: MachinePool) -> str:
        """Play on the machines of a pool until it fails; returns why it did."""
        try:
            pool.set_banned(self._banned)
            async with asyncio.timeout(START_SECONDS):
                await pool.start()
            self._pool, self._has_said_so = pool, False
            log.info("cluster", what=f"hosted bots play on the cluster at {self.address} as its machines join")
            while pool.failure is None:
                self._changed.clear()
                await self._changed.wait()
            return str(pool.failure)
        except (TortugaError, TimeoutError, OSError) as error:
            return str(error) or f"{self.address} does not answer"
        except Exception as error:  # our bug, or Dask's: the arena goes on without it
            log.exception("cluster_failed")
            return f"the cluster at {self.address} failed ({error!r})"

    async def _close(self, pool: MachinePool) -> None:
        try:
            await pool.close()
        except Exception:  # nothing of it is needed any more
            log.exception("cluster_not_closed")

    def _say_away(self, reason: str) -> None:
        """Log once that the cluster cannot be reached."""
        if not self._has_said_so:
            log.warning("cluster_away", reason=reason, lost=len(self._out), then="hosted bots play at our own tables")
        self._has_said_so = True

    def _lose(self, reason: str) -> None:
        """Go on without a cluster. What its machines were playing is void."""
        self._away = reason
        self._ready.clear()
        for ticket in list(self._out):
            void = VoidMatch(f"lost with the cluster: {reason}")
            self._take(BlockResult(contest=ticket, block=0, matches=(), voids=(void,)))
        self._tell()

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()

    @property
    def workers(self) -> list[Worker]:
        """Return the machines that play now."""
        return self._pool.workers if self._pool is not None else []

    @property
    def has_room(self) -> bool:
        """Check whether a machine can be given another match."""
        return any(worker.has_room for worker in self.workers)

    @property
    def running(self) -> int:
        """Return how many blocks machines play now."""
        return len(self._out)

    def words(self) -> str:
        """Describe the cluster for people."""
        if self._pool is None:
            return f"{self.address} is away, hosted bots play here: {self._away}"
        refused = [f"{address} does not play: {reason}" for address, reason in self._pool.refused.items()]
        count = len(self.workers)
        return "; ".join([f"{self.address}: {count} {'machine plays' if count == 1 else 'machines play'}", *refused])

    # Bots

    def travels(self, bot: BotSpec) -> bool:
        """Check whether a bot plays on the machines now. One that is not packed yet soon does."""
        folder = bot.folder
        if folder is None or not self.workers or self._home.get(folder, 0.0) > clock.now():
            return False
        if folder not in self._ready and folder not in self._packing and self._pool is not None:
            task = self._packing[folder] = asyncio.create_task(self._pack(self._pool, bot, folder))
            task.add_done_callback(lambda _: self._packing.pop(folder, None))
        return folder in self._ready

    async def _pack(self, pool: MachinePool, bot: BotSpec, folder: Path) -> None:
        try:
            await pool.pack_bot(bot)
        except (ConfigError, OSError) as error:
            self._keep_home(bot, str(error))
        else:
            if pool is self._pool:
                self._ready.add(folder)
        self._tell()

    def _keep_home(self, bot: BotSpec, reason: str) -> None:
        """Let a bot play at the arena's own tables for a while: one of the machines cannot play it."""
        assert bot.folder is not None, "without a folder it does not travel"
        if bot.folder not in self._home:
            log.warning("bot_stays_here", bot=bot.name, reason=reason)
        self._home[bot.folder] = clock.now() + HOME_SECONDS

    def forget_bot(self, bot: BotSpec | None) -> None:
        """Forget a bot that has gone, or has another version. None: it was none of this machine's."""
        if bot is None or bot.folder is None:
            return
        self._ready.discard(bot.folder)
        self._home.pop(bot.folder, None)
        if self._pool is not None:
            self._pool.forget_bot(bot)

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which entries may not play from now on, and why: their processes end at once, and they lose."""
        if banned != self._banned:
            self._banned = dict(banned)
            if self._pool is not None:
                self._pool.set_banned(banned)

    # Matches go out and come back

    def begin(self, job: BlockJob, worker: Worker | None = None) -> Answer | None:
        """Give a block to a machine, the one with the least to do if none is named. None: no machine has room."""
        free = (machine for machine in self.workers if machine.has_room)
        worker = worker or min(free, key=lambda machine: machine.load, default=None)
        if worker is None or self._pool is None:
            return None
        ticket = f"{next(self._tickets)}"
        answer = self._out[ticket] = asyncio.get_running_loop().create_future()
        self._pool.play(worker, replace(job, contest=ticket, named=job.contest))
        return answer

    def _take(self, result: BlockResult | None) -> None:
        """Take in a match, or that the machines have changed. What nobody waits for any more is dropped."""
        if result is None:
            self._changed.set()
        elif (answer := self._out.pop(result.contest, None)) is not None and not answer.done():
            answer.set_result(result)
        self._tell()


def ladder_job(contest: Contest, terms: Terms, bots: Sequence[BotSpec], notes: str) -> BlockJob:
    """Return a ladder match as a block of its own. Its place on the ladder is not known before it is over."""
    return BlockJob(
        event="",
        contest=contest.id,
        game=contest.game,
        variant=contest.variant,
        block=0,
        stage=0,
        label="",
        bots=tuple(bots),
        rotations=(0,),
        secrets=(terms.secret,),
        clock=terms.clock,
        faults_allowed=terms.faults_allowed,
        fresh=False,
        notes=notes,
        only_match=terms.match_id,
    )


def _say(text: str) -> None:
    log.info("cluster", what=text)


def _no_scratch() -> Path:
    raise AssertionError("nothing of a cluster's pool is played on this machine")
