"""Placings from the results of blocks, as schedules of tests have them."""

from __future__ import annotations

from collections.abc import Mapping

from server.schedule import HalfPoints, Plan, PlayedBlock, Schedule
from server.schedule.placings import Occasion, Placings, place_by_points
from server.schedule.points import BlockPoints, ContestTally
from server.schedule.swiss import count_absences


def tally_of(plan: Plan, results: Mapping[int, HalfPoints | None]) -> ContestTally:
    """The tally of all blocks with a result.

    Whom the points of a larger table were made against is not known: they are put down as if made against one bot.
    """
    schedule = Schedule(plan)
    tally = ContestTally(seats=plan.seats)
    for block in schedule.blocks(results):
        if block.number not in results:
            continue
        made = BlockPoints(plan).points(PlayedBlock(block=block, half_points=results[block.number]))
        for at, bot in enumerate(block.bots):
            for place, other in enumerate(block.bots):
                if other != bot:
                    whole = place == (at + 1) % plan.seats
                    tally.add_pair(bot, other, plan.seats, made[at] if whole else 0)
    tally.byes, tally.missed = count_absences(plan, schedule.played_stages(results))
    return tally


def placings_of(plan: Plan, results: Mapping[int, HalfPoints | None], *, over: bool = True) -> Placings:
    """The placings of a format that goes by points."""
    return place_by_points(plan, tally_of(plan, results), Occasion(name="cup", over=over))
