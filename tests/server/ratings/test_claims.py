"""The chance that one of two named bots is better: it knows how far the bots of the table lie apart."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from bench.simulated.events import play_blocks
from server.ratings import likeness
from server.ratings.claims import chance_better
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings


def rate(*strengths: float, blocks: int, seats: int = 2, seed: int = 1) -> FittedRatings:
    """The table of bots of these strengths, in Elo: bot0, bot1 and so on."""
    names = [f"bot{number}" for number in range(len(strengths))]
    return fit(names, *play_blocks(np.random.default_rng(seed), np.array(strengths), seats, blocks))


@pytest.mark.parametrize("seats", [2, 4])
def test_the_two_chances_of_a_pair_add_up_to_one(seats: int) -> None:
    table = rate(0, 50, 100, 300, -500, blocks=30, seats=seats)
    for one, other in permutations(table.names, 2):
        assert chance_better(table, one, other) == pytest.approx(1 - chance_better(table, other, one))


@pytest.mark.parametrize("seats", [2, 4])
def test_of_an_endless_spread_it_is_the_confidence_of_the_table(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "TYPICAL_SPREAD", 1e7)
    table = rate(0, 50, 100, 300, -500, blocks=60, seats=seats)
    for one, other in permutations(table.names, 2):
        assert chance_better(table, one, other) == pytest.approx(table.confidence(one, other), abs=1e-4)


def test_the_same_lead_is_mostly_luck_among_equals_and_mostly_strength_in_a_wide_field() -> None:
    """bot0 won 14 of 24 games against bot1 in both; the others are level with them, or far above and below."""
    level = scored({(0, 1): 14, (2, 0): 12, (2, 1): 12, (3, 0): 12, (3, 1): 12, (2, 3): 12})
    wide = scored({(0, 1): 14, (2, 0): 21, (2, 1): 21, (3, 0): 3, (3, 1): 3, (2, 3): 24})
    kept = [
        (chance_better(table, "bot0", "bot1") - 0.5) / (table.confidence("bot0", "bot1") - 0.5)
        for table in (level, wide)
    ]
    assert 0 < kept[0] < 0.6 < 0.9 < kept[1] < 1


def scored(wins: dict[tuple[int, int], int]) -> FittedRatings:
    """The table of four bots, where the first of each pair won so many of 24 games, each a block."""
    bots = [pair for pair in wins for _ in range(24)]
    ranks = [(1, 2) if game < count else (2, 1) for count in wins.values() for game in range(24)]
    names = [f"bot{number}" for number in range(4)]
    return fit(names, np.array(bots), np.array(ranks), np.arange(len(bots)), seat_terms=False)


def test_what_is_beyond_doubt_stays_so() -> None:
    table = rate(0, 400, 400, 800, blocks=400)
    assert chance_better(table, "bot3", "bot0") > 0.999


def test_two_bots_alone_have_a_chance_too() -> None:
    table = rate(0, 150, blocks=40)
    assert 0.9 < chance_better(table, "bot1", "bot0") <= table.confidence("bot1", "bot0")


def test_nothing_is_known_of_bots_that_never_met() -> None:
    bots, ranks = np.array([(0, 1), (2, 3)]), np.array([(1, 2), (1, 2)])
    table = fit(["ann", "bob", "cid", "dan", "eve"], bots, ranks, np.arange(2))
    assert chance_better(table, "ann", "cid") == chance_better(table, "ann", "eve") == 0.5
    assert chance_better(table, "ann", "ann") == 0.5
    assert chance_better(table, "ann", "bob") > 0.5


def test_ties_only_tell_nothing() -> None:
    bots = np.array([(0, 1), (1, 2), (2, 0)] * 4)
    table = fit(["ann", "bob", "cid"], bots, np.ones_like(bots), np.arange(len(bots)))
    assert chance_better(table, "ann", "bob") == pytest.approx(0.5)


def test_one_far_below_does_not_make_a_lead_among_the_others_any_surer() -> None:
    """With `random` in the field, 95 % were said and 70 % were right: its distance was taken for theirs."""
    near = {(0, 1): 15, (2, 0): 12, (2, 1): 12}
    alone = scored({**near, (0, 3): 12, (1, 3): 12, (2, 3): 12})
    beside = scored({**near, (0, 3): 24, (1, 3): 24, (2, 3): 24})
    said = [chance_better(table, "bot0", "bot1") for table in (alone, beside)]
    assert beside.confidence("bot0", "bot1") > 0.8
    assert said[0] - 0.02 < said[1] < said[0] + 0.06 < 0.8


def test_bots_of_two_camps_are_told_apart_at_once_and_bots_of_one_are_not() -> None:
    wins = {(a, b): 22 for a in (0, 1) for b in (2, 3)}
    table = scored({**wins, (0, 1): 14, (2, 3): 12})
    assert chance_better(table, "bot1", "bot2") > 0.99
    assert 0.5 < chance_better(table, "bot0", "bot1") < 0.75
