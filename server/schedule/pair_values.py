"""What it is worth to seat two bots together: the one measure by which ladders choose tables, in events and arenas.

In whole numbers, so that sums are exact. In order of weight:

1. bots of one team are kept apart, if the organiser says so;
2. **connectivity**: parts of the field that no game connects yet are connected first, or their ratings could not be
   compared at all;
3. no immediate rematch;
4. information: by how much one more game reduces the uncertainty of all ratings (strengths.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from server.schedule.exact_algebra import Floats, Ints

MOST = 1_000_000
"""Value of the most informative pair."""

REMATCH = 2 * MOST
"""Deducted for a pair that has just met. A swap with another table costs it less."""

LINK = 1000 * MOST
"""Added for a pair whose parts of the field are not connected yet."""

APART = 1000 * LINK
"""Deducted for a pair of one team."""


def pair_values(
    gains: Floats,
    parts: Ints,
    *,
    just_met: Collection[tuple[int, int]] = (),
    teams: Sequence[str] = (),
) -> Ints:
    """Return the value of every pair: from what a game of the two tells, the connected part that each bot belongs
    to, the pairs that have just met, and everybody's team (empty: none; no list: nobody is kept apart)."""
    highest = float(gains.max(initial=0.0)) or 1.0
    values = np.rint(gains * (MOST / highest)).astype(np.int64)
    values += np.where(parts[:, None] == parts, 0, LINK)
    for bot, other in just_met:
        values[bot, other] -= REMATCH
        values[other, bot] -= REMATCH
    if teams:
        names = np.array(teams)
        values -= np.where((names[:, None] == names) & (names != ""), APART, 0)
    np.fill_diagonal(values, 0)
    return np.asarray(values)


def connected_parts(games: Floats) -> Ints:
    """Return the connected part that each bot belongs to: bots that games connect, directly or through others."""
    count = len(games)
    parts = np.arange(count)
    met = games > 0
    np.fill_diagonal(met, True)
    while True:
        # The lowest number among those met, again and again, until nothing changes.
        after = np.where(met, parts, count).min(axis=1, initial=count)
        if np.array_equal(after, parts):
            return np.asarray(parts)
        parts = after
