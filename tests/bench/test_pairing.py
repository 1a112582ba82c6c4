"""The simulation behind the pairing figures: its luck, its bound, and that the ladder saves matches."""

from __future__ import annotations

import pytest

from bench.simulated.pairing import (
    FIELDS,
    Field,
    best_ratio,
    measure_field,
    measure_newcomer,
    play_ladder,
)
from support.sizes import pick, sized

AIMS = {(2, 0): 1.02, (2, 600): 0.92, (2, 1000): 0.82, (2, 1500): 0.72, (4, 0): 1.02, (4, 1000): 0.9}
"""Matches of twenty bots relative to a round-robin, by seats and the spread of their strengths."""


@pytest.mark.parametrize(("spread", "bound"), [(0, 1.0), (600, 0.86), (1000, 0.73), (1500, 0.61)])
def test_the_bound_is_that_of_the_optimal_design(spread: float, bound: float) -> None:
    """The numbers of the issue, found by another program."""
    assert best_ratio(Field(bots=20, seats=2, spread=spread, games=20)) == pytest.approx(bound, abs=0.006)


@sized
@pytest.mark.parametrize("spread", [0.0, 600.0, 1000.0])
def test_a_newcomer_is_known_after_half_of_the_matches_that_it_would_take_like_everybody_else(spread: float) -> None:
    row = measure_newcomer(spread, runs=pick(quick=1, ci=3, full=10))
    assert row.ladder <= row.ladder_of_one / 2
    assert row.own < 200


def test_no_pair_of_equals_meets_three_times_its_share() -> None:
    assert play_ladder(Field(bots=20, seats=2, spread=0, games=6), 1, [570]).most_met <= 3


@sized
@pytest.mark.parametrize(("seats", "spread"), pick(ci=[(2, 1000), (4, 1000)], full=list(AIMS)))
def test_a_ladder_needs_fewer_matches_than_a_round_robin(seats: int, spread: float) -> None:
    """A few runs tell little, so the aim is widened by what they leave open; docs/tournaments.md has long ones."""
    [field] = [one for one in FIELDS if (one.bots, one.seats, one.spread) == (20, seats, spread)]
    runs = pick(quick=4, ci=20, full=400) if seats == 2 else pick(quick=20, ci=60, full=400)  # few blocks, more noise
    row = measure_field(field, runs=runs)
    assert row.low <= AIMS[seats, int(spread)]
    assert row.ratio <= AIMS[seats, int(spread)] + pick(quick=0.5, ci=0.2, full=0.02)
    assert set(row.__dataclass_fields__) >= {"bots", "ratio", "low", "high", "bound"}
