"""What is known of a contest before it is played: how many blocks it will have, how many each bot plays, and
whether all bots play equally many matches.

Where stages are drawn from results, the contest is drawn as if the better seed always won. In a Swiss the number of
blocks does not depend on that; in a knockout, where a level tie takes more legs, it is the least number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd

from server.schedule.drawing import by_lot
from server.schedule.driver import Schedule
from server.schedule.plan import Block, HalfPoints, Plan


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedBlocks:
    """The blocks of a contest."""

    blocks: int | None
    """None: there is no end."""
    per_bot: dict[str, int]
    """Blocks, by bot. Empty: there is no end."""
    exact: bool
    """Whether the numbers are sure, if no bot is taken out."""
    tables: dict[tuple[str, ...], int]
    """Blocks, by the bots of the table in the order of their names. Empty: there is no end."""
    among_equals: float | None = None
    """In a knockout, the mean number of blocks if all bots are equally good: then most ties are level at first."""


def forecast(plan: Plan) -> PlannedBlocks:
    """Count the blocks of a contest before it is played."""
    schedule = Schedule(plan)
    if schedule.planned({}) is None:
        return PlannedBlocks(blocks=None, per_bot={}, exact=True, tables={})
    seeds = {entrant.name: seed for seed, entrant in enumerate(plan.entrants)}
    results: dict[int, HalfPoints | None] = {}
    per_bot = Counter[str](dict.fromkeys(seeds, 0))
    tables = Counter[tuple[str, ...]]()
    while blocks := schedule.open_blocks(results):
        for block in blocks:
            per_bot.update(block.bots)
            tables[tuple(sorted(block.bots))] += 1
            results[block.number] = _better_seed_wins(block, seeds)
        if schedule.lag is None:
            break
    return PlannedBlocks(
        blocks=len(results),
        per_bot=dict(per_bot),
        exact=schedule.lag is None,
        tables=dict(tables),
        among_equals=_count_among_equals(plan) if plan.format == "knockout" else None,
    )


RUNS = 20
"""Knockouts that are drawn for their mean length."""


def _count_among_equals(plan: Plan) -> float:
    """Count the blocks of a knockout in which every match is decided by lot, on average."""
    counts = []
    for run in range(RUNS):
        schedule = Schedule(plan)
        results: dict[int, HalfPoints | None] = {}
        while blocks := schedule.open_blocks(results):
            for block in blocks:
                results[block.number] = _decide_by_lot(block, f"{run} {block.number}")
        counts.append(len(results))
    return sum(counts) / RUNS


def _decide_by_lot(block: Block, purpose: str) -> HalfPoints:
    points = Counter[str]()
    for match in range(len(block.bots)):
        for beaten, bot in enumerate(by_lot("forecast", f"{purpose} {match}", block.bots)):
            points[bot] += 2 * beaten
    return tuple(points[bot] for bot in block.bots)


def _better_seed_wins(block: Block, seeds: dict[str, int]) -> HalfPoints:
    seats = len(block.bots)
    order = sorted(block.bots, key=seeds.__getitem__)
    return tuple(2 * seats * (seats - 1 - order.index(bot)) for bot in block.bots)


IN_ROUNDS = ("league", "swiss", "ladder")
"""Formats whose rounds seat as many bots as they can, each once."""


def unequal_matches(plan: Plan) -> str:
    """Explain why some bots of this contest play more matches than others, and what would make them equal. Empty: all
    play equally many.

    Bots that join or leave later are not foreseen.
    """
    bots = sum(entrant.joined == 0 for entrant in plan.entrants)
    left_over = bots % plan.seats
    if plan.format not in IN_ROUNDS or not plan.rounds or not left_over:
        return ""
    seated = bots - left_over
    fewer, more = divmod(plan.rounds * seated, bots)
    if not more:
        return ""
    equal = bots // gcd(bots, seated)
    return (
        f"{bots} bots at tables of {plan.seats} cannot play equally often in {plan.rounds} rounds: {more} will play "
        f"{(fewer + 1) * plan.seats} matches, {bots - more} will play {fewer * plan.seats}; with rounds = {equal} or a "
        "multiple of it, all play equally many"
    )
