"""Comparisons that the data does not support: cycles are seen by triads, and claims that rest on them are qualified."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bench.simulated.misfits import measure_disjoint, measure_false_cycles, measure_trio, play_pairs, share_matrix
from server.ratings.fit import fit


def test_scissors_paper_stone_is_seen_beside_three_others() -> None:
    """The sum over all pairs sees it in a third of the events, and the triads in nearly all."""
    found = measure_trio(6, 0.3, 160, 12)
    assert found.by_triads.share >= 0.75
    assert found.by_triads.share > found.by_chi_square.share
    assert found.unqualified.share == 0


def test_where_strengths_add_up_no_cycle_is_seen() -> None:
    assert measure_false_cycles(8, 2, 56, 12).share == 0
    assert measure_false_cycles(6, 4, 40, 8).share == 0


def test_a_claim_about_two_that_met_disjoint_opponents_is_qualified() -> None:
    """Two versions of one code were called surely better in most events, with a true difference of 0."""
    found = measure_disjoint(240, 8)
    assert found.claimed.share > 0.25
    assert found.unqualified.share == 0


def test_the_direction_of_a_cycle_is_told() -> None:
    chances = np.full((3, 3), 0.5)
    for number in range(3):
        chances[number, (number + 1) % 3], chances[(number + 1) % 3, number] = 0.9, 0.1
    table = play_pairs(np.random.default_rng(1), chances, list(combinations(range(3), 2)), 90)
    assert table.cycles == (("bot0", "bot1", "bot2"),)


def test_who_met_the_same_opponents_is_not_doubtful() -> None:
    chances = share_matrix(np.array([0.0, 300.0, 600.0, 650.0]))
    table = play_pairs(np.random.default_rng(1), chances, list(combinations(range(4), 2)), 120)
    assert any(row.surely_better_than for row in table.rows)
    assert not any(row.doubtful for row in table.rows)


def test_luck_that_sticks_to_a_block_widens_the_interval_of_a_pair() -> None:
    """Both games of a block end alike: half as much evidence as there are games."""
    luck = np.random.default_rng(2)
    pairs = np.array(list(combinations(range(4), 2)) * 30)
    won = luck.random(len(pairs)) < 0.5
    bots = np.concatenate([pairs, pairs[:, ::-1]])
    once = np.where(won[:, None], (1, 2), (2, 1))
    table = fit([*"abcd"], bots, np.concatenate([once, once[:, ::-1]]), np.tile(np.arange(len(pairs)), 2))
    assert 1.6 < table.pair_dispersion < 2.2
    apart = fit([*"abcd"], pairs, once, np.arange(len(pairs)))
    assert 0.8 < apart.pair_dispersion < 1.2
