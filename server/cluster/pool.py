"""A pool whose workers are the machines of a Dask cluster. Our schedule decides, Dask transports.

A block is one task, pinned to one machine, tried once. Only this process writes results, and it accepts each block
once: from the task it submitted last. Anything else (a task that runs twice, a result from a machine that was already
abandoned) is ignored.

A block that does not come back is void, and is replayed. It gets new luck if a bot may have seen the old luck and could
still use it: the machine returned the block as void, so its bots live on; or it was lost with its machine, and bots are
confined so weakly that they can tell others.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.errors import ConfigError, TortugaError
from referee.text import plural
from server.bots.spec import BotSpec
from server.cluster.admission import own_versions
from server.cluster.bundles import PackedBots, as_sent
from server.cluster.machine import ban_bots, open_machine, play_block, refuse_machine, take_bundle
from server.cluster.messages import PLUGIN, BlockReport, MachineFacts, MachineOrder, pack, reports_topic, unpack
from server.cluster.settings import CONNECT_SECONDS, Certificates, check_address, connect
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.pool import Worker
from server.play.recorded_match import VoidMatch
from server.system import logs
from server.tournament.agreement import renewed_secret

log = logs.get_logger()
POLL_SECONDS = 0.5
"""How often we check which machines have joined or left."""
ANSWER_SECONDS = 30.0
"""A scheduler that does not answer for so long is as good as gone."""
BUSY_SECONDS = 5.0
"""After which a machine that played for another run is asked again."""
NOBODY_SECONDS = 10.0
"""After this long we report that there is no machine to play on."""
BLOCK_MATCHES = 2
"""A block has this many matches, or more."""
GO_ON = "Go on with the same command; everything that was finished is kept"


class ClusterMachine(Worker):
    """A machine of the cluster."""

    def __init__(self, address: str, facts: MachineFacts, threads: int) -> None:
        super().__init__(facts.tables)
        self.address = address
        self.host = facts.host
        self._facts = facts
        self.lost = asyncio.Event()
        self.cached = facts.bundles
        """The hashes of the bots that need not be sent."""
        self.sent: dict[str, asyncio.Task[str]] = {}
        """Bots that it was told to get ready, by their hashes."""
        self.leaving = False
        self._threads = threads

    @property
    def has_room(self) -> bool:
        """Check whether it should be given another block; never more blocks than tables and one."""
        return self.plays_on and len(self.running) < min(self.tables + 1, self._threads) and super().has_room

    @property
    def load(self) -> float:
        """Return how long the next block would take here, relatively: it goes where it is over first.

        A core slows down while others get busy too, as was measured; more matches than cores share them.
        """
        facts, matches = self._facts, self.assigned + BLOCK_MATCHES
        cores = max(1, facts.cores)
        core_speed = facts.speed + (facts.busy_speed - facts.speed) * min(1.0, matches / cores)
        return max(1.0, matches / cores) / max(1e-9, core_speed)

    @property
    def plays_on(self) -> bool:
        """Check whether it takes blocks at all."""
        return not self.leaving and self.tables > 0


class ClusterPool:
    """All machines of a cluster, for one run of an event."""

    def __init__(
        self,
        *,
        address: str,
        certificates: Certificates,
        event: str,
        min_speed: float = 0.5,
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

        No scratch folder is needed: nothing is played here. `advice` ends the words about a scheduler that is gone.
        `keep_home` is called with a bot that a machine cannot play, and why; without it, that machine is refused.
        """
        self._address = check_address(address)
        self._certificates = certificates
        self._level = confinement.level
        self._min_speed = min_speed
        self._fastest = 0.0
        self._order = MachineOrder(
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
        self._client: Any = None
        self._stream: Any = None
        """The client's connection. After a new one Dask knows nothing of us: machines, blocks and reports are gone."""
        self._scheduler_id = ""
        self._numbers = itertools.count()
        self._packed = PackedBots()
        self._openings: dict[str, Any] = {}
        """The future of each machine's opening, by address: a machine plays for us while we keep it."""
        self._machines: dict[str, ClusterMachine] = {}
        self._given: Counter[BlockKey] = Counter()
        """How often each block was given out."""
        self._seen: Counter[BlockKey] = Counter()
        """How often a bot may have seen the luck of a block that did not count."""
        self._out: set[str] = set()
        """The tasks of blocks that have reached Dask, and perhaps a bot."""
        self._reports: dict[str, bytes] = {}
        """Reports that have come in, by the tasks they are of, until those end."""
        self._ended_futures: list[Any] = []
        """Of blocks that have come back: let go together with the next block, in one message."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.refused: dict[str, str] = {}
        """Why machines do not play, by address."""
        self.workers: list[Worker] = []
        """Machines that can play now."""
        self.failure: TortugaError | None = None

    # Machines come and go

    async def start(self) -> None:
        """Reach the cluster. Machines may come at any time after that."""
        self._client = await connect(self._address, self._certificates, name=f"tortuga-{self._order.run}")
        self._client.subscribe_topic(reports_topic(self._order.run), self._take_report)
        self._stream = self._client.scheduler_comm
        self._scheduler_id = (await self._client.scheduler.identity(n_workers=0))["id"]
        self._spawn(self._watch())

    def _spawn(self, work: Any) -> None:
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
        """Follow who is there, until the scheduler is gone."""
        loop = asyncio.get_running_loop()
        empty_since, is_reported = loop.time(), False
        while True:
            try:
                if not self._is_connected():
                    raise OSError("the connection was lost")
                async with asyncio.timeout(ANSWER_SECONDS):  # wait_for would now and then swallow our being cancelled
                    cluster = await self._client.scheduler.identity(n_workers=-1)
                if cluster["id"] != self._scheduler_id:
                    raise OSError("another one has taken its place")
            except (OSError, TimeoutError, RuntimeError, AttributeError) as error:
                reason = str(error) or f"no answer for {ANSWER_SECONDS:.0f} s"
                self._lose_scheduler(reason)
                return
            self._release_ended()
            self._follow(cluster["workers"])
            if cluster["workers"]:
                empty_since, is_reported = loop.time(), False
            elif not is_reported and loop.time() - empty_since > NOBODY_SECONDS:
                is_reported = True
                self._say(f"no machine is in the cluster: tortuga cluster worker {self._address}")
            await asyncio.sleep(POLL_SECONDS)

    def _is_connected(self) -> bool:
        """Check whether the connection is the one we began with: Dask's client makes another one without a word."""
        return self._client.status == "running" and self._client.scheduler_comm is self._stream

    def _follow(self, present: Mapping[str, Mapping[str, Any]]) -> None:
        for address in [known for known in self._openings if known not in present]:
            self._openings.pop(address).release()
            self.refused.pop(address, None)
            if address in self._machines:
                self._lose(self._machines[address])
        for address, what in present.items():
            if address not in self._openings and what["status"] == "running":
                self._openings[address] = self._submit_opening(address)
                self._spawn(self._open(address, int(what["nthreads"])))
            elif address in self._machines:
                self._note(self._machines[address], what.get("metrics", {}).get(PLUGIN))

    def _note(self, machine: ClusterMachine, status: Mapping[str, Any] | None) -> None:
        """Store what a machine reported with its last heartbeat."""
        if status is None or status["run"] != self._order.run:
            return
        if status["state"] == "leaving" and not machine.leaving:
            machine.leaving = True
            self._say(f"{machine.host} is leaving: it finishes its blocks")
            self._list_workers()
        elif status["state"] == "refused":
            self._refuse(machine.address, machine.host, status["reason"])
        elif not machine.running and status["tables"] != machine.tables:
            self._set_tables(machine, status["tables"])

    def _set_tables(self, machine: ClusterMachine, tables: int) -> None:
        played_on, machine.tables = machine.plays_on, tables
        if machine.plays_on != played_on:
            self._list_workers()

    def _submit_opening(self, address: str) -> Any:
        versions, order = own_versions(self._order.games), pack(self._order)
        key = f"open-{self._order.run}-{next(self._numbers)}"
        return self._submit(key, address, open_machine, key, versions, order)

    def _submit(self, key: str, address: str, work: Any, *arguments: Any) -> Any:
        """Submit a task for one machine, which is tried once."""
        self._release_ended()
        return self._client.submit(
            work, *arguments, key=key, workers=[address], allow_other_workers=False, pure=False, retries=0
        )

    def _release_ended(self) -> None:
        for future in self._ended_futures:
            future.release()
        self._ended_futures.clear()

    async def _open(self, address: str, threads: int) -> None:
        opening: Any = self._openings[address]
        try:
            facts: MachineFacts = unpack(await opening)
        except Exception as error:
            if self._is_open(address, opening) and self._is_connected():
                reason = f"it has no Tortuga, or another one ({type(error).__name__}: {error})"
                self._refuse(address, address, reason)
            return
        if not self._is_open(address, opening):
            return  # it has gone meanwhile
        if facts.busy:
            self._refuse(address, facts.host, facts.refusal)
            await asyncio.sleep(BUSY_SECONDS)
            opening.release()
            if self._is_open(address, opening):
                del self._openings[address]
        elif facts.refusal:
            self._refuse(address, facts.host, facts.refusal)
        elif too_slow := self._compare_speed(facts):
            self._refuse(address, facts.host, too_slow)
            await self._tell_refusal(address, too_slow)
        else:
            await self._tell_banned(address)
            if not self._is_open(address, opening):
                return
            self.refused.pop(address, None)
            self._machines[address] = ClusterMachine(address, facts, threads)
            self._list_workers()
            self._say(f"{facts.host} ({address}) plays, on {plural(facts.cores, 'core')}")

    def _is_open(self, address: str, opening: Any) -> bool:
        """Check whether a machine is still the one that was opened: its address may be another's now."""
        return self._openings.get(address) is opening

    def _compare_speed(self, facts: MachineFacts) -> str:
        """Return why a machine is too slow; empty if it is not. Bots play against clocks, the same everywhere."""
        share = facts.busy_speed / self._fastest if self._fastest else 1.0
        if share < self._min_speed:
            return (
                f"with all cores busy it has {share:.0%} of the speed of the fastest machine, "
                f"and {self._min_speed:.0%} are needed (--min-speed)"
            )
        self._fastest = max(self._fastest, facts.busy_speed)
        return ""

    def _refuse(self, address: str, host: str, reason: str) -> None:
        if self.refused.get(address) != reason:
            self.refused[address] = reason
            self._say(f"{host} ({address}) does not play: {reason}")
        if address in self._machines:
            self._lose(self._machines[address])

    def _lose(self, machine: ClusterMachine) -> None:
        del self._machines[machine.address]
        machine.lost.set()
        self._list_workers()
        if machine.running:
            self._say(f"{machine.host} is gone with {plural(len(machine.running), 'block')}: played again")
        elif machine.address not in self.refused:
            self._say(f"{machine.host} has left")

    def _list_workers(self) -> None:
        """List the machines that take blocks. The others are hidden from the runner: it waits for them."""
        self.workers = [machine for machine in self._machines.values() if machine.plays_on]
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
        for address in self._machines:
            self._spawn(self._tell_banned(address))

    async def _tell_banned(self, address: str) -> None:
        """Let a machine know who may not play."""
        number = 0
        while number != self._bans:
            number = self._bans
            key = f"ban-{self._order.run}-{next(self._numbers)}"
            with suppress(Exception):  # it may be gone
                await self._submit(key, address, ban_bots, self._order.run, number, self._banned)

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

    # Blocks go out and come back

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a machine a block. Its result comes through `finished`."""
        assert isinstance(worker, ClusterMachine)
        worker.take(job)
        attempt = self._given[job.key]
        self._given[job.key] += 1
        if again := self._seen[job.key]:
            job = replace(job, secrets=tuple(renewed_secret(secret, again) for secret in job.secrets))
        key = f"block-{self._order.run}-{job.contest}-{job.block}-{attempt}"
        self._spawn(self._carry(worker, job, key))

    async def _carry(self, machine: ClusterMachine, job: BlockJob, key: str) -> None:
        """Give a machine a block, and wait for its result or for the end of the machine."""
        answer = asyncio.ensure_future(self._ask(machine, job, key))
        lost = asyncio.ensure_future(machine.lost.wait())
        try:
            await asyncio.wait([answer, lost], return_when=asyncio.FIRST_COMPLETED)
            report = answer.result() if answer.done() else self._lost_report(machine, key)
        finally:
            answer.cancel()
            lost.cancel()
        self._out.discard(key)
        self._reports.pop(key, None)
        machine.give_back(job.key)
        self._finished(self._settle(machine, job, report))

    def _lost_report(self, machine: ClusterMachine, key: str) -> BlockReport | str:
        """Return what a lost machine leaves of a block: nothing, unless the block was still here."""
        return f"{machine.host} is gone" if key in self._out else BlockReport(result=None, tables=0)

    async def _ask(self, machine: ClusterMachine, job: BlockJob, key: str) -> BlockReport | str:
        """Return what came back of a block, or why nothing did."""
        hashes = [await self._send_bot(machine, bot) for bot in job.bots]
        if None in hashes:
            return BlockReport(result=None, tables=machine.tables)
        bots = tuple(as_sent(bot, sha256) for bot, sha256 in zip(job.bots, hashes, strict=True) if sha256)
        future = self._submit(key, machine.address, play_block, self._order.run, key, pack(replace(job, bots=bots)))
        self._out.add(key)
        try:
            error = await future.exception()
        finally:
            self._ended_futures.append(future)
        if (content := self._reports.get(key)) is None:  # it comes before the end of its task
            if not self._is_connected():
                self._lose_scheduler("the connection was lost")  # before others are given out, and lost too
            return f"{type(error).__name__}: {error}" if error else "its report did not arrive"
        report: BlockReport = unpack(content)
        return report

    def _take_report(self, event: tuple[float, tuple[str, bytes]]) -> None:
        """Take in the report of a block. Nobody listens to one that was abandoned."""
        _, (key, content) = event
        if key in self._out:
            self._reports[key] = content

    async def _send_bot(self, machine: ClusterMachine, bot: BotSpec) -> str | None:
        """Make sure that a machine has a bot. Return its hash; None: the machine cannot play it."""
        sha256, content = await self._packed.get(bot)
        if sha256 not in machine.sent:
            sending = self._send(machine, sha256, None if sha256 in machine.cached else content)
            machine.sent[sha256] = asyncio.create_task(sending)
        if not (reason := await asyncio.shield(machine.sent[sha256])):
            return sha256
        if self._keep_home is not None:
            machine.sent.pop(sha256, None)
            self._keep_home(bot, f"{machine.host}: {reason}")
        elif machine.address in self._machines:
            self._refuse(machine.address, machine.host, reason)
            self._spawn(self._tell_refusal(machine.address, reason))
        return None

    async def _tell_refusal(self, address: str, reason: str) -> None:
        """Let a machine know that it does not play, so that `tortuga cluster status` can tell."""
        key = f"refuse-{self._order.run}-{next(self._numbers)}"
        with suppress(Exception):  # it may be gone
            await self._submit(key, address, refuse_machine, self._order.run, reason)

    async def _send(self, machine: ClusterMachine, sha256: str, content: bytes | None) -> str:
        key = f"bot-{self._order.run}-{next(self._numbers)}"
        future = self._submit(key, machine.address, take_bundle, self._order.run, sha256, content)
        try:
            return str(await future)
        except Exception as error:
            return f"it could not be sent a bot ({type(error).__name__}: {error})"
        finally:
            future.release()

    def _settle(self, machine: ClusterMachine, job: BlockJob, report: BlockReport | str) -> BlockResult:
        void = BlockResult(contest=job.contest, block=job.block, matches=(), voids=())
        if isinstance(report, str):
            self._seen[job.key] += not self._level.holds(JailLevel.FENCE)
            return replace(void, voids=(VoidMatch(f"the block was lost: {report}"),))
        self._set_tables(machine, report.tables)
        if report.result is None:
            return void
        if report.result.matches:
            del self._given[job.key]
            self._seen.pop(job.key, None)
        else:
            self._seen[job.key] += 1
        return report.result

    async def close(self) -> None:
        """Let all machines go, and abandon what they play."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._client is not None:
            for opening in self._openings.values():
                opening.release()
            await self._client.close(timeout=CONNECT_SECONDS)
            self._client = None
