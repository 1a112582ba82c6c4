"""Splits blocks into parts: the worker processes of a machine share a block's rotations, and their results are joined.

A block is split over the processes of one machine, never over machines, and it counts completely or not at all. The
results of an incomplete block stay in memory here; none of them are stored.

No bot process sees the same luck twice. The argument, for one block whose rotations share their luck:

1. The first time, every worker gets at most one part of the block. Within a part each rotation has a lane of its own
   (`BlockJob.lanes`), and a kept bot process belongs to one lane of one worker (hosting/bot_pool.py). So it sits in at
   most one match of the block, however many tables of other blocks it serves.
2. A void match is played again in its lane at once. Those who sat in it are stopped and never seated again; no other
   process of that lane has met this luck, by 1.
3. Rotations that are still missing when all parts are back (void too often, or the worker died) are played in another
   round. It goes to workers that have had no part of this block: for these it is the first time, so 1 and 2 hold again.
   Only if there is none, workers that have had one play it with fresh processes, which are started for one match and
   stopped after it.
4. A worker that takes the place of a dead one is another worker, and has met nothing: all bots of the dead one died
   with it. The same is true of every worker of a later run, which may have to play rotations whose record was lost.

Rotations that differ in their luck (`mirrored = false`) need none of this, and all of them share lane 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from server.play.block_jobs import BlockJob, BlockKey, BlockResult
from server.play.recorded_match import RecordedMatch, VoidMatch


class Loaded(Protocol):
    """A worker that can be compared with others by how much it has to do."""

    @property
    def assigned(self) -> int:
        """Return how many matches it was given and has not returned."""
        ...


W = TypeVar("W", bound=Loaded)


@dataclass(slots=True)
class _OpenBlock(Generic[W]):
    """What a machine knows of a block that is not whole yet."""

    met: list[W] = field(default_factory=list)
    """The workers that had a part of it."""
    played: dict[int, RecordedMatch] = field(default_factory=dict)
    """By rotation."""
    wanted: int = 0
    """Matches that make it whole."""
    parts_out: int = 0
    voids: list[VoidMatch] = field(default_factory=list)
    """The void matches of this round."""


class BlocksInParts(Generic[W]):
    """The blocks that one machine plays."""

    def __init__(self) -> None:
        self._blocks: dict[BlockKey, _OpenBlock[W]] = {}

    def split(self, job: BlockJob, workers: Sequence[W]) -> list[tuple[W, BlockJob]]:
        """Return parts of almost the same size for some of the workers, those with the least to do first.

        A block that came back void is given out again, without the rotations that were played.
        """
        block = self._blocks.setdefault(job.key, _OpenBlock(wanted=len(job.rotations)))
        missing = [rotation for rotation in job.rotations if rotation not in block.played]
        strangers = [worker for worker in workers if worker not in block.met]
        chosen = sorted(strangers or workers, key=lambda worker: worker.assigned)[: len(missing)]
        parts = [
            replace(job, rotations=tuple(missing[number :: len(chosen)]), fresh=job.fresh or not strangers)
            for number in range(len(chosen))
        ]
        block.met += chosen
        block.parts_out, block.voids = len(parts), []
        return list(zip(chosen, parts, strict=True))

    def join(self, result: BlockResult) -> BlockResult | None:
        """Take in what came back of a part. Returns the block once no part is out: whole, or void."""
        block = self._blocks[result.key]
        block.parts_out -= 1
        block.voids += result.voids
        block.played |= {match.summary.rotation: match for match in result.matches}
        if block.parts_out:
            return None
        matches: tuple[RecordedMatch, ...] = ()
        if len(block.played) == block.wanted:
            matches = tuple(block.played[rotation] for rotation in sorted(block.played))
            del self._blocks[result.key]
        return replace(result, matches=matches, voids=tuple(block.voids))

    def forget(self, key: BlockKey) -> None:
        """Forget a block that is not played here any more."""
        self._blocks.pop(key, None)
