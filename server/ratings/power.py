"""Forecasts, before anything is played, how small a gap a table will tell: from who meets whom, and how often.

The errors are those of the fit (spread.py), with expected results in place of real ones: half of the bots are better
than the others by the gap in question, luck is new in every match, and nobody draws. Draws, and luck that mirrored
seats cancel, make the errors smaller; luck that sticks with a bot makes them larger.

A gap is told if the table calls the better one of two bots surely better (claims.py): its lead, of which the error
grows with the lead, has to be large enough. The gap that is told in POWER of events is larger than that lead, by as
much as chance takes away in the others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from server.ratings.bradley_terry import BradleyTerry, find_groups
from server.ratings.claims import critical_value, pair_deviations
from server.ratings.distributions import ELO, share_of, t_quantile
from server.ratings.fit import PRIOR
from server.ratings.matches import Cells, Floats
from server.ratings.spread import ASSUMED, combine_degrees, dispersion_of_equals, own_part

POWER = 0.8
"""The share of events in which a gap is told."""

GOAL = 50.0
"""The gap, in Elo, of which it is said how many blocks tell it."""

NARROWEST, WIDEST = 5.0, 400.0
"""Gaps that are tried, in Elo. Wider ones are told less often than the errors say: nobody wins more than all games."""

MOST_BOTS = 300
"""With more, a forecast would take more than some seconds."""

PRECISION = 0.5
"""Elo. How precisely a gap is computed."""

Tables = Mapping[tuple[int, ...], int]
"""Number of blocks, by the numbers of the bots that play them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Power:
    """What the blocks of a contest will tell."""

    blocks: int
    gap: float | None
    """By how many Elo one of two bots has to be better to be told in POWER of events. None: more than `widest`."""
    widest: float
    """WIDEST."""
    share: float
    """POWER."""
    goal: float
    """GOAL."""
    blocks_for_goal: int
    """Blocks, of the same bots meeting each other in the same proportions, that tell a gap of `goal`."""


def forecast_power(bot_count: int, tables: Tables) -> Power | None:
    """Forecast what these blocks will tell; None where some bots never meet, not even through others, and where there
    are more than MOST_BOTS."""
    blocks = sum(tables.values())
    if not blocks or bot_count > MOST_BOTS:
        return None
    games = Counter[tuple[int, int]]()
    for bots, count in tables.items():
        # In a block every two of its bots meet in each rotation of the seats.
        games.update(dict.fromkeys(combinations(sorted(bots), 2), count * len(bots)))
    pairs = np.array(sorted(games), dtype=np.int64).reshape(-1, 2)
    counts = np.array([games[first, second] for first, second in pairs.tolist()], dtype=np.float64)
    seat = np.zeros(len(pairs), dtype=np.int64)
    cells = Cells(
        first=pairs[:, 0], second=pairs[:, 1], first_seat=seat, second_seat=seat, games=counts, score=counts / 2
    )
    if find_groups(cells, bot_count).any():
        return None
    design = _Design(cells=cells, bots=bot_count, seats=len(next(iter(tables))), blocks=float(blocks))
    gap = design.find_gap()
    enough = design.repeated((min(gap, WIDEST) / GOAL) ** 2)
    # The errors of many blocks are known better than those of few, so the root of their number is a first guess only.
    enough = enough.repeated((enough.find_gap() / GOAL) ** 2)
    return Power(
        blocks=blocks,
        gap=None if math.isinf(gap) else gap,
        widest=WIDEST,
        share=POWER,
        goal=GOAL,
        blocks_for_goal=math.ceil(enough.blocks),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Design:
    """Who meets whom, and how often."""

    cells: Cells
    bots: int
    seats: int
    blocks: float

    def repeated(self, times: float) -> _Design:
        """Return the same blocks this many times."""
        return replace(self, cells=replace(self.cells, games=self.cells.games * times), blocks=self.blocks * times)

    def find_gap(self) -> float:
        """Return the smallest gap that is told; infinite if not even WIDEST is."""
        covariance, degrees = self._errors(0.0)
        critical, chance = critical_value(covariance, degrees), t_quantile(POWER, degrees)
        lead = _smallest(lambda elo: elo >= critical * self._deviation(elo))
        return _smallest(lambda elo: elo - chance * self._deviation(elo) >= lead)

    def _deviation(self, gap: float) -> float:
        """Return the standard deviation of the lead of the typical pair with this gap."""
        covariance, _ = self._errors(gap)
        return float(np.median(pair_deviations(covariance)[::2, 1::2]))

    def _errors(self, gap: float) -> tuple[Floats, float]:
        """Return the covariance of the ratings and its degrees of freedom if every other bot is better by this gap."""
        leads = gap * (self.cells.second % 2 - self.cells.first % 2)
        score = self.cells.games * np.array([share_of(float(lead)) for lead in leads])
        # Blocks balance the seats, so what is learnt of seats says nothing of bots.
        model = BradleyTerry(replace(self.cells, score=score), np.zeros(self.bots, np.int64), seats=0, prior=PRIOR)
        fitted = model.fit()
        scatter = dispersion_of_equals(self.seats) * fitted.information
        scatter = scatter + model.tie_doubt(fitted.values, fitted.information)
        taken = float((fitted.covariance * fitted.information).sum())
        each = self.blocks * self.seats / self.bots
        modelled = ASSUMED + max(self.blocks * (self.seats - 1) - taken, 0.0)
        degrees = combine_degrees(float(own_part(np.array(each))), modelled, each)
        return ELO**2 * fitted.covariance @ scatter @ fitted.covariance, degrees


def _smallest(is_enough: Callable[[float], bool]) -> float:
    """Return the smallest gap that is enough; infinite if not even WIDEST is."""
    low, high = 0.0, NARROWEST
    while not is_enough(high):
        if high == WIDEST:
            return math.inf
        low, high = high, min(2 * high, WIDEST)
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
