"""A world to try schedules in: results that follow from the block, its bots' strengths and a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import pytest

from server.schedule import Block, HalfPoints, Plan, Schedule


def luck(*words: object) -> float:
    """A number from 0 to 1 for these words."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:6], "big") / 2**48


def make_result(block: Block, seed: int, skill: Mapping[str, float]) -> HalfPoints:
    """What the block's matches came to. Near performances tie, so that ties occur in all formats."""
    points = dict.fromkeys(block.bots, 0)
    for rotation in range(len(block.bots)):
        shown = {bot: round(skill.get(bot, 0) + 4 * luck(seed, block.number, rotation, bot)) for bot in block.bots}
        for bot in block.bots:
            points[bot] += sum(
                2 if shown[bot] > shown[other] else 1 if shown[bot] == shown[other] else 0
                for other in block.bots
                if other != bot
            )
    return tuple(points[bot] for bot in block.bots)


def play_event(plan: Plan, seed: int, skill: Mapping[str, float], most: int) -> dict[int, HalfPoints | None]:
    """Play a contest to its end, or until so many blocks are done, in an order that the seed chooses."""
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {}
    while len(results) < most:
        blocks = schedule.open_blocks(results)
        if not blocks:
            break
        block = blocks[int(luck(seed, len(results)) * len(blocks))]
        results[block.number] = make_result(block, seed, skill)
    return results


@pytest.fixture(scope="session")
def result_of() -> Callable[[Block, int, Mapping[str, float]], HalfPoints]:
    """What came of a block."""
    return make_result


@pytest.fixture(scope="session")
def play() -> Callable[[Plan, int, Mapping[str, float], int], dict[int, HalfPoints | None]]:
    """Play a whole event."""
    return play_event
