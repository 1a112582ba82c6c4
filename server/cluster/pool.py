"""A pool whose workers are the machines of a Dask cluster. Our schedule decides, Dask transports.

A block is one task, pinned to one machine, tried once. Only this process writes results, and it accepts each block
once: from the task it submitted last, and only if it is proven (proof.py). Anything else (a task that runs twice, a
result from a machine that was already abandoned) is ignored.

A block that does not come back is void, and is replayed. It gets new luck if a bot may have seen the old luck and could
still use it: the machine returned the block as void, so its bots live on; or it was lost with its machine, and bots are
confined so weakly that they can tell others; or its machine lied.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, TortugaError
from server.bots.spec import BotSpec
from server.cluster.bundles import PackedBots, as_sent
from server.cluster.connection import Connection, NoAnswer
from server.cluster.machine import ban_bots, play_block, take_bundle
from server.cluster.membership import ClusterMachine, Membership
from server.cluster.messages import BadAnswer, MachineOrder, SentBlock, pack, read_report, read_words
from server.cluster.proof import Prover, replay_processes
from server.cluster.repeats import compare_block
from server.cluster.settings import Certificates, check_address
from server.cluster.trial import HomeTrial
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob, BlockKey, BlockResult, RepeatedBlock
from server.play.pool import Worker
from server.play.recorded_match import VoidMatch
from server.system import logs
from server.tournament.agreement import renewed_secret

log = logs.get_logger()
GO_ON = "Go on with the same command; everything that was finished is kept"


@dataclass(slots=True)
class _GivenBlock:
    """A block that was given to a machine."""

    job: BlockJob
    sent: BlockJob | None = None
    """As the machine was sent it. None: it is still here, and no bot has seen it."""


class ClusterPool:
    """All machines of a cluster, for one run of an event."""

    def __init__(
        self,
        *,
        address: str,
        certificates: Certificates,
        event: str,
        min_speed: float = 0.5,
        replayed: float = 1.0,
        repeated: float = 0.0,
        make_executor: Callable[[], Executor] = replay_processes,
        advice: str = GO_ON,
        keep_home: Callable[[BotSpec, str], None] | None = None,
        concurrency: int,
        pin: bool,
        confinement: Confinement,
        games: Collection[str],
        new_scratch: Callable[[], Path],
        say: Callable[[str], None],
        finished: Callable[[BlockResult | None], None],
    ) -> None:
        """Machines slower than the share `min_speed` of the fastest do not play. `concurrency` is that of each machine.

        No scratch folder is needed: nothing is played here. The share `replayed` of all matches is proven by replaying,
        and the share `repeated` of all blocks is played on a second host for comparison.
        `advice` ends the words about a scheduler that is gone.
        `keep_home` is called with a bot that a machine cannot play, and why; without it, that machine is refused.
        """
        self._address = check_address(address)
        self._certificates = certificates
        self._level = confinement.level
        order = MachineOrder(
            run=os.urandom(6).hex(),
            event=event,
            level=str(confinement.level),
            limits=confinement.limits,
            concurrency=concurrency,
            pin=pin,
            games=tuple(sorted(games)),
        )
        self._say = say
        self._finished = finished
        self._advice = advice
        self._keep_home = keep_home
        self._banned: Mapping[str, str] = {}
        self._bans = 0
        """How often it was said who may not play."""
        self._connection = Connection(order.run)
        self._membership = Membership(
            self._connection,
            order,
            address=address,
            min_speed=min_speed,
            say=say,
            changed=self._list_workers,
            spawn=self._spawn,
            greet=self._tell_banned,
        )
        self._prover = Prover(replayed, make_executor)
        self._repeated = repeated
        self._repeats: list[RepeatedBlock] = []
        """Comparisons that go out with the next result."""
        self._luck = random.SystemRandom()
        self._packed = PackedBots(HomeTrial(confinement))
        self._seen: Counter[BlockKey] = Counter()
        """How often a bot may have seen the luck of a block that did not count."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.workers: list[Worker] = []
        """Machines that can play now."""
        self.failure: TortugaError | None = None

    @property
    def refused(self) -> dict[str, str]:
        """Return why machines do not play, by address."""
        return self._membership.refused

    async def start(self) -> None:
        """Reach the cluster. Machines may come at any time after that."""
        await self._connection.open(self._address, self._certificates)
        self._spawn(self._watch())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, TortugaError):
            self.failure = error
            self._finished(None)
        elif error is not None:  # our bug: nobody may wait for ever
            log.error("cluster_task_failed", exc_info=error)
            self._fail(f"the cluster at {self._address} can no longer be followed ({error!r})")

    async def _watch(self) -> None:
        self._lose_scheduler(await self._membership.watch())

    def _list_workers(self) -> None:
        self.workers = [*self._membership.playing]
        self._finished(None)

    def _lose_scheduler(self, reason: str) -> None:
        cure = "start it again, or restore the connection"
        self._fail(f"the scheduler of the cluster at {self._address} is gone ({reason}): {cure}")

    def _fail(self, reason: str) -> None:
        self.failure = TortugaError(". ".join(filter(None, (reason, self._advice))))
        self.workers = []
        self._finished(None)

    # Bots

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Say which bots may not play from now on, and why: their processes end at once, and they lose."""
        self._banned = dict(banned)
        self._bans += 1
        for address in self._membership.machines:
            self._spawn(self._tell_banned(address))

    async def _tell_banned(self, address: str) -> None:
        """Let a machine know who may not play."""
        number = 0
        while number != self._bans:
            number = self._bans
            with suppress(NoAnswer):  # it may be gone
                await self._connection.ask("ban", address, ban_bots, number, self._banned)

    async def pack_bot(self, bot: BotSpec) -> None:
        """Get a bot ready to travel. Raises ConfigError or OSError if it cannot."""
        try:
            await self._packed.get(bot)
        except (ConfigError, OSError):
            self.forget_bot(bot)
            raise

    def forget_bot(self, bot: BotSpec) -> None:
        """Let go of a bot: it is gone, or its folder may have changed."""
        if bot.folder is not None:
            self._packed.forget(bot.folder)

    async def _as_sent(self, machine: ClusterMachine, job: BlockJob) -> BlockJob:
        """Return a job as a machine is given it: its bots by their hashes, to be played on this host."""
        hashes = [(await self._packed.get(bot))[0] for bot in job.bots]
        bots = tuple(as_sent(bot, sha256) for bot, sha256 in zip(job.bots, hashes, strict=True))
        return replace(job, bots=bots, host=machine.host, host_speed=round(machine.facts.busy_speed))

    async def _send_bot(self, machine: ClusterMachine, bot: BotSpec) -> bool:
        """Make sure that a machine has a bot. False: the machine cannot play it."""
        sha256, content = await self._packed.get(bot)
        if sha256 not in machine.sent:
            sending = self._send(machine, sha256, None if sha256 in machine.facts.bundles else content)
            machine.sent[sha256] = asyncio.create_task(sending)
        if not (reason := await asyncio.shield(machine.sent[sha256])):
            return True
        if self._keep_home is not None:
            machine.sent.pop(sha256, None)
            self._keep_home(bot, f"{machine.host}: {reason}")
        else:
            self._membership.refuse(machine, reason)
        return False

    async def _send(self, machine: ClusterMachine, sha256: str, content: bytes | None) -> str:
        try:
            return read_words(await self._connection.ask("bot", machine.address, take_bundle, sha256, content))
        except (NoAnswer, BadAnswer) as error:
            return f"it could not be sent a bot ({error})"

    # Blocks go out and come back

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a machine a block. Its result comes through `finished`."""
        assert isinstance(worker, ClusterMachine)
        worker.take(job)
        if again := self._seen[job.key]:
            job = replace(job, secrets=tuple(renewed_secret(secret, again) for secret in job.secrets))
        self._spawn(self._carry(worker, job))

    async def _carry(self, machine: ClusterMachine, job: BlockJob) -> None:
        result = await self._play_on(machine, job)
        repeats, self._repeats = tuple(self._repeats), []
        self._finished(replace(result, repeats=repeats))
        others = [other for other in self._membership.playing if other.host != machine.host]
        if result.matches and others and self._luck.random() < self._repeated:  # decided when it can no longer cheat
            self._spawn(self._repeat(min(others, key=lambda other: other.load), job, result))

    async def _repeat(self, machine: ClusterMachine, job: BlockJob, counted: BlockResult) -> None:
        """Play a block that counts a second time, on another host, which cannot tell the difference.

        The machine's room is the runner's: a repeat takes none of it, or nothing might run while all seem full.
        """
        result = await self._play_on(machine, job, is_repeat=True)
        if result.matches:
            self._repeats.append(compare_block(job, counted.matches, result.matches))

    async def _play_on(self, machine: ClusterMachine, job: BlockJob, *, is_repeat: bool = False) -> BlockResult:
        """Give a machine a block, wait for its answer or for the end of the machine, and prove the answer."""
        block = _GivenBlock(job)
        asking = asyncio.ensure_future(self._ask(machine, block))
        lost = asyncio.ensure_future(machine.lost.wait())
        try:
            await asyncio.wait([asking, lost], return_when=asyncio.FIRST_COMPLETED)
            result = asking.result() if asking.done() else self._lose_block(machine, block)
        finally:
            asking.cancel()
            lost.cancel()
        if not is_repeat:
            machine.give_back(job.key)
        if isinstance(result, SentBlock):
            machine.unproven += not is_repeat
            result = await self._settle(machine, block, result)
            machine.unproven -= not is_repeat
        return result

    async def _ask(self, machine: ClusterMachine, block: _GivenBlock) -> SentBlock | BlockResult:
        """Return the answer to a block, or what follows from there being none."""
        if not all([await self._send_bot(machine, bot) for bot in block.job.bots]):
            return handed_back(block.job)
        sent = block.sent = await self._as_sent(machine, block.job)
        try:
            return read_report(await self._connection.ask("block", machine.address, play_block, pack(sent)))
        except NoAnswer as error:
            if not self._connection.is_open:
                self._lose_scheduler("the connection was lost")  # before others are given out, and lost too
            return self._lose_block(machine, block, str(error))
        except BadAnswer as error:
            return self._refuse_liar(machine, block.job, str(error))

    async def _settle(self, machine: ClusterMachine, block: _GivenBlock, answer: SentBlock) -> BlockResult:
        """Take in the answer to a block, if it is proven."""
        assert block.sent is not None
        self._membership.set_tables(machine, answer.tables)
        if answer.handed_back:
            return handed_back(block.job)
        result = replace(handed_back(block.job), voids=answer.voids)
        if not answer.matches:
            self._seen[block.job.key] += 1
            return result
        matches = await self._prover.prove(block.sent, answer)
        if isinstance(matches, str):
            return self._refuse_liar(machine, block.job, matches)
        self._seen.pop(block.job.key, None)
        return replace(result, matches=matches)

    def _lose_block(self, machine: ClusterMachine, block: _GivenBlock, why: str = "") -> BlockResult:
        """Return what a lost machine leaves of a block: nothing, unless the block was still here."""
        if block.sent is None:
            return handed_back(block.job)
        self._seen[block.job.key] += machine.lied or not self._level.holds(JailLevel.FENCE)
        void = VoidMatch(f"the block was lost: {why or f'{machine.host} is gone'}", machine=machine.host)
        return replace(handed_back(block.job), voids=(void,))

    def _refuse_liar(self, machine: ClusterMachine, job: BlockJob, lie: str) -> BlockResult:
        """Let a machine that did not tell the truth play no more. Its block is void, and gets new luck."""
        self._seen[job.key] += 1
        self._membership.refuse_liar(machine, lie)
        void = VoidMatch(f"{machine.host} did not tell the truth: {lie}")
        return replace(handed_back(job), voids=(void,))

    async def close(self) -> None:
        """Let all machines go, and abandon what they play."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._prover.close()
        self._membership.close()
        await self._connection.close()


def handed_back(job: BlockJob) -> BlockResult:
    """Return the result of a block that nobody has played."""
    return BlockResult(contest=job.contest, block=job.block, matches=(), voids=())
