"""What is known of a bot before its first match. prior_ratings.py says where it comes from and how it counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from server.ratings.distributions import ELO

VERSION_DEVIATION = 2 * ELO / math.sqrt(0.75)
"""What a new version may differ from the one before it by: the doubt of three quarters of a virtual tie, as within a
season (fit.PRIOR)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Start:
    """What is known of a bot before its first match."""

    rating: float
    deviation: float
    """One standard deviation, in Elo."""

    @property
    def ties(self) -> float:
        """As how many virtual ties it counts in the fit."""
        return 4.0 * (ELO / self.deviation) ** 2

    def of_new_version(self) -> Start:
        """The same for another version of the bot."""
        return Start(rating=self.rating, deviation=math.hypot(self.deviation, VERSION_DEVIATION))
