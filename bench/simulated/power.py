"""Does "a gap of 120 Elo is told in 8 of 10 events" come true? Events are played with that gap, and fitted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from bench.simulated.events import draw_tables, play_blocks
from bench.simulated.shares import Share, share_of_events
from server.ratings.fit import fit
from server.ratings.power import WIDEST, Power, forecast_power

POWERS = (
    (2, 2, 8),
    (2, 2, 190),
    (4, 2, 24),
    (6, 2, 60),
    (6, 2, 1650),
    (10, 2, 450),
    (20, 2, 380),
    (6, 3, 40),
    (8, 4, 60),
    (5, 5, 8),
)
"""Bots, seats, blocks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PowerRow:
    """How often a gap was told that should be told in `said` of events."""

    bots: int
    seats: int
    blocks: int
    events: int
    gap: float
    said: float
    told: Share
    for_goal: int
    """Blocks that should tell 50 Elo."""


def measure_power(bots: int, seats: int, blocks: int, events: int, seed: int = 12) -> PowerRow:
    """Play so many events in which every other bot is better by the gap."""
    luck = np.random.default_rng([seed, bots, seats, blocks])
    forecast = forecast_tables(luck, bots, seats, blocks)
    gap = forecast.gap or WIDEST
    names = [f"bot{number}" for number in range(bots)]
    truth = np.where(np.arange(bots) % 2 == 0, gap, 0.0)
    tables = (fit(names, *play_blocks(luck, truth, seats, blocks)) for _ in range(events))
    return PowerRow(
        bots=bots,
        seats=seats,
        blocks=blocks,
        events=events,
        gap=gap,
        said=forecast.share,
        told=share_of_events([float(table.sure()[::2, 1::2].mean()) for table in tables]),
        for_goal=forecast.blocks_for_goal,
    )


def forecast_tables(luck: np.random.Generator, bots: int, seats: int, blocks: int) -> Power:
    """Forecast what the tables of a simulated event tell."""
    tables = Counter(tuple(table) for table in draw_tables(luck, bots, seats, blocks).tolist())
    forecast = forecast_power(bots, tables)
    assert forecast is not None, "all bots of these tables meet"
    return forecast
