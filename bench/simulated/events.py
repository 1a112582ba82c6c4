"""Simulated events of known strengths, as the fit takes them.

Results follow Plackett-Luce, of which Bradley-Terry is exactly what one pair sees. Blocks are tables in every rotation,
drawn so that all possible ones come equally often.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from server.ratings.distributions import ELO
from server.ratings.matches import Floats, Ints


def play_blocks(luck: np.random.Generator, strengths: Floats, seats: int, blocks: int) -> tuple[Ints, Ints, Ints]:
    """Return the bots, ranks and clusters of an event, as `fit` takes them; strengths in Elo."""
    seated = np.array([luck.permutation(table) for table in draw_tables(luck, len(strengths), seats, blocks)])
    bots = np.concatenate([np.roll(seated, rotation, axis=1) for rotation in range(seats)])
    merits = strengths[bots] / ELO + luck.gumbel(size=bots.shape)
    ranks = (-merits).argsort(axis=1).argsort(axis=1) + 1
    return bots, ranks, np.tile(np.arange(blocks), seats)


def draw_tables(luck: np.random.Generator, bots: int, seats: int, blocks: int) -> Ints:
    """Draw all tables in random order, again and again; of too many only some, so that all bots play equally
    often."""
    if comb(bots, seats) > 10 * blocks:
        rounds = -(-blocks * seats // bots)
        order = np.concatenate([luck.permutation(bots) for _ in range(rounds)])
        tables = [order[start : start + seats] for start in range(0, bots * rounds - seats + 1, seats)]
        return np.array([table for table in tables if len(set(table)) == seats][:blocks])
    every = np.array(list(combinations(range(bots), seats)))
    rounds = -(-blocks // len(every))
    return np.concatenate([luck.permutation(every) for _ in range(rounds)])[:blocks]
