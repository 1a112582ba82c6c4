"""The runner: from open blocks to durable results, until the event is over or somebody stops it.

One loop in one process decides and writes; workers play. The result of a block is stored first (records, then rows, see
results.py) and reported afterwards. A block that was given to a worker and never came back leaves no trace: it is open
again.
"""

from __future__ import annotations

import asyncio
import functools
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from referee.errors import TortugaError
from server.jail.confinement import Confinement
from server.tournament.block_jobs import BlockJob, BlockResult
from server.tournament.contest import ContestState
from server.tournament.folder import Folder
from server.tournament.journal import Journal
from server.tournament.listener import Listener
from server.tournament.live_ladder import Quarantine, RatingChange
from server.tournament.lock import FolderLock
from server.tournament.pool import Pool, Worker
from server.tournament.results import journal_finished, store_matches, write_with_retry
from server.tournament.store import Store

BLOCK_ATTEMPTS = 5
"""A block that comes back void this often stops the event: this host cannot play it."""

WINDOW = 16
"""Where not all bots can be kept running, a worker gets the one of this many open blocks that needs fewest starts."""

QUEUE = 256
"""Open blocks prepared at a time, of an event that may have a million."""

PATIENCE = 8
"""How often the first open block may be passed over for a cheaper one."""

TERMINATE_SECONDS = 30.0


class Ending(Enum):
    """How a run ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(slots=True)
class _Contest:
    """A contest under way and its next jobs."""

    state: ContestState
    queue: list[BlockJob] = field(default_factory=list)
    passed_over: int = 0


class Runner:
    """One run of an event."""

    def __init__(
        self,
        folder: Folder,
        lock: FolderLock,
        store: Store,
        journal: Journal,
        contests: Sequence[ContestState],
        listener: Listener,
        *,
        concurrency: int,
        pin: bool,
        confinement: Confinement,
        make_pool: Callable[..., Pool] = Pool,
        stop: asyncio.Event | None = None,
    ) -> None:
        self._folder = folder
        self._store = store
        self._journal = journal
        self._contests = [_Contest(state) for state in contests]
        self._by_id = {contest.state.id: contest for contest in self._contests}
        self._listener = listener
        self._running: set[tuple[str, int]] = set()
        self._attempts: Counter[tuple[str, int]] = Counter()
        self._results: asyncio.Queue[BlockResult | None] = asyncio.Queue()
        self.done = sum(contest.state.matches_done for contest in self._contests)
        """Durable matches."""
        self._stop = stop
        self._stopping = False
        self._stop_now = asyncio.Event()
        self._pool = make_pool(
            concurrency=concurrency,
            pin=pin,
            confinement=confinement,
            games={contest.game for contest in contests},
            new_scratch=lock.new_scratch,
            say=listener.noted,
            finished=self._results.put_nowait,
        )

    @property
    def planned(self) -> int | None:
        """All matches of the event, as far as known; None on an endless ladder."""
        planned = [contest.state.matches_planned() for contest in self._contests]
        return None if None in planned else sum(filter(None, planned))

    async def run(self) -> Ending:
        """Play until nothing is left. Ctrl-C once: finish what is running. Twice: stop now."""
        if self._stop is None:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGINT, self.interrupt)
            loop.add_signal_handler(signal.SIGTERM, self._terminate)
        if self._is_over():
            return Ending.FINISHED
        try:
            await self._pool.start()
        except BaseException:
            await self._pool.close()  # some workers may have started
            raise
        work = asyncio.create_task(self._work())
        stop = asyncio.create_task(self._stop_now.wait())
        stop_later = asyncio.create_task(self._wait_for_stop())
        try:
            await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            return Ending.INTERRUPTED
        finally:
            for task in (work, stop, stop_later):
                task.cancel()
            await asyncio.gather(work, stop, stop_later, return_exceptions=True)
            await self._pool.close()

    async def _wait_for_stop(self) -> None:
        if self._stop is not None:
            await self._stop.wait()
            self.interrupt()

    def interrupt(self) -> None:
        """Stop: the first time when the running blocks are finished, the second time at once."""
        if self._stopping:
            self._stop_now.set()
            return
        self._stopping = True
        count = len(self._running)
        self._listener.warned(f"stopping: {count} blocks are being finished; Ctrl-C again stops at once and voids them")
        self._results.put_nowait(None)

    def _terminate(self) -> None:
        if not self._stopping:
            self.interrupt()
            asyncio.get_running_loop().call_later(TERMINATE_SECONDS, self._stop_now.set)

    async def _work(self) -> Ending:
        while True:
            self._give_out()
            if not self._running and (self._stopping or self._pool.workers or self._is_over()):
                return Ending.FINISHED if self._is_over() else Ending.INTERRUPTED
            results = [await self._results.get()]
            while not self._results.empty():
                results.append(self._results.get_nowait())
            if self._pool.failure:
                raise self._pool.failure
            self._give_out()  # fill the free tables before the results are written
            await self._settle([result for result in results if result is not None])

    def _is_over(self) -> bool:
        return self._listener.enough() or all(contest.state.is_over() for contest in self._contests)

    # Giving out jobs

    def _give_out(self) -> None:
        if self._stopping or self._listener.enough():
            return
        while worker := min(
            (worker for worker in self._pool.workers if worker.has_room),
            key=lambda worker: worker.assigned,
            default=None,
        ):
            job = self._choose(worker)
            if job is None:
                return
            self._running.add(job.key)
            self._journal_start(job)
            self._pool.play(worker, job)

    def _choose(self, worker: Worker) -> BlockJob | None:
        for contest in self._contests:
            if not contest.queue:
                contest.queue = contest.state.open_jobs(self._running, QUEUE)
            if contest.queue:
                return self._pick(contest, worker)
        return None

    def _pick(self, contest: _Contest, worker: Worker) -> BlockJob:
        best = 0
        if contest.state.is_crowded and contest.passed_over < PATIENCE:
            costs = [sum(bot.name not in worker.bots for bot in job.bots) for job in contest.queue[:WINDOW]]
            best = costs.index(min(costs))
        contest.passed_over = contest.passed_over + 1 if best else 0
        return contest.queue.pop(best)

    def _journal_start(self, job: BlockJob) -> None:
        for rotation in job.rotations:
            self._journal.write(
                "match_started",
                match=job.match_id(rotation),
                contest=job.contest,
                block=job.block,
                rotation=rotation,
                label=job.label,
                bots=[bot.name for bot in job.seating(rotation)],
            )

    # Taking in results

    async def _settle(self, results: Sequence[BlockResult]) -> None:
        """Make results durable, then report them."""
        self._note_voids(results)
        played = [result for result in results if result.matches]
        known_quarantined = {contest.state.id: set(contest.state.quarantined) for contest in self._contests}
        changes = [change for result in played for change in self._count(result)]
        self._running -= {result.key for result in results}
        for contest in self._contests:
            changes += contest.state.cancel(self._running)
            for bot, what in contest.state.quarantined.items():
                if bot not in known_quarantined[contest.state.id]:
                    self._report_quarantine(contest, what)
        if played or changes:
            # No job is given out meanwhile.
            matches = [match for result in played for match in result.matches]
            write = functools.partial(store_matches, self._folder, self._store, matches, changes)
            await write_with_retry(self._folder, self._listener.warned, write)
        planned = self.planned
        for result in played:
            for match in result.matches:
                self.done += 1
                journal_finished(self._journal, match.summary)
                self._listener.match_finished(match.summary, self.done, planned)
        for change in changes:
            for bot in change.bots:
                elo, moved = change.of(bot)
                self._journal.write("live_elo", match=change.match_id, bot=bot, elo=elo / 1e6, change=moved / 1e6)

    def _count(self, result: BlockResult) -> list[RatingChange]:
        return self._by_id[result.contest].state.add(result.block, [match.summary for match in result.matches])

    def _report_quarantine(self, contest: _Contest, what: Quarantine) -> None:
        contest.queue = []  # blocks with this bot are no longer open
        self._journal.write(
            "quarantine", contest=contest.state.id, bot=what.bot, faulted=what.faulted, matches=what.matches
        )
        self._listener.quarantined(contest.state.id, what)

    def _note_voids(self, results: Sequence[BlockResult]) -> None:
        for result in results:
            for void in result.voids:
                late = {"late": list(void.late_bots)} if void.late_bots else {}
                self._journal.write(
                    "match_void", contest=result.contest, block=result.block, reason=void.reason, **late
                )
            if result.matches:
                continue
            self._attempts[result.key] += 1
            why = result.voids[-1].reason if result.voids else "no reason given"
            if self._attempts[result.key] >= BLOCK_ATTEMPTS:
                raise TortugaError(f"{result.contest}, block {result.block} was void {BLOCK_ATTEMPTS} times: {why}")
            self._listener.warned(f"{result.contest}, block {result.block} is played again: {why}")
            self._by_id[result.contest].queue = []
