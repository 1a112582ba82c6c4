"""Calendars for tests: a short event, and a wall clock to be set at will."""

from __future__ import annotations

import asyncio

from support.ladders import make_config
from support.tables import House

CUP = """
name = "cup"
seed = "s"
format = "round-robin"
rounds = 2
concurrency = 2
clock = "3600+60/600"
start_seconds = 0.1
[[games]]
id = "pavillon_noir"
variant = { max_rounds = 1 }
"""
CALM = make_config(rest_seconds=0.05)
"""The ladders go on beside the events, and leave them some time."""


class Clock:
    """The wall clock, in seconds, to be set at will."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> int:
        return 1000 * self.seconds


def host(house: House, *names: str) -> None:
    """Bots that the server starts (or would: here they are functions)."""
    for name in names:
        house.hall.add_hosted(house.registry.host(name, "", "cmd: true"))


async def looks(count: int = 5) -> None:
    """Let the calendar be looked at a few times."""
    await asyncio.sleep(0.01 * count)
