"""How often the table over several games is right: simulated events of known strengths in three games.

`tortuga bench --statistics` prints it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.simulated.events import play_blocks
from bench.simulated.shares import Share, share_of_events
from server.ratings.fit import fit
from server.ratings.overall import MEAN, fit_overall

GAMES = (("dice", 2, 60, 0.3), ("cards", 2, 100, 1.0), ("cards", 4, 40, 1.0), ("sea", 3, 50, 0.6))
"""Contests: the game, its seats, the blocks, and how far apart the bots lie in it."""
BOTS = 6
SPREADS = (150.0, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class OverallRow:
    """How often the claims of the table held."""

    spread: float
    """The standard deviation of the strengths in the game where bots lie farthest apart, in Elo."""
    events: int
    covered: Share
    """How often ± held the true mean."""
    false_claims: Share
    """How often any "surely better" was wrong, or any range of ranks."""
    mean_plus_minus: float


def measure_overall(events: int, spread: float = 150.0, seed: int = 8) -> OverallRow:
    """Measure one pool. Of spread 0 all bots are equal in every game, so any claim is wrong."""
    luck = np.random.default_rng([seed, round(spread)])
    names = [f"bot{number}" for number in range(BOTS)]
    weights = {"dice": 1 / 3, "cards": 1 / 6, "sea": 1 / 3}
    covered, wrong, halves = [], [], []
    for _ in range(events):
        own, true, fits = luck.normal(0, spread, BOTS), np.full(BOTS, MEAN), []
        for game, seats, blocks, share in GAMES:
            strengths = share * (own + luck.normal(0, spread / 3, BOTS))
            true += weights[game] * (strengths - strengths.mean())
            fits.append((game, fit(names, *play_blocks(luck, strengths, seats, blocks), claims=False)))
        overall = fit_overall(fits)
        assert overall is not None
        truth = dict(zip(names, true, strict=True))
        covered.append(float(np.mean([abs(row.rating - truth[row.name]) < row.plus_minus for row in overall.rows])))
        halves.append(float(np.mean([row.plus_minus for row in overall.rows])))
        claims = [(row.name, worse) for row in overall.rows for worse in row.surely_better_than]
        wrong.append(float(any(truth[better] <= truth[worse] + 1e-9 for better, worse in claims)))
    return OverallRow(
        spread=spread,
        events=events,
        covered=share_of_events(covered),
        false_claims=share_of_events(wrong),
        mean_plus_minus=float(np.mean(halves)),
    )
