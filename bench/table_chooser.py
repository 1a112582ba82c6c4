"""(e) What choosing tables costs an arena: all of it but the fit runs in the referee's event loop, between answers.

A field that has played, some bots at tables, the others free. Each part is timed as the hall calls it: `prepare` takes
the results for a fit, `fit` runs in a thread, `choose` picks the next table, `begin` and `add` count a match.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from server.schedule.next_table import Candidate, next_table
from server.schedule.open_field import FittedField, OpenField

FIELDS = ((100, 2), (500, 2), (500, 4))
"""Bots and seats."""

GAMES = 4
"""That every pair has played: a ladder that has run for long, the dearest case."""

TABLES = 60
"""At which matches run."""

TIMES = 20
"""Of each part that is measured; the longest counts, because the loop waits for it."""


def measure_chooser(bots: int, seats: int) -> dict[str, Any]:
    """Milliseconds of CPU time of each part, the longest of several."""
    dice = np.random.RandomState(bots)
    names = [f"bot{number:03}" for number in range(bots)]
    field = OpenField(seats)
    for at, one in enumerate(names):
        for other in names[:at]:
            half_points = int(dice.randint(2 * GAMES + 1))
            field.add_pairs(one, other, GAMES, half_points)
            field.add_pairs(other, one, GAMES, 2 * GAMES - half_points)
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
    found = []
    for _ in range(times):
        began = time.process_time()
        part()
        found.append(time.process_time() - began)
    return max(found)
