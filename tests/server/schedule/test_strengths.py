"""The strengths behind a ladder's tables: the model of the ratings, and what a game tells."""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.fit import fit
from server.schedule.exact_algebra import Floats
from server.schedule.strengths import CAUTION, ELO, FieldStrengths, certain_leads, expected


def played(seed: int, count: int, games: int) -> tuple[Floats, Floats, Floats]:
    """Points, games of each pair, and every pair's own score, of bots of random strength."""
    rng = np.random.RandomState(seed)
    true = rng.normal(size=count)
    won = np.triu(rng.binomial(games, expected(true[:, None] - true)), 1).astype(float)
    won += np.tril(games - won.T, -1)
    met = games * (1.0 - np.eye(count))
    return won.sum(axis=1), met, won


def test_the_expected_score_is_the_logistic_one() -> None:
    leads = np.linspace(-14, 14, 4001)
    assert np.abs(expected(leads) - 1 / (1 + np.exp(-leads))).max() < 1e-7
    assert expected(np.array([99.0, -99.0])) == pytest.approx([1, 0], abs=1e-6)


def test_strengths_are_those_of_the_official_ratings() -> None:
    points, met, won = played(2, 7, 12)
    strengths = FieldStrengths(7)
    strengths.fit(points, met)
    bots, ranks = [], []
    for one in range(7):
        for other in range(one):
            wins = round(float(won[one, other]))
            bots += [(one, other)] * 12
            ranks += [(1, 2)] * wins + [(2, 1)] * (12 - wins)
    names = [f"bot{number}" for number in range(7)]
    table = fit(names, np.array(bots), np.array(ranks), np.arange(len(bots)), prior=1, seat_terms=False)
    ours = strengths.values - strengths.values.mean()
    assert np.abs(ELO * ours - (table.ratings - table.ratings.mean())).max() < 1


def test_the_gain_of_a_pair_is_what_one_more_game_takes_from_all_variances() -> None:
    points, met, _ = played(3, 6, 30)
    strengths = FieldStrengths(6)
    strengths.fit(points, met)
    strengths.plan(met)
    before, gains = strengths.variances().sum(), strengths.gains()
    strengths.add_games((1, 4), 1)
    assert before - strengths.variances().sum() == pytest.approx(gains[1, 4], rel=1e-6)
    updated = strengths.gains()
    met[1, 4] += 1
    met[4, 1] += 1
    strengths.plan(met)
    assert strengths.gains() == pytest.approx(updated, rel=1e-6)


def test_equals_unknowns_and_strangers_tell_most() -> None:
    met = 10.0 * (1 - np.eye(4))
    points = np.array([24.0, 24.0, 6.0, 6.0])
    strengths = FieldStrengths(4)
    strengths.fit(10 * points, 10 * met)
    strengths.plan(10 * met)
    assert strengths.gains()[0, 1] > 1.1 * strengths.gains()[0, 2], "equals"
    met[3, :] = met[:, 3] = 0
    met[3, 2] = met[2, 3] = 1
    strengths.plan(met)
    assert strengths.gains()[0, 3] > 2 * strengths.gains()[0, 1], "one of which little is known"


def test_a_difference_within_the_doubt_counts_as_none() -> None:
    """Otherwise pairs that look unequal by luck would meet less often, and the luck would stay in their ratings."""
    met = 16.0 * (1 - np.eye(2))
    strengths = FieldStrengths(2)
    strengths.fit(np.array([10.0, 6.0]), met)
    strengths.plan(met)
    lucky = strengths.gains()[0, 1]
    strengths.fit(np.array([8.0, 8.0]), met)
    strengths.plan(met)
    assert strengths.gains()[0, 1] == lucky
    strengths.fit(np.array([15.0, 1.0]), met)
    strengths.plan(met)
    assert strengths.gains()[0, 1] != lucky
    assert CAUTION > 0


def test_at_larger_tables_a_difference_is_in_doubt_for_longer() -> None:
    """The games of one match scatter together. A hundred equals at tables of four once needed 18 % more matches."""
    games = 40 * (1 - np.eye(3))
    points = np.array([50.0, 40.0, 30.0])
    weights = {}
    for seats in (2, 4):
        field = FieldStrengths(3)
        field.fit(points, games, seats)
        field.plan(games)
        gains = field.gains()
        weights[seats] = gains[0, 2] / gains[0, 1]
    assert weights[2] < weights[4] <= 1 + 1e-9


def test_strengths_do_not_depend_on_what_was_fitted_before() -> None:
    points, met, _ = played(4, 8, 6)
    fresh, used = FieldStrengths(8), FieldStrengths(8)
    used.fit(points[::-1].copy(), met)
    fresh.fit(points, met)
    used.fit(points, met)
    assert used.values == pytest.approx(fresh.values, abs=1e-6)


def test_leads_that_equals_would_show_by_luck_count_for_nothing() -> None:
    """If they counted, the luck would stay in the ratings: twenty equals at tables of four needed 3 % more matches than
    a round-robin."""
    rng = np.random.RandomState(5)
    variances = np.full((20, 20), 2.0)
    fields = rng.normal(size=(200, 20))  # in standard errors; of a difference, the variance is 2
    noticed = [certain_leads(values[:, None] - values, variances).any() for values in fields]
    assert sum(noticed) < 10
    assert certain_leads(3 * (fields[0][:, None] - fields[0]), variances).any()


def test_in_a_field_of_unequals_two_that_are_level_still_count_as_equals() -> None:
    values = np.repeat([-2.0, 2.0], 10) + 0.2 * np.random.RandomState(6).normal(size=20)
    found = certain_leads(values[:, None] - values, np.full((20, 20), 0.08))
    camps = np.repeat([0, 1], 10)
    across = camps[:, None] != camps
    assert found[across].min() > 2.5
    assert np.count_nonzero(found[~across]) < 40, "of 180"
    assert found.max() < np.ptp(values)


@pytest.mark.parametrize("count", [0, 1])
def test_a_field_of_one_has_no_leads(count: int) -> None:
    strengths = FieldStrengths(count)
    strengths.fit(np.zeros(count), np.zeros((count, count)))
    strengths.plan(np.zeros((count, count)))
    assert strengths.gains().shape == (count, count)
