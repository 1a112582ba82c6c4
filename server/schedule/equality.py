"""Whether all bots of a contest play equally many matches: said beforehand where that is impossible."""

from __future__ import annotations

from math import gcd

from server.schedule.plan import Plan

IN_ROUNDS = ("league", "swiss", "ladder")
"""Formats whose rounds seat as many bots as they can, each once."""


def unequal_matches(plan: Plan) -> str:
    """Why some bots of this contest play more matches than others, and what would make them equal. Empty: they do not.

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
