"""Large events: is the schedule quick, the ladder quick, and the last match of an event as quick as the first?

(a) schedules.py   an event of 100 bots in every format, with 2 and 4 seats
(b) ladders.py     databases of synthetic results
(c) long_event.py  matches between real bot processes in a temporary folder
(d) growth.py      what reading (b) and (c) costs, from a thousand matches to a million
(e) table_chooser.py  what choosing the next table costs an arena with hundreds of bots

Times are wall and CPU: on a busy machine only the CPU compares. Memory is what the kernel says in /proc.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bench.growth import ShowLadders
from bench.ladders import measure_ladder
from bench.long_event import measure_event
from bench.schedules import measure_schedule
from bench.table_chooser import FIELDS, measure_chooser
from server.schedule import FORMATS

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
