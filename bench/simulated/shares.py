"""How often something happened in simulated events, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from server.ratings.distributions import Z95


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How often something happened."""

    share: float
    plus_minus: float
    """Half of its 95 % interval, by events: what happens in one event happens to all its bots together."""


def share_of_events(shares: Sequence[float]) -> Share:
    """Return the mean of a share over events."""
    found = np.array(shares, dtype=np.float64)
    return Share(share=float(found.mean()), plus_minus=Z95 * float(found.std()) / sqrt(max(len(found), 1)))
