"""Decides which block is played next, and where: by the open blocks of an event's contests, and the free workers.

It only decides: the runner keeps the results, and a pool plays. So a simulation can use it as well.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from server.play.block_jobs import BlockJob, BlockKey
from server.play.pool import Worker
from server.tournament.contest import ContestState

WINDOW = 16
"""Where not all bots can be kept running, a worker gets the one of this many open blocks that needs fewest starts."""

QUEUE = 256
"""Open blocks prepared at a time, of an event that may have a million."""

PATIENCE = 8
"""How often the first open block may be passed over for a cheaper one."""


@dataclass(slots=True)
class OpenContest:
    """A contest under way and its next jobs."""

    state: ContestState
    queue: list[BlockJob] = field(default_factory=list)
    passed_over: int = 0


class Dispatcher:
    """The contests of an event, in the order in which they are played."""

    def __init__(self, contests: Sequence[ContestState]) -> None:
        self.running: set[BlockKey] = set()
        """Blocks that were given out and have not come back."""
        self.set_aside: dict[BlockKey, str] = {}
        """Blocks that are not played again in this run, and why."""
        self.load(contests)

    def load(self, contests: Sequence[ContestState]) -> None:
        """Continue with contests that were read again."""
        self.contests = [OpenContest(state) for state in contests]
        self.by_id = {contest.state.id: contest for contest in self.contests}

    def give_out(self, workers: Sequence[Worker], play: Callable[[Worker, BlockJob], None]) -> bool:
        """Give blocks to workers, the least loaded first, until nobody has room or nothing is open.

        Returns whether blocks may be left: then only a worker that gives one back has room again.
        """
        waiting = [(worker.load, place) for place, worker in enumerate(workers) if worker.has_room]
        heapq.heapify(waiting)
        while waiting:
            place = waiting[0][-1]
            worker = workers[place]
            job = self._choose(worker)
            if job is None:
                return False
            self.running.add(job.key)
            play(worker, job)
            if worker.has_room:
                heapq.heapreplace(waiting, (worker.load, place))
            else:
                heapq.heappop(waiting)
        return True

    def _choose(self, worker: Worker) -> BlockJob | None:
        for contest in self.contests:
            if not contest.queue:
                contest.queue = contest.state.open_jobs(self.running | self.set_aside.keys(), QUEUE)
            if contest.queue:
                return _pick(contest, worker)
        return None


def _pick(contest: OpenContest, worker: Worker) -> BlockJob:
    best = 0
    if contest.state.is_crowded and contest.passed_over < PATIENCE:
        costs = [sum(bot.name not in worker.bots for bot in job.bots) for job in contest.queue[:WINDOW]]
        best = costs.index(min(costs))
    contest.passed_over = contest.passed_over + 1 if best else 0
    return contest.queue.pop(best)
