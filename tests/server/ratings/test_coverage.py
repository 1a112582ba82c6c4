"""Do 95 % intervals hold the truth 95 times of 100? Simulated seasons of known strengths, relative to their mean.

ratings.md, sections 2 and 7. Seeds are fixed: what passes once passes always. The naive errors, which take the pairs of
a match for independent games, live here only: they have to fail at four seats, or clustering would be in vain.
"""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.bradley_terry import BradleyTerry, find_groups
from server.ratings.fit import fit
from server.ratings.matches import Floats, Ints, gather
from server.ratings.tails import ELO, Z95

EVENTS, BOTS, MATCHES = 400, 8, 300
NAMES = [f"bot{number}" for number in range(BOTS)]
TRUTH = np.linspace(-150, 150, BOTS)


def play(rng: np.random.Generator, strengths: Floats, seats: int) -> tuple[Ints, Ints]:
    """One season under Plackett-Luce."""
    bots = rng.random((MATCHES, BOTS)).argsort(axis=1)[:, :seats]
    return bots, ranked(strengths[bots] / ELO + rng.gumbel(size=bots.shape))


def ranked(merits: Floats) -> Ints:
    return np.asarray((-merits).argsort(axis=1).argsort(axis=1) + 1)


def robust_errors(bots: Ints, ranks: Ints, clusters: Ints) -> tuple[Floats, Floats]:
    table = fit(NAMES, bots, ranks, clusters, anchor=None)
    assert table.method == "cluster-robust"
    return table.ratings - 1000, np.sqrt(np.diag(table.covariance))


def naive_errors(bots: Ints, ranks: Ints, clusters: Ints) -> tuple[Floats, Floats]:
    cells = gather(BOTS, bots, ranks, clusters).cells()
    found = BradleyTerry(cells, find_groups(cells, BOTS), seats=bots.shape[1], prior=1).fit()
    return ELO * found.values[:BOTS], ELO * np.sqrt(np.diag(found.covariance)[:BOTS])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_intervals_hold_the_truth(seats: int) -> None:
    rng = np.random.default_rng(100 + seats)
    held = 0
    for _ in range(EVENTS):
        found, error = robust_errors(*play(rng, TRUTH, seats), np.arange(MATCHES))
        held += int(np.count_nonzero(np.abs(found - TRUTH) < Z95 * error))
    assert 0.93 <= held / (EVENTS * BOTS) <= 0.97


def test_naive_intervals_do_not_at_four_seats() -> None:
    rng = np.random.default_rng(104)
    held = 0
    for _ in range(EVENTS):
        found, error = naive_errors(*play(rng, TRUTH, 4), np.arange(MATCHES))
        held += int(np.count_nonzero(np.abs(found - TRUTH) < Z95 * error))
    assert held / (EVENTS * BOTS) < 0.9


def test_luck_shared_by_a_block_is_the_blocks() -> None:
    """Blocks of four rotations in which the luck stays with the bot: only the block is independent.

    Equal bots, so that the truth is even whatever the luck does.
    """
    rng = np.random.default_rng(9)
    blocks = MATCHES // 4
    held = {"by block": 0, "by match": 0}
    for _ in range(EVENTS):
        seated = rng.random((blocks, BOTS)).argsort(axis=1)[:, :4]
        shared = rng.normal(size=seated.shape)
        bots = np.concatenate([np.roll(seated, turn, axis=1) for turn in range(4)])
        merits = np.concatenate([np.roll(shared, turn, axis=1) for turn in range(4)]) + rng.gumbel(size=bots.shape)
        ranks = ranked(merits)
        for unit, clusters in (("by block", np.tile(np.arange(blocks), 4)), ("by match", np.arange(4 * blocks))):
            found, error = robust_errors(bots, ranks, clusters)
            held[unit] += int(np.count_nonzero(np.abs(found) < Z95 * error))
    assert 0.93 <= held["by block"] / (EVENTS * BOTS) <= 0.97
    assert held["by match"] / (EVENTS * BOTS) < 0.9


@pytest.mark.parametrize("seats", [2, 4])
def test_few_clusters_are_no_excuse_for_narrow_intervals(seats: int) -> None:
    """Twelve matches, by the bootstrap: it errs on the wide side."""
    rng = np.random.default_rng(seats)
    held, events = 0, 60
    for _ in range(events):
        bots, ranks = play(rng, TRUTH, seats)
        table = fit(NAMES, bots[:12], ranks[:12], np.arange(12), anchor=None, draws=50)
        assert table.method == "block bootstrap"
        truth = np.where(table.group_of > 0, TRUTH, 0)
        for group in range(1, table.groups + 1):
            truth[table.group_of == group] -= truth[table.group_of == group].mean()
        error = np.array([{row.name: row.plus_minus for row in table.rows}[name] for name in NAMES])
        held += int(np.count_nonzero(np.abs(table.ratings - 1000 - truth) < error))
    assert held / (events * BOTS) >= 0.93
