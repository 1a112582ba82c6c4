"""A tuning run: trials asked of SPSA, played in blocks, their results told and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from referee.match.clock import TimeControl
from server.jail.confinement import Confinement
from server.system.processes import Workers
from server.tuning.comparison import BlockScore, Comparison, mean
from server.tuning.hosted import play_blocks
from server.tuning.in_process import play_block
from server.tuning.manifest import TuneManifest
from server.tuning.state import StateFile

Play: TypeAlias = Callable[[Comparison, range], Sequence[BlockScore]]
"""Plays the blocks of a comparison."""


def play_here(workers: Workers, comparison: Comparison, blocks: range) -> list[BlockScore]:
    """Play in this process, or in several of ours."""
    return list(workers.run(partial(play_block, comparison), blocks))


def play_hosted(
    comparison: Comparison, blocks: range, *, jobs: int, clock: TimeControl, confinement: Confinement
) -> list[BlockScore]:
    """Play between bot processes, which are started for these blocks."""

    async def play_all() -> list[BlockScore]:
        found = play_blocks(comparison, blocks, jobs=min(jobs, len(blocks)), clock=clock, confinement=confinement)
        return [score async for score in found]

    return asyncio.run(play_all())


def tune(manifest: TuneManifest, state: StateFile, play: Play, progress: Callable[[], None]) -> None:
    """Go on from where the state stands until all iterations are done."""
    while state.run.done < manifest.iterations:
        trial = state.run.ask()
        comparison = manifest.trial_comparison(trial)
        found = play(comparison, manifest.trial_blocks(trial))
        minus, plus = (mean([block.scores[side] for block in found]) for side in (0, 1))
        state.add(trial, (minus, plus), comparison.seats * (plus - minus))
        progress()
