"""Large events: is the schedule quick, the ladder quick, and the last match of an event as quick as the first?

(a) schedules  an event of 100 bots in every format, with 2 and 4 seats, fed with results from a model of strengths
(b) ladders    databases of synthetic results (ladders.py)
(c) events     matches between real bot processes in a temporary folder (long_event.py)
(d) reads      what reading (b) and (c) costs, from a thousand matches to a million (ladders.py)
(e) chooser    what choosing the next table costs an arena with hundreds of bots: all of it but the fit runs in the
               referee's event loop, between answers

Times are wall and CPU: on a busy machine only the CPU compares. Memory is what the kernel says in /proc.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bench.ladders import ShowLadders, measure_ladder, play_ranks
from bench.long_event import measure_event
from bench.processes import measured
from server.play.summary import half_points
from server.schedule import FORMATS, Block, Entrant, HalfPoints, Plan, Schedule
from server.schedule.next_table import Candidate, next_table
from server.schedule.open_field import FittedField, OpenField

LADDERS = (
    (1_000, 2, "pavillon_noir"),
    (10_000, 2, "pavillon_noir"),
    (100_000, 2, "pavillon_noir"),
    (1_000_000, 2, "pavillon_noir"),
    (200_000, 4, "pirates_cove"),
)
"""Results, seats, game."""


def measure_scale(matches: Sequence[int], show_ladders: ShowLadders) -> dict[str, Any]:
    """Measure all of it, with an event of each of these numbers of matches."""
    return {
        "load": os.getloadavg()[0],
        "schedules": [measure_schedule(name, seats) for name in FORMATS for seats in (2, 4)],
        # Before the ladders: what they leave behind would count as the parent's memory.
        "events": [measure_event(count, show_ladders) for count in matches if count],
        "ladders": [measure_ladder(*ladder, show_ladders) for ladder in LADDERS],
        "chooser": [measure_chooser(*field) for field in FIELDS],
    }


# (a) Schedules

ENTRANTS, HEROES = 100, 5
ROUNDS = {"round-robin": 1, "gauntlet": 1, "swiss": 9, "knockout": 2, "league": 33, "ladder": 33}


def measure_schedule(name: str, seats: int) -> dict[str, Any]:
    """Measure the schedule of an event, from its opening to its last block."""
    entrants = tuple(Entrant(name=f"bot{number:03d}", hero=number < HEROES) for number in range(ENTRANTS))
    plan = Plan(format=name, seats=seats, entrants=entrants, rounds=ROUNDS[name], seed="scale")
    luck = random.Random("scale")
    strengths = {entrant.name: luck.gauss(0, 150) for entrant in entrants}
    results: dict[int, HalfPoints] = {}
    with measured() as opening:
        schedule = Schedule(plan)
        blocks = schedule.open_blocks(results)
    stages = [opening]
    while blocks:
        results |= {block.number: play_points(block, strengths, luck) for block in blocks}
        with measured() as cost:
            blocks = schedule.open_blocks(results)
        stages.append(cost)
    return {
        "format": name,
        "seats": seats,
        "rounds": plan.rounds,
        "blocks": len(results),
        "open_cpu_seconds": opening.cpu_seconds,
        "draws": len(stages),
        "slowest_cpu_seconds": max(stage.cpu_seconds for stage in stages),
        "cpu_seconds": sum(stage.cpu_seconds for stage in stages),
    }


def play_points(block: Block, strengths: Mapping[str, float], luck: random.Random) -> HalfPoints:
    """Play the half points of a block by the model of strengths."""
    points = dict.fromkeys(block.bots, 0)
    for rotation in range(len(block.bots)):
        seated = block.seating(rotation)
        ranks = play_ranks([strengths[bot] for bot in seated], luck)
        for seat, bot in enumerate(seated):
            points[bot] += half_points(ranks, seat)
    return tuple(points.values())


# (e) What choosing tables costs an arena

FIELDS = ((100, 2), (500, 2), (500, 4))
"""Bots and seats."""

GAMES = 4
"""That every pair has played: a ladder that has run for long, the dearest case."""

TABLES = 60
"""At which matches run."""

TIMES = 20
"""Of each part that is measured; the longest counts, because the loop waits for it."""


def measure_chooser(bots: int, seats: int) -> dict[str, Any]:
    """Measure what choosing a table costs: milliseconds of CPU time of each part, the longest of several.

    In a field that has played, some bots are at tables and the others are free. Each part is timed as the hall calls
    it: `prepare` takes the results for a fit, `fit` runs in a thread, `choose` picks the next table, `begin` and `add`
    count a match.
    """
    dice = np.random.RandomState(bots)
    names = [f"bot{number:03}" for number in range(bots)]
    field = OpenField(seats)
    for at, name in enumerate(names):
        for other in names[:at]:
            won = int(dice.randint(2 * GAMES + 1))
            field.add_pairs(name, other, GAMES, won)
            field.add_pairs(other, name, GAMES, 2 * GAMES - won)
    prepared = _longest(lambda: field.prepare(names), 3)
    began = time.process_time()
    fitted = FittedField(field.prepare(names))
    fit = time.process_time() - began
    field.use(fitted)
    free = [Candidate(name=name, is_free=at >= TABLES * seats, waited=at % 7) for at, name in enumerate(names)]
    few = [Candidate(name=name, is_free=at >= bots - seats, waited=at % 7) for at, name in enumerate(names)]

    def choose(candidates: list[Candidate]) -> Callable[[], object]:
        return lambda: next_table(candidates, seats, lambda some: field.values(some, {}).tolist(), 10.0)

    table = [names[at] for at in dice.permutation(bots)[:seats]]
    return {
        "bots": bots,
        "seats": seats,
        "choose_millis": 1e3 * max(_longest(choose(free)), _longest(choose(few))),
        "begin_millis": 1e3 * _longest(lambda: field.begin(table)),
        "add_millis": 1e3 * _longest(lambda: field.add(table, list(range(1, seats + 1)))),
        "prepare_millis": 1e3 * prepared,
        "fit_in_a_thread_millis": 1e3 * fit,
    }


def _longest(part: Callable[[], object], times: int = TIMES) -> float:
    seconds = []
    for _ in range(times):
        began = time.process_time()
        part()
        seconds.append(time.process_time() - began)
    return max(seconds)
