"""Compares formats before an event: how often the best bot comes first, for about the same number of matches.

Events of each format are simulated with the schedules and the order of real ones: strengths scatter normally, results
follow Plackett-Luce, nobody draws, and seeds say nothing of strength. The luck is fixed, so the same event gets the
same table. The work is bounded by numbers of matches, not by the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from server.ratings.distributions import ELO, Z95
from server.ratings.fit import fit
from server.ratings.matches import Ints
from server.schedule import Block, Entrant, HalfPoints, Plan, Results, Schedule
from server.schedule.placings import Occasion, place_by_points
from server.schedule.points import ContestTally
from server.schedule.swiss import count_absences

SCATTER = 100.0
"""Standard deviation of the strengths, in Elo."""

MOST_EVENTS, FEWEST_EVENTS = 200, 25
"""Simulated events of each format."""

WORK = {"knockout": 14_000, "swiss": 9_000, "league": 14_000, "round-robin": 14_000, "ladder": 4_500}
"""By format, how many matches are simulated at most: all together, these take less than 2 s."""

MOST_BOTS = 32
"""Draws of more bots take too long to be repeated."""

MORE = 1.5
"""A format that takes more than this many times the matches is not compared."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FormatChance:
    """One format."""

    format: str
    rounds: int | None = None
    """The setting that gives about as many matches, or the least. None: not looked for, as the event is too large."""
    matches: float
    """On average."""
    best_first: float | None = None
    """The share of events in which the best bot came first; bots that share a place share it. None: not compared."""
    plus_minus: float | None = None
    """Half of its 95 % interval."""
    events: int = 0
    reason: str = ""
    """Why it is not compared."""


def compare_formats(plan: Plan, blocks: int) -> list[FormatChance]:
    """Simulate events of all formats with the bots and seats of a contest, of about this many blocks."""
    entrants = tuple(Entrant(name=bot) for bot in plan.active(0))
    plan = Plan(format=plan.format, seats=plan.seats, entrants=entrants, seed="formats", max_legs=plan.max_legs)
    return [_simulate(replace(plan, format=name), blocks) for name in WORK]


def _simulate(plan: Plan, blocks: int) -> FormatChance:
    matches, bots = blocks * plan.seats, len(plan.entrants)
    if bots > MOST_BOTS or matches * FEWEST_EVENTS > WORK[plan.format]:
        return FormatChance(format=plan.format, matches=matches, reason="too large to be simulated often enough")
    least = Schedule(replace(plan, rounds=1)).planned({}) or 1
    if least > MORE * blocks:
        return FormatChance(format=plan.format, rounds=1, matches=least * plan.seats, reason="needs more matches")
    rounds = max(1, round(blocks / least))
    plan = replace(plan, rounds=rounds, max_legs=max(plan.max_legs, rounds))
    events = min(MOST_EVENTS, WORK[plan.format] // matches)
    # One draw serves all events, as strengths are drawn anew: a league of 20 bots at 5 seats takes 0.1 s to draw.
    schedule = Schedule(plan)
    outcomes = [_play(schedule, number) for number in range(events)]
    share = float(np.mean([first for first, _ in outcomes]))
    return FormatChance(
        format=plan.format,
        rounds=rounds,
        matches=float(np.mean([matches for _, matches in outcomes])),
        best_first=share,
        plus_minus=Z95 * sqrt(share * (1 - share) / events),
        events=events,
    )


def _play(schedule: Schedule, number: int) -> tuple[float, int]:
    """Play one event; return the best bot's share of the first place, and the number of matches."""
    plan = schedule.plan
    luck = np.random.RandomState(number)  # its draws are promised to be the same in every version of numpy
    names = [entrant.name for entrant in plan.entrants]
    strengths = dict(zip(names, SCATTER / ELO * luck.standard_normal(len(names)), strict=True))
    tally = ContestTally(seats=plan.seats)
    results: dict[int, HalfPoints | None] = {}
    played: list[tuple[Block, Ints]] = []
    while blocks := schedule.open_blocks(results):
        for block in blocks:
            ranks = _play_block(luck, [strengths[bot] for bot in block.bots])
            results[block.number] = tuple((2 * (plan.seats - ranks)).sum(axis=0).tolist())
            played.append((block, ranks))
            for match in ranks.tolist():
                tally.add_match(block.bots, match)
    first = _first(schedule, tally, results, played)
    best = max(names, key=strengths.__getitem__)
    return (best in first) / len(first), len(results) * plan.seats


def _play_block(luck: np.random.RandomState, strengths: Sequence[float]) -> Ints:
    """Return ranks by match and bot."""
    merits = np.array(strengths) + luck.gumbel(size=(len(strengths), len(strengths)))
    return np.asarray((-merits).argsort(axis=1).argsort(axis=1) + 1)


def _first(
    schedule: Schedule, tally: ContestTally, results: Results, played: Sequence[tuple[Block, Ints]]
) -> list[str]:
    """Return who comes first."""
    plan = schedule.plan
    places = schedule.placing(results)
    if places is not None:
        return [place.bot for place in places if place.rank == 1]
    if plan.format == "ladder":
        names = [entrant.name for entrant in plan.entrants]
        bots = np.array([[names.index(bot) for bot in block.bots] for block, ranks in played for _ in ranks])
        clusters = np.repeat([block.number for block, _ in played], plan.seats)
        ranks = np.concatenate([ranks for _, ranks in played])
        return [fit(names, bots, ranks, clusters, claims=False, seat_terms=False).rows[0].name]
    if plan.format == "swiss":
        tally.byes, tally.missed = count_absences(plan, schedule.played_stages(results))
    lines = place_by_points(plan, tally, Occasion(name=plan.format, over=True)).lines
    return [line.bot for line in lines if line.place == 1]
