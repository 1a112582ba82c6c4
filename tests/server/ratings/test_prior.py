"""Starting ratings: what they say is true as often as they claim, and a few matches outweigh them."""

from __future__ import annotations

import numpy as np
import pytest

from server.ratings.distributions import ELO
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.matches import Floats, Ints
from server.ratings.prior import LEAST_DEVIATION, VERSION_DEVIATION, Start, shrink_ratings

BOTS = 10
NAMES = [f"b{number}" for number in range(BOTS)]
SPREAD = 150.0
NOTHING = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)


def play(random: np.random.Generator, truth: Floats, matches: int, seats: int) -> tuple[Ints, Ints, Ints]:
    """Matches between bots of these strengths in Elo, exactly as the model has it."""
    bots = np.zeros((matches, seats), dtype=np.int64)
    for row in bots:
        row[:] = random.choice(BOTS, seats, replace=False)
    luck = truth[bots] / ELO + random.gumbel(size=bots.shape)
    return bots, (-luck).argsort(1).argsort(1) + 1, np.arange(matches)


@pytest.mark.system
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("shrink", [0.0, 0.5, 0.9, 1.0])
def test_the_interval_holds_the_truth_before_and_after_matches(shrink: float, seats: int) -> None:
    """Two seasons of bots that wander between them. 95 % is right; 40 pairs of seasons are known to ± 3."""
    random = np.random.default_rng(17)
    inside: dict[int, list[bool]] = {0: [], 12: [], 100: []}
    for _ in range(40):
        first = random.normal(0, SPREAD, BOTS)
        starts = shrink_ratings(fit(NAMES, *play(random, first, 200, seats)), shrink)
        second = shrink * first + np.sqrt(1 - shrink**2) * SPREAD * random.normal(size=BOTS)
        for matches, held in inside.items():
            table = fit(NAMES, *play(random, second, matches, seats), starts=starts)
            rows = {row.name: row for row in table.rows}
            for number, name in enumerate(NAMES):
                error = table.ratings[number] - table.ratings.mean() - (second[number] - second.mean())
                held.append(abs(error) <= rows[name].mean_plus_minus)
    for matches, held in inside.items():
        assert 0.90 < np.mean(held) < 0.99, (matches, np.mean(held))


def rating(table: FittedRatings, name: str) -> float:
    return float(table.ratings[table.names.index(name)])


def test_without_a_match_a_table_shows_what_was_known() -> None:
    starts = {"a": Start(rating=1100, deviation=80), "b": Start(rating=900, deviation=80)}
    table = fit(["a", "b", "c"], *NOTHING, starts=starts)
    assert rating(table, "a") - rating(table, "b") == pytest.approx(200, abs=0.01)
    rows = {row.name: row for row in table.rows}
    assert rows["a"].matches == 0
    assert np.isfinite(rows["a"].plus_minus)
    assert not np.isfinite(rows["c"].plus_minus)  # of a stranger nothing is known


def test_as_sure_as_its_deviation_says() -> None:
    """Two bots of equal doubt: the difference has the variance of both."""
    starts = {"a": Start(rating=1000, deviation=60), "b": Start(rating=1000, deviation=60)}
    table = fit(["a", "b"], *NOTHING, starts=starts)
    assert table.deviations[0, 1] == pytest.approx(60 * np.sqrt(2), rel=1e-6)


def test_matches_outweigh_it() -> None:
    starts = {"a": Start(rating=1300, deviation=100), "b": Start(rating=700, deviation=100)}
    leads = []
    for matches in (0, 8, 100, 2000):
        bots = np.tile([[0, 1], [1, 0]], (matches // 2, 1)).reshape(matches, 2)
        ranks = np.tile([[1, 2], [1, 2], [2, 1], [2, 1]], (matches // 4, 1)).reshape(matches, 2)  # level on both seats
        table = fit(["a", "b"], bots, ranks, np.arange(matches), starts=starts)
        leads.append(rating(table, "a") - rating(table, "b"))
    assert leads == sorted(leads, reverse=True)
    assert leads[0] == pytest.approx(600, abs=0.1)
    assert leads[-1] < 15


def test_only_differences_matter_and_one_alone_says_nothing() -> None:
    random = np.random.default_rng(3)
    data = play(random, random.normal(0, SPREAD, BOTS), 60, 2)
    starts = {name: Start(rating=1000 + 20 * number, deviation=90) for number, name in enumerate(NAMES[:5])}
    moved = {name: Start(rating=one.rating + 500, deviation=one.deviation) for name, one in starts.items()}
    table = fit(NAMES, *data, starts=starts)
    assert fit(NAMES, *data, starts=moved).ratings == pytest.approx(table.ratings, abs=1e-6)
    alone = fit(NAMES, *data, starts={"b0": Start(rating=2500, deviation=10)})
    assert alone.ratings == pytest.approx(fit(NAMES, *data).ratings)


def test_bots_that_never_met_share_a_scale_by_their_starting_ratings() -> None:
    bots, ranks = np.array([[0, 1], [2, 3]]), np.array([[1, 2], [1, 2]])
    names = ["a", "b", "c", "d"]
    assert fit(names, bots, ranks, np.arange(2)).groups == 2
    starts = {name: Start(rating=1000 - 100 * number, deviation=50) for number, name in enumerate(names)}
    assert fit(names, bots, ranks, np.arange(2), starts=starts).groups == 1


def test_what_a_season_hands_on() -> None:
    random = np.random.default_rng(8)
    table = fit(NAMES, *play(random, random.normal(0, SPREAD, BOTS), 400, 2))
    kept, half, none = (shrink_ratings(table, shrink) for shrink in (1.0, 0.5, 0.0))
    order = sorted(NAMES, key=lambda name: kept[name].rating)
    assert order == sorted(NAMES, key=lambda name: rating(table, name))
    assert np.mean([one.rating for one in half.values()]) == pytest.approx(1000)
    for name in NAMES:
        assert half[name].rating - 1000 == pytest.approx((kept[name].rating - 1000) / 2)
        assert none[name].rating == 1000
        assert LEAST_DEVIATION <= kept[name].deviation < half[name].deviation < none[name].deviation
    assert shrink_ratings(fit(["a", "b"], *NOTHING), 0.5) == {}
    for shrink in (-0.01, 1.01, float("nan")):
        with pytest.raises(ValueError, match="expected 0 to 1"):
            shrink_ratings(table, shrink)


def test_a_new_version_is_less_sure() -> None:
    start = Start(rating=1200, deviation=30)
    assert start.of_new_version().rating == 1200
    assert start.of_new_version().deviation == pytest.approx(np.hypot(30, VERSION_DEVIATION))
    assert Start(rating=0, deviation=VERSION_DEVIATION).ties == pytest.approx(0.75)
