"""The contract of a pool: workers that are given whole blocks and return them complete or void.

Whoever has blocks to be played (the runner of an event, an arena) asks this contract and nothing else. LocalPool
(local_pool.py) plays in processes of this machine, ClusterPool (server/cluster/pool.py) on the machines of a cluster.
An arena adds its own tables, and the choice between its cluster and this machine (server/arena/events/event_pools.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from referee.errors import TortugaError
from server.play.block_jobs import IDLE_LIMIT, BlockJob, BlockKey


class Worker:
    """Whatever plays whole blocks: a machine, or the tables of an arena."""

    def __init__(self, tables: int) -> None:
        self.tables = tables
        self.bots: dict[str, None] = {}
        """Bots that it has played with lately, the last ones last: their processes are still there."""
        self.running: dict[BlockKey, BlockJob] = {}
        self.assigned = 0
        """Matches it was given and has not returned."""

    @property
    def has_room(self) -> bool:
        """Check whether it should be given another block: a few more than its tables, so that none is ever idle."""
        return self.assigned <= self.tables + self.tables // 4

    @property
    def load(self) -> float:
        """Return its matches per table. The worker with the fewest gets the next block."""
        return self.assigned / max(1, self.tables)

    def take(self, job: BlockJob) -> None:
        """Note that it was given a job."""
        self.running[job.key] = job
        self.assigned += len(job.rotations)
        for bot in job.bots:
            self.bots.pop(bot.name, None)
            self.bots[bot.name] = None
        while len(self.bots) > IDLE_LIMIT:
            del self.bots[next(iter(self.bots))]

    def give_back(self, key: BlockKey) -> None:
        """Note that it has returned a job."""
        self.assigned -= len(self.running.pop(key).rotations)


class BlockPool(Protocol):
    """Plays blocks. Results come through the function `finished` that the pool was made with.

    It is called in the loop of the pool, with every block, and with None when workers have changed.
    """

    @property
    def workers(self) -> list[Worker]:
        """Return those that can play now."""
        ...

    @property
    def failure(self) -> TortugaError | None:
        """Return why nothing can be played any more."""
        ...

    async def start(self) -> None:
        """Get ready to play."""
        ...

    def play(self, worker: Worker, job: BlockJob) -> None:
        """Give a worker a block."""
        ...

    def set_banned(self, banned: Mapping[str, str]) -> None:
        """Set which bots may not play from now on, and why: their processes end at once, and they lose."""
        ...

    async def close(self) -> None:
        """Abandon what is being played."""
        ...
