"""Large events: is the schedule quick, the ladder quick, and the last match of an event as quick as the first?

(a) schedules.py   an event of 100 bots in every format, with 2 and 4 seats
(b) ladders.py     a database of synthetic results: fold the live ladder again, fit the official table and show it
(c) long_event.py  matches between real bot processes in a temporary folder

Times are wall and CPU: on a busy machine only the CPU compares. Memory is what the kernel says in /proc.
"""

from __future__ import annotations

import os
from typing import Any

from server.bench.ladders import ShowLadders, measure_ladder
from server.bench.long_event import measure_event
from server.bench.schedules import measure_schedule
from server.schedule import FORMATS

LADDERS = ((1_000_000, 2, "pavillon_noir"), (200_000, 4, "pirates_cove"))
"""Results, seats, game."""


def measure_scale(matches: int, show_ladders: ShowLadders) -> dict[str, Any]:
    """All three; an event of that many matches, or none."""
    return {
        "load": os.getloadavg()[0],
        "schedules": [measure_schedule(name, seats) for name in FORMATS for seats in (2, 4)],
        # Before the ladders: what they leave behind would count as the parent's memory.
        "event": measure_event(matches) if matches else None,
        "ladders": [measure_ladder(*ladder, show_ladders) for ladder in LADDERS],
    }
