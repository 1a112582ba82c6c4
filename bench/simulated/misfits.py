"""What one number a bot cannot explain: scissors, paper, stone among the bots, and bots that met disjoint opponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bench.simulated.events import play_blocks
from bench.simulated.shares import Share, share_of_events
from server.ratings.distributions import share_of
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.matches import Floats

TRIOS = tuple((bots, edge, blocks) for bots in (3, 6, 8) for edge in (0.0, 0.2, 0.3) for blocks in (40, 160))
"""Bots, by how much each of three beats the next beyond one half, and blocks."""

DISJOINT = (120, 240, 480)
"""Blocks of events in which two versions met disjoint opponents."""

TAUGHT = 0.25
"""By how much the half of the field that the first version meets does worse against it than its strength says."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrioRow:
    """How often a trio that is a cycle was noticed."""

    bots: int
    edge: float
    blocks: int
    events: int
    by_triads: Share
    by_chi_square: Share
    unqualified: Share
    """Some bot of the trio was called surely better than another without a question mark."""


def play_pairs(
    luck: np.random.Generator, chances: Floats, pairs: Sequence[tuple[int, int]], blocks: int
) -> FittedRatings:
    """Play blocks of two games, one on either seat, the pairs in turn: the first of each wins with its chance."""
    bots, ranks = [], []
    for block in range(blocks):
        first, second = pairs[block % len(pairs)]
        one, other = luck.random(2) < chances[first, second]
        bots += [(first, second), (second, first)]
        ranks += [(1, 2) if one else (2, 1), (2, 1) if other else (1, 2)]
    names = [f"bot{number}" for number in range(len(chances))]
    return fit(names, np.array(bots), np.array(ranks), np.arange(2 * blocks) // 2)


def measure_trio(bots: int, edge: float, blocks: int, events: int, seed: int = 10) -> TrioRow:
    """Play so many events; the others scatter by 150 Elo."""
    luck = np.random.default_rng([seed, bots, int(100 * edge), blocks])
    triads, chi, bold = [], [], []
    for _ in range(events):
        strengths = np.concatenate([np.zeros(3), luck.normal(0, 150, bots - 3)])
        chances = share_matrix(strengths)
        for number in range(3):
            chances[number, (number + 1) % 3] = 0.5 + edge
            chances[(number + 1) % 3, number] = 0.5 - edge
        table = play_pairs(luck, chances, list(combinations(range(bots), 2)), blocks)
        triads.append(float(bool(table.cycles)))
        chi.append(float(table.goodness.warning is not None))
        trio = {"bot0", "bot1", "bot2"}
        claims = [{*row.surely_better_than} - {*row.doubtful} for row in table.rows if row.name in trio]
        bold.append(float(any(claim & trio for claim in claims)))
    return TrioRow(
        bots=bots,
        edge=edge,
        blocks=blocks,
        events=events,
        by_triads=share_of_events(triads),
        by_chi_square=share_of_events(chi),
        unqualified=share_of_events(bold),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DisjointRow:
    """Two versions of one code that met other opponents: how often one was called surely better."""

    blocks: int
    events: int
    claimed: Share
    unqualified: Share


def measure_disjoint(blocks: int, events: int, seed: int = 11) -> DisjointRow:
    """Play so many events: the versions are equal, the opponents too, but those of the first are weak against it."""
    luck = np.random.default_rng([seed, blocks])
    first, second = [(0, mate) for mate in (2, 3, 4)], [(1, mate) for mate in (5, 6, 7)]
    chances = np.full((8, 8), 0.5)
    for one, mate in first:
        chances[one, mate] = 0.5 + TAUGHT
    pairs = [*first, *second, *combinations(range(2, 8), 2)]
    claimed, bold = [], []
    for _ in range(events):
        rows = {row.name: row for row in play_pairs(luck, chances, pairs, blocks).rows}
        both = (("bot0", "bot1"), ("bot1", "bot0"))
        sure = [(one, other) for one, other in both if other in rows[one].surely_better_than]
        claimed.append(float(bool(sure)))
        bold.append(float(any(other not in rows[one].doubtful for one, other in sure)))
    return DisjointRow(
        blocks=blocks, events=events, claimed=share_of_events(claimed), unqualified=share_of_events(bold)
    )


def share_matrix(strengths: Floats) -> Floats:
    """Return by pair the chance that the first wins."""
    return np.array([[share_of(float(a - b)) for b in strengths] for a in strengths])


def measure_false_cycles(bots: int, seats: int, blocks: int, events: int, seed: int = 12) -> Share:
    """Return how often a cycle was seen where results follow Plackett-Luce."""
    luck = np.random.default_rng([seed, bots, seats])
    names = [f"bot{number}" for number in range(bots)]
    found = [fit(names, *play_blocks(luck, luck.normal(0, 150, bots), seats, blocks)).cycles for _ in range(events)]
    return share_of_events([float(bool(cycles)) for cycles in found])
