"""The runner of an event: turns open blocks into durable results, until the event is over or somebody stops it.

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
from dataclasses import replace
from enum import Enum
from itertools import chain

from referee.errors import TortugaError
from referee.text import listed, plural
from server.jail.confinement import Confinement
from server.play.block_jobs import BlockJob, BlockResult
from server.play.local_pool import LocalPool
from server.play.pool import BlockPool, Worker
from server.play.summary import MatchSummary
from server.tournament.agreement import BLOCK_ATTEMPTS
from server.tournament.contest import ContestState
from server.tournament.dispatch import Dispatcher, OpenContest
from server.tournament.folder import Folder, FolderLock
from server.tournament.journal import Journal, count_late_bots
from server.tournament.listener import Listener
from server.tournament.live_ladder import Quarantine, RatingChange
from server.tournament.results import journal_finished, store_matches, to_thread, write_with_retry
from server.tournament.rulings.new_rulings import settle_rulings
from server.tournament.rulings.ruling_file import Rulings
from server.tournament.store import Store

RULING_SECONDS = 1.0
"""Time between two looks for new rulings."""

TERMINATE_SECONDS = 30.0


class Ending(Enum):
    """How a run ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"


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
        make_pool: Callable[..., BlockPool] = LocalPool,
        stop: asyncio.Event | None = None,
        excuses: int,
        rulings: Rulings,
        reload: Callable[..., list[ContestState]],
    ) -> None:
        """`rulings`: those that the contests were read under; `reload` reads them again, under others."""
        self._folder = folder
        self._rulings = rulings
        self._rulings_stamp = (0, 0)
        self._reload = reload
        self._store = store
        self._journal = journal
        self._blocks = Dispatcher(contests)
        self._listener = listener
        self._attempts: Counter[tuple[str, int]] = Counter()
        self._unplayed: set[frozenset[str]] = set()
        """Tables of bots of which it was said that nobody played."""
        self._excuses = excuses
        self._excused = Counter(count_late_bots(folder.journal))
        """How often each bot was excused so far, in all runs of the event."""
        self._results: asyncio.Queue[BlockResult | None] = asyncio.Queue()
        self.done = sum(contest.state.matches_done for contest in self._blocks.contests)
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
        """Return how many matches the event has, as far as known; None on an endless ladder."""
        planned = [contest.state.matches_planned() for contest in self._blocks.contests]
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
        watch = asyncio.create_task(self._watch_rulings())
        try:
            await asyncio.wait([work, stop], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            return Ending.INTERRUPTED
        finally:
            for task in (work, stop, stop_later, watch):
                task.cancel()
            await asyncio.gather(work, stop, stop_later, watch, return_exceptions=True)
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
        count = len(self._blocks.running)
        self._listener.warned(f"stopping: {count} blocks are being finished; Ctrl-C again stops at once and voids them")
        self._results.put_nowait(None)

    def _terminate(self) -> None:
        if not self._stopping:
            self.interrupt()
            asyncio.get_running_loop().call_later(TERMINATE_SECONDS, self._stop_now.set)

    # Rulings: the organiser writes them into the folder, from any process

    async def _watch_rulings(self) -> None:
        while True:
            await asyncio.sleep(RULING_SECONDS)
            if _stamp(self._folder) != self._rulings_stamp:
                self._results.put_nowait(None)

    async def _take_rulings(self) -> None:
        """Go on under the rulings as they are now. No job is given out meanwhile."""
        stamp = _stamp(self._folder)
        if stamp == self._rulings_stamp:
            return
        self._rulings_stamp = stamp  # as it was before the file is read: what is added meanwhile is read next time
        if await to_thread(self._apply_rulings):
            self._listener.noted("the rulings of this event changed: it continues under them")

    def _apply_rulings(self) -> bool:
        """Apply the rulings as they are now. Return whether there are new ones."""
        running = set(self._blocks.running)
        rulings = settle_rulings(self._folder, [contest.state for contest in self._blocks.contests], running)
        if rulings.lines == self._rulings.lines:
            return False
        self._blocks.load(self._reload(rulings, running))
        self._rulings = rulings
        return True

    async def _work(self) -> Ending:
        while True:
            await self._take_rulings()
            self._give_out()
            if not self._blocks.running and (self._stopping or self._pool.workers or self._is_over()):
                if self._blocks.set_aside and not (self._stopping or self._is_over()):
                    raise TortugaError(self._describe_set_aside())
                return Ending.FINISHED if self._is_over() else Ending.INTERRUPTED
            results = [await self._results.get()]
            while not self._results.empty():
                results.append(self._results.get_nowait())
            if self._pool.failure:
                raise self._pool.failure
            for void in chain.from_iterable(result.voids for result in results if result is not None):
                self._excused.update(void.late_bots)
            self._give_out()  # fill the free tables before the results are written
            await self._settle([result for result in results if result is not None])

    def _is_over(self) -> bool:
        return self._listener.enough() or all(contest.state.is_over() for contest in self._blocks.contests)

    # Giving out jobs

    def _give_out(self) -> None:
        if not self._stopping and not self._listener.enough():
            self._blocks.give_out(self._pool.workers, self._start)

    def _start(self, worker: Worker, job: BlockJob) -> None:
        """Note in the journal that a block begins, and let it be played."""
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
        left = {bot.name: max(0, self._excuses - self._excused[bot.name]) for bot in job.bots}
        self._pool.play(worker, replace(job, excuses_left=left))

    # Taking in results

    async def _settle(self, results: Sequence[BlockResult]) -> None:
        """Make results durable, then report them."""
        self._note_voids(results)
        self._note_repeats(results)
        played = [result for result in results if result.matches]
        known_quarantined = {contest.state.id: set(contest.state.quarantined) for contest in self._blocks.contests}
        changes = [change for result in played for change in self._count(result)]
        self._blocks.running -= {result.key for result in results}
        for contest in self._blocks.contests:
            changes += contest.state.cancel(self._blocks.running)
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
                if match.summary.is_unplayed:
                    self._report_unplayed(match.summary)
                journal_finished(self._journal, match.summary)
                self._listener.match_finished(match.summary, self.done, planned)
        for change in changes:
            for bot in change.bots:
                elo, moved = change.of(bot)
                self._journal.write("live_elo", match=change.match_id, bot=bot, elo=elo / 1e6, change=moved / 1e6)

    def _count(self, result: BlockResult) -> list[RatingChange]:
        return self._blocks.by_id[result.contest].state.add(result.block, [match.summary for match in result.matches])

    def _report_quarantine(self, contest: OpenContest, what: Quarantine) -> None:
        contest.queue = []  # blocks with this bot are no longer open
        self._journal.write(
            "quarantine", contest=contest.state.id, bot=what.bot, faulted=what.faulted, matches=what.matches
        )
        self._listener.quarantined(contest.state.id, what)

    def _report_unplayed(self, match: MatchSummary) -> None:
        """Say that nobody played a match: at the first of each table of bots, since the others may be many."""
        table = frozenset(match.seated)
        if table not in self._unplayed:
            self._unplayed.add(table)
            bots = listed(sorted(table))
            self._listener.warned(f"{bots} failed before their first decision: nobody played {match.match_id}")

    def _note_repeats(self, results: Sequence[BlockResult]) -> None:
        """Write what comparisons of machines came to: the test of the hosts reads it."""
        for repeat in (repeat for result in results for repeat in result.repeats):
            self._journal.write(
                "block_repeated",
                contest=repeat.contest,
                block=repeat.block,
                hosts=list(repeat.hosts),
                bots=list(repeat.bots),
                diverged=list(repeat.diverged),
            )

    def _note_voids(self, results: Sequence[BlockResult]) -> None:
        again: dict[str, list[str]] = {}
        for result in results:
            for void in result.voids:
                late = {"late": list(void.late_bots)} if void.late_bots else {}
                self._journal.write(
                    "match_void", contest=result.contest, block=result.block, reason=void.reason, **late
                )
            if result.matches:
                continue
            self._blocks.by_id[result.contest].queue = []
            if not result.voids:
                continue  # it was handed back, and nobody has played it
            self._attempts[result.key] += 1
            why = result.voids[-1].reason
            next_step = "is played again"
            if self._attempts[result.key] >= BLOCK_ATTEMPTS:
                self._blocks.set_aside[result.key] = why
                next_step = f"was void {BLOCK_ATTEMPTS} times and is left for the next run"
            if next_step != "is played again" or not result.voids[-1].machine:
                self._listener.warned(f"{result.contest}, block {result.block} {next_step}: {why}")
                continue
            again.setdefault(why, []).append(f"{result.contest}, block {result.block}")
        for why, blocks in again.items():  # a machine that is gone takes many with it
            others = f" and {plural(len(blocks) - 1, 'other block')}" if len(blocks) > 1 else ""
            self._listener.warned(f"{blocks[0]}{others} {'are' if others else 'is'} played again: {why}")

    def _describe_set_aside(self) -> str:
        """Return which blocks are left for the next run, as text."""
        (contest, number), why = next(iter(self._blocks.set_aside.items()))
        left = plural(len(self._blocks.set_aside), "block")
        return (
            f"{contest}, block {number} was void {BLOCK_ATTEMPTS} times: {why}; {left} left for the next run, "
            "everything else that could be played was played"
        )


def _stamp(folder: Folder) -> tuple[int, int]:
    """Return a value that changes when a ruling is added."""
    try:
        found = folder.rulings.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
