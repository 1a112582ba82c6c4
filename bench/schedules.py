"""(a) The schedules of events with 100 bots, in every format, fed with results from a model of strengths."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from bench.process_costs import measured
from server.play.summary import half_points
from server.schedule import Block, Entrant, HalfPoints, Plan, Schedule

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


def play_ranks(strengths: Sequence[float], luck: random.Random) -> list[int]:
    """Play a match by the model of Elo, for any number of seats: the bot that has the best day wins. One in twenty
    is a tie of all."""
    if luck.random() < 0.05:
        return [1] * len(strengths)
    days = [strength - 400 / math.log(10) * math.log(luck.expovariate(1)) for strength in strengths]
    return [1 + sum(other > day for other in days) for day in days]
