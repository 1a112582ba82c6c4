"""The simulation behind the pairing figures: its luck, its bound, and that the ladder saves matches."""

from __future__ import annotations

import numpy as np
import pytest

from server.bench.pairing_statistics import (
    FIELDS,
    Field,
    Luck,
    best_ratio,
    fit_strengths,
    matches_needed,
    measure_field,
    measure_newcomer,
    play_ladder,
    play_round_robin,
)
from support.sizes import pick, sized

AIMS = {(2, 0): 1.02, (2, 600): 0.92, (2, 1000): 0.82, (2, 1500): 0.72, (4, 0): 1.02, (4, 1000): 0.9}
"""Matches of twenty bots relative to a round-robin, by seats and the spread of their strengths."""


def test_two_bots_have_the_same_luck_in_every_schedule() -> None:
    strengths = np.linspace(-1, 1, 6)
    first, second = Luck(strengths, 2, 7), Luck(strengths, 2, 7)
    several = first.play(np.array([(1, 4), (0, 5), (4, 1), (1, 4)]))
    assert np.array_equal(second.play(np.array([(4, 1)])), several[:1, ::-1])
    assert np.array_equal(second.play(np.array([(1, 4), (2, 3), (4, 1)]))[[0, 2]], [several[2, ::-1], several[3, ::-1]])
    made = first.play(np.tile((1, 4), (40, 1)))
    assert {tuple(row) for row in made.tolist()} == {(0, 2), (1, 1), (2, 0)}


def test_at_larger_tables_a_bot_has_the_same_days_whomever_it_meets() -> None:
    strengths = np.array([0.0, 0.0, 0.0, 0.0, -99.0, -99.0, 99.0])
    weak, strong = Luck(strengths, 3, 7), Luck(strengths, 3, 7)
    tables = np.array([(0, 1, 4)] * 30)
    against_weak, against_strong = weak.play(tables), strong.play(np.array([(1, 6, 0)] * 30))
    assert against_weak.sum(axis=1).tolist() == [9] * 30
    assert np.array_equal(against_weak[:, 0] - 3, against_strong[:, 2]), "the other one's days are the same, too"
    assert len(set(against_weak[:, 0].tolist())) == 4


def test_a_round_robin_plays_all_its_blocks() -> None:
    field = Field(bots=6, seats=2, spread=300, games=4)
    run = play_round_robin(field, 3)
    assert run.is_over
    assert len(run.errors) == 1
    assert run.most_met == pytest.approx(1)
    assert run.errors == play_round_robin(field, 3).errors != play_round_robin(field, 4).errors


def test_strengths_are_found_again() -> None:
    true = np.linspace(-1, 1, 5)
    games = 1e6 * (1 - np.eye(5))
    points = (games / (1 + np.exp(true - true[:, None]))).sum(axis=1)
    assert fit_strengths(points, games, np.zeros(5)) == pytest.approx(true, abs=1e-4)


@pytest.mark.parametrize(("spread", "bound"), [(0, 1.0), (600, 0.86), (1000, 0.73), (1500, 0.61)])
def test_the_bound_is_that_of_the_optimal_design(spread: float, bound: float) -> None:
    """The numbers of the issue, found by another program."""
    assert best_ratio(Field(bots=20, seats=2, spread=spread, games=20)) == pytest.approx(bound, abs=0.006)


def test_the_matches_for_the_same_error_are_read_between_the_marks() -> None:
    errors = np.array([[10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0]])
    assert matches_needed(errors, np.array([7.0])) == pytest.approx(0.8)
    assert 0.8 < matches_needed(errors, np.array([6.5])) < 0.9
    assert matches_needed(errors, np.array([20.0])) == pytest.approx(0.25)
    assert matches_needed(errors, np.array([2.0])) == pytest.approx(2.2)


@sized
@pytest.mark.parametrize("spread", [0.0, 600.0, 1000.0])
def test_a_newcomer_is_known_after_half_of_the_matches_that_it_would_take_like_everybody_else(spread: float) -> None:
    row = measure_newcomer(spread, runs=pick(quick=1, ci=3, full=10))
    assert row.ladder <= row.ladder_of_one / 2
    assert row.own < 200


def test_no_pair_of_equals_meets_three_times_its_share() -> None:
    assert play_ladder(Field(bots=20, seats=2, spread=0, games=6), 1, [570]).most_met <= 3


@sized
@pytest.mark.parametrize(("seats", "spread"), AIMS)
def test_a_ladder_needs_fewer_matches_than_a_round_robin(seats: int, spread: float) -> None:
    """A few runs tell little, so the aim is widened by what they leave open; docs/tournaments.md has long ones."""
    [field] = [one for one in FIELDS if (one.bots, one.seats, one.spread) == (20, seats, spread)]
    runs = pick(quick=4, ci=20, full=400) if seats == 2 else pick(quick=20, ci=60, full=400)  # few blocks, more noise
    row = measure_field(field, runs=runs)
    assert row.low <= AIMS[seats, int(spread)]
    assert row.ratio <= AIMS[seats, int(spread)] + pick(quick=0.5, ci=0.2, full=0.02)
    assert set(row.__dataclass_fields__) >= {"bots", "ratio", "low", "high", "bound"}
