"""Fields of bots of all shapes: near equals, outliers, camps, steps. Their true strengths are drawn anew each event."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from server.ratings.matches import Floats

Draw = Callable[[np.random.Generator], Floats]


def _near(luck: np.random.Generator, bots: int, scatter: float) -> Floats:
    return np.asarray(luck.normal(0, scatter, bots))


FIELDS: dict[str, Draw] = {
    "6 near equals, one 600 below": lambda luck: np.append(_near(luck, 6, 30), -600.0),
    "6 near equals, one 800 below": lambda luck: np.append(_near(luck, 6, 30), -800.0),
    "6 near equals, one 500 above, one 600 below": lambda luck: np.concatenate([_near(luck, 6, 30), [500.0, -600.0]]),
    "two camps of 4, 400 apart": lambda luck: np.concatenate([_near(luck, 4, 30), 400 + _near(luck, 4, 30)]),
    "8 that scatter by 30": lambda luck: _near(luck, 8, 30),
    "8 that scatter by 100": lambda luck: _near(luck, 8, 100),
    "8 that scatter by 300": lambda luck: _near(luck, 8, 300),
    "8 in steps of 80": lambda luck: luck.permutation(80.0 * np.arange(8)),
    "8 with heavy tails": lambda luck: 80 * luck.standard_t(2, 8),
    "14 that scatter by 100, one 900 below": lambda luck: np.append(_near(luck, 14, 100), -900.0),
}
"""The first bots of a field are those of which a user asks: they are never the outliers."""

SCATTERED = ("8 that scatter by 30", "8 that scatter by 100", "8 that scatter by 300")
"""Fields without outliers and camps: of their pairs, closer bounds hold."""
