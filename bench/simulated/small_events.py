"""What is said where matches tell little: of two bots after few blocks, and of a bot far from all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.simulated.events import play_blocks
from bench.simulated.shares import Share, share_of_events
from bench.simulated.stopping import StoppedPool, draw_blocks, true_values
from server.ratings.duel import duel, of_scores
from server.ratings.fit import fit

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


EXTREMES = ((1200.0, 2, 40), (-1200.0, 2, 60), (700.0, 2, 40), (700.0, 2, 200), (1200.0, 4, 60), (400.0, 2, 60))
"""By how much a bot is above six near equals, seats, blocks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtremeRow:
    """How often what is said of a bot far from all others was right."""

    gap: float
    seats: int
    blocks: int
    events: int
    plus_minus: Share
    """The interval with two ends held its Elo."""
    printed: Share
    """What is printed held it: "above 1640", or the interval."""
    one_sided: float
    others: Share
    """What is printed of the others held theirs."""


def measure_extremes(gap: float, seats: int, blocks: int, events: int, seed: int = 9) -> ExtremeRow:
    """Play so many events; one of the near equals is the anchor."""
    luck = np.random.default_rng([seed, int(gap) + 5000, seats, blocks])
    truth = np.array([0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 50.0 + gap])
    names = [f"bot{number}" for number in range(len(truth))]
    true = dict(zip(names, 1000 + truth, strict=True))
    plain, printed, others, one_sided = [], [], [], 0
    for _ in range(events):
        table = fit(names, *play_blocks(luck, truth, seats, blocks), anchors={"bot1": true["bot1"]}, claims=False)
        rows = {row.name: row for row in table.rows}
        far = rows.pop("bot6")
        one_sided += not np.isfinite(far.high - far.low)
        plain.append(float(abs(far.rating - true["bot6"]) <= far.plus_minus))
        printed.append(float(far.low <= true["bot6"] <= far.high))
        del rows["bot1"]
        others.append(float(np.mean([row.low <= true[name] <= row.high for name, row in rows.items()])))
    return ExtremeRow(
        gap=gap,
        seats=seats,
        blocks=blocks,
        events=events,
        plus_minus=share_of_events(plain),
        printed=share_of_events(printed),
        one_sided=one_sided / events,
        others=share_of_events(others),
    )
