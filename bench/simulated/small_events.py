"""What is said of one pair of bots after few blocks: the duel line, and the likelihood that one is better (LOS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.simulated.shares import Share, share_of_events
from bench.simulated.stopping import StoppedPool, draw_blocks, true_values
from server.ratings.duel import duel, of_scores

DUELS = (
    StoppedPool(elo1=0, gap=0.0),
    StoppedPool(elo1=0, gap=150.0),
    StoppedPool(elo1=0, gap=0.0, draws=0.5),
    StoppedPool(elo1=0, gap=0.0, seats=3),
    StoppedPool(elo1=0, gap=0.0, seats=4),
)
DUEL_BLOCKS = (4, 8, 12, 40, 250)


@dataclass(frozen=True, kw_only=True, slots=True)
class DuelRow:
    """How often the line of a duel was right."""

    gap: float
    seats: int
    draws: float
    blocks: int
    events: int
    covered: Share
    """The Elo interval held the true Elo."""
    certain: Share
    """LOS was above 97.5 % or below 2.5 %: 5 % is right among equals."""


def measure_duel(pool: StoppedPool, blocks: int, events: int, seed: int = 6) -> DuelRow:
    """Play so many duels."""
    luck = np.random.default_rng([seed, pool.seats, int(pool.gap), int(10 * pool.draws), blocks])
    elo, _ = true_values(pool) if pool.gap else (0.0, 0.0)
    scores = draw_blocks(luck, pool, blocks * events).reshape(events, blocks)
    duels = [duel(of_scores(event, games=pool.seats)) for event in scores.tolist()]
    return DuelRow(
        gap=pool.gap,
        seats=pool.seats,
        draws=pool.draws,
        blocks=blocks,
        events=events,
        covered=share_of_events([float(found.low <= elo <= found.high) for found in duels]),
        certain=share_of_events([float(not 0.025 <= found.superiority <= 0.975) for found in duels]),
    )
