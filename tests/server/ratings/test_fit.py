"""The table: what holds for any matches, and what is said of odd ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.simulated.claims import POOL, POOLS
from bench.simulated.events import play_blocks
from server.ratings.bradley_terry import BradleyTerry, find_groups
from server.ratings.distributions import ELO
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings, RatingRow
from server.ratings.matches import Floats, Ints, gather

NAMES = [f"bot{number}" for number in range(6)]


def rate(
    matches: Sequence[tuple[Sequence[int], Sequence[int]]],
    *,
    names: Sequence[str] = NAMES,
    clusters: Sequence[int] | None = None,
    anchor: str | None = None,
) -> FittedRatings:
    """The table of (bots, ranks) by seat."""
    bots = np.array([bots for bots, _ in matches])
    ranks = np.array([ranks for _, ranks in matches])
    anchors = {anchor: 1000.0} if anchor else {}
    return fit(names, bots, ranks, np.array(clusters or range(len(matches))), anchors=anchors)


def simulate(rng: np.random.Generator, strengths: Floats, seats: int, count: int) -> tuple[Ints, Ints]:
    """Matches under Plackett-Luce, strengths in Elo."""
    bots = rng.random((count, len(strengths))).argsort(axis=1)[:, :seats]
    luck = strengths[bots] / ELO + rng.gumbel(size=bots.shape)
    return bots, (-luck).argsort(axis=1).argsort(axis=1) + 1


def by_name(table: FittedRatings) -> dict[str, RatingRow]:
    return {row.name: row for row in table.rows}


def assert_sane(table: FittedRatings) -> None:
    """Nothing infinite but the error of a bot without a match, all ranks within bounds, best first."""
    for row in table.rows:
        mates = sum(other.group == row.group for other in table.rows)
        assert math.isfinite(row.rating)
        assert (row.plus_minus == 0) == ([row.name] == [one.name for one in table.anchors])
        assert row.mean_plus_minus > 0
        assert math.isfinite(row.plus_minus) == (row.matches > 0)
        assert row.low <= row.rating <= row.high
        assert 1 <= row.rank_best <= row.rank_worst <= mates
        assert 0 <= row.score <= 1
        assert (row.group == 0) == (row.matches == 0)
        assert sum(seat.matches for seat in row.seats) == row.matches
    for row, after in zip(table.rows, table.rows[1:], strict=False):
        if row.group == after.group and row.group:
            assert row.rating >= after.rating
            assert 0.5 <= table.confidence(row.name, after.name) <= 1
    assert np.isfinite(table.covariance).all()
    assert np.isfinite(table.pairs.residual).all()
    assert table.pairs.residual == pytest.approx(-table.pairs.residual.T)
    if table.rows:
        there, back = table.confidence(*table.names[:2]), table.confidence(*table.names[1::-1])
        assert there + back == pytest.approx(1)


@st.composite
def seasons(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    """A few matches of the same number of seats, with ties, of six bots that need not all play."""
    seats = draw(st.integers(min_value=2, max_value=5))
    ranks = st.lists(st.integers(min_value=1, max_value=3), min_size=seats, max_size=seats)
    bots = st.permutations(range(6)).map(lambda order: list(order)[:seats])
    return draw(st.lists(st.tuples(bots, ranks), min_size=1, max_size=12))


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seasons(), st.randoms(use_true_random=False), st.permutations(range(6)))
def test_neither_order_nor_names_matter(
    season: list[tuple[list[int], list[int]]], random: Random, places: list[int]
) -> None:
    clusters = [match // 2 for match in range(len(season))]
    table = rate(season, clusters=clusters)
    assert_sane(table)
    order = list(range(len(season)))
    random.shuffle(order)
    shuffled = rate([season[match] for match in order], clusters=[clusters[match] for match in order])
    names = [NAMES[places.index(place)] for place in range(6)]
    renamed = rate([([places[bot] for bot in bots], ranks) for bots, ranks in season], names=names, clusters=clusters)
    for other in (shuffled, renamed):
        for name, row in by_name(table).items():
            twin = by_name(other)[name]
            assert twin.rating == pytest.approx(row.rating, abs=1e-6)
            assert twin.plus_minus == pytest.approx(row.plus_minus, rel=1e-4)
            assert (twin.matches, twin.clusters, twin.opponents) == (row.matches, row.clusters, row.opponents)
            assert twin.seats == row.seats


def test_the_anchor_moves_all_ratings_by_a_constant_and_errors_are_relative_to_it() -> None:
    bots, ranks = simulate(np.random.default_rng(1), np.linspace(-100, 100, 6), 4, 200)
    free = fit(NAMES, bots, ranks, np.arange(200))
    tied = fit(NAMES, bots, ranks, np.arange(200), anchors={"bot2": 1200})
    assert free.ratings.mean() == pytest.approx(1000)
    assert by_name(tied)["bot2"].rating == pytest.approx(1200)
    assert np.ptp(tied.ratings - free.ratings) == pytest.approx(0, abs=1e-9)
    assert [row.mean_plus_minus for row in tied.rows] == pytest.approx([row.plus_minus for row in free.rows])
    assert by_name(tied)["bot2"].plus_minus == 0
    for name in ("bot0", "bot5"):
        assert by_name(tied)[name].plus_minus == pytest.approx(tied.difference(name, "bot2")[1])
    assert (free.anchors, [(one.name, one.weight) for one in tied.anchors]) == ((), [("bot2", 1)])


def test_two_anchors_fix_their_weighted_mean_and_both_have_errors() -> None:
    """The one that its matches tell more of weighs more: here the one amid the others."""
    strengths = np.array([-600.0, 0, 20, 40, 60, 80])
    bots, ranks = simulate(np.random.default_rng(1), strengths, 2, 900)
    one = fit(NAMES, bots, ranks, np.arange(900), anchors={"bot0": 1000})
    two = fit(NAMES, bots, ranks, np.arange(900), anchors={"bot0": 1000, "bot3": 1640})
    weights = {anchor.name: anchor.weight for anchor in two.anchors}
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["bot3"] > 4 * weights["bot0"]
    rated = {name: row.rating for name, row in by_name(two).items()}
    fixed = sum(weights[anchor.name] * anchor.rating for anchor in two.anchors)
    assert sum(weights[name] * rated[name] for name in weights) == pytest.approx(fixed)
    assert all(row.plus_minus > 0 for row in two.rows)
    assert by_name(two)["bot1"].plus_minus < 0.6 * by_name(one)["bot1"].plus_minus


def test_an_anchor_far_below_makes_the_errors_large() -> None:
    """Six bots within 100 Elo, random 600 below: ± 49 was printed, relative to the mean; the error is ± 167."""
    bots, ranks, clusters = play_blocks(np.random.default_rng(1), np.array(POOLS[POOL]), 2, 400)
    table = fit([f"bot{number}" for number in range(7)], bots, ranks, clusters, anchors={"bot0": 1000})
    for row in table.rows[:-1]:
        assert 100 < row.plus_minus < 250
        assert row.mean_plus_minus < 70


def test_a_new_version_starts_where_its_ancestor_stands_with_less_known() -> None:
    bots, ranks = simulate(np.random.default_rng(1), np.linspace(-200, 200, 5), 2, 300)
    names = [*NAMES[:5], "bot4-2", "stranger"]
    rows = by_name(fit(names, bots, ranks, np.arange(300), anchors={"bot0": 1000}, ancestors={"bot4-2": "bot4"}))
    new, old = rows["bot4-2"], rows["bot4"]
    assert new.rating == pytest.approx(old.rating)
    assert 2 * old.plus_minus < new.plus_minus < math.inf
    assert (new.group, new.provisional) == (0, True), "it has no rank yet"
    assert rows["stranger"].plus_minus == math.inf
    more = np.concatenate([bots, [[5, 0], [5, 1]]]), np.concatenate([ranks, [[2, 1], [2, 1]]])
    later = by_name(fit(names, *more, np.arange(302), anchors={"bot0": 1000}, ancestors={"bot4-2": "bot4"}))
    assert later["bot4-2"].rating < new.rating - 50
    assert old.plus_minus < later["bot4-2"].plus_minus < new.plus_minus
    assert later["bot4"].rating == pytest.approx(old.rating, abs=10), "it was not its match"


def test_nothing_jumps_at_any_number_of_blocks() -> None:
    """The mean ± was 140 at 29 blocks and 113 at 30."""
    luck, pool = np.random.default_rng(1), np.linspace(-100, 100, 6)
    events = [play_blocks(luck, pool, 2, 34) for _ in range(20)]
    means = []
    for blocks in range(26, 35):
        parts = [[column[clusters < blocks] for column in (bots, ranks, clusters)] for bots, ranks, clusters in events]
        tables = [fit(NAMES, *part) for part in parts]
        means.append(np.mean([row.plus_minus for table in tables for row in table.rows]))
    steps = np.array(means[1:]) / means[:-1]
    assert 0.94 < steps.min() <= steps.max() < 1.0


def test_a_constant_in_ranks_or_clusters_changes_nothing() -> None:
    bots, ranks = simulate(np.random.default_rng(2), np.linspace(-100, 100, 6), 3, 50)
    table = fit(NAMES, bots, ranks, np.arange(50))
    assert fit(NAMES, bots, 10 * ranks + 7, np.arange(50) * 3 - 1000).rows == table.rows


def test_an_anchor_that_never_played_anchors_nothing() -> None:
    table = rate([([0, 1], [1, 2])], anchor="bot5")
    assert table.anchors == ()
    assert by_name(table)["bot0"].rating + by_name(table)["bot1"].rating == pytest.approx(2000)


def test_no_match_at_all() -> None:
    nothing = np.empty((0, 3), dtype=np.int64)
    table = fit(NAMES, nothing, nothing, np.empty(0, dtype=np.int64))
    assert_sane(table)
    assert [row.rating for row in table.rows] == [1000] * 6
    assert {(row.rank_best, row.rank_worst, row.provisional) for row in table.rows} == {(1, 6, True)}
    assert (table.method, table.groups, table.goodness.p_value) == ("none", 0, None)
    assert table.confidence("bot0", "bot1") == 0.5
    assert [seat.plus_minus for seat in table.seats] == [math.inf] * 3
    assert fit([], nothing, nothing, np.empty(0, dtype=np.int64)).rows == ()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_one_match(seats: int) -> None:
    table = rate([(range(seats), range(1, seats + 1))])
    assert_sane(table)
    assert [row.name for row in table.rows] == [*NAMES[:seats], *NAMES[seats:]]
    assert table.rows[0].plus_minus > 150
    assert all(row.provisional for row in table.rows)
    assert table.rows[0].rank_worst > 1
    assert table.method == "cluster-robust"


@pytest.mark.parametrize("count", [1, 10, 40])
def test_all_ties(count: int) -> None:
    table = rate([([0, 1, 2], [1, 1, 1]), ([2, 0, 1], [1, 1, 1])] * count)
    assert_sane(table)
    assert [row.rating for row in table.rows[:3]] == pytest.approx([1000] * 3)
    assert {(row.rank_best, row.rank_worst) for row in table.rows[:3]} == {(1, 3)}
    assert table.confidence("bot0", "bot1") == pytest.approx(0.5)
    assert [seat.share for seat in table.rows[0].seats] == pytest.approx([1 / 3, 1 / 3, 0])


@pytest.mark.parametrize("count", [3, 20, 200])
def test_an_undefeated_bot_is_better_but_not_known_exactly(count: int) -> None:
    """Who never surprised the fit would have no error, if it came from its surprises alone."""
    table = rate([([0, 1], [1, 2]), ([1, 0], [2, 1]), ([1, 2], [1, 2]), ([2, 1], [1, 2])] * count)
    assert_sane(table)
    best = table.rows[0]
    assert best.name == "bot0"
    assert best.plus_minus > 130
    assert best.provisional
    assert best.score == 1
    if count == 200:
        assert (best.rank_best, best.rank_worst) == (1, 1)


def test_bots_that_never_met_have_no_common_scale() -> None:
    island, mainland = [([0, 1], [1, 2]), ([1, 0], [1, 2]), ([0, 1], [1, 2])], [([2, 3], [1, 2]), ([4, 3], [1, 1])]
    table = rate([*island, *mainland], anchor="bot1")
    assert_sane(table)
    assert table.groups == 2
    assert [row.group for row in table.rows] == [1, 1, 2, 2, 2, 0]
    assert table.group_of.tolist() == [1, 1, 2, 2, 2, 0]
    assert table.confidence("bot0", "bot3") == 0.5
    assert by_name(table)["bot1"].rating == pytest.approx(1000)
    assert sum(by_name(table)[name].rating for name in ("bot2", "bot3", "bot4")) == pytest.approx(3000)


def test_groups_are_found_along_a_chain() -> None:
    count = 40
    bots = np.array([[number, number + 1] for number in range(count - 1) if number != 17])
    cells = gather(count, bots, np.tile([1, 2], (len(bots), 1)), np.arange(len(bots))).cells()
    assert find_groups(cells, count).tolist() == [0] * 18 + [1] * (count - 18)


def test_without_a_prior_an_undefeated_bot_is_refused() -> None:
    bots, ranks = np.array([[0, 1], [1, 0], [0, 1]]), np.array([[1, 2], [2, 1], [1, 2]])
    with pytest.raises(ValueError, match="no finite strengths"):
        fit(["a", "b"], bots, ranks, np.arange(3), prior=0, seat_terms=False)


def test_facts_of_a_row() -> None:
    season = [([0, 1, 2], [1, 2, 3]), ([2, 0, 1], [1, 1, 3]), ([1, 3, 0], [2, 3, 1])]
    row = by_name(rate(season, clusters=[0, 0, 1]))["bot0"]
    assert (row.matches, row.clusters, row.opponents) == (3, 2, 3)
    assert row.score == pytest.approx((1 + 0.75 + 1) / 3)
    assert [(seat.matches, seat.wins) for seat in row.seats] == [(1, 1), (1, 0.5), (1, 1)]
    assert [seat.share for seat in row.seats] == [1, 0.5, 1]


def test_facts_of_a_pair() -> None:
    table = rate([([0, 1], [1, 2]), ([1, 0], [1, 1]), ([0, 1], [2, 1]), ([1, 2], [1, 2])] * 10)
    pair, back = table.pair("bot0", "bot1"), table.pair("bot1", "bot0")
    assert (pair.games, pair.score, back.score) == (30, 0.5, 0.5)
    assert pair.expected == pytest.approx(1 - back.expected)
    assert pair.residual == pytest.approx(-back.residual)
    assert table.pair("bot0", "bot2").games == 0


def test_the_seat_that_wins_gets_the_credit() -> None:
    """Equal bots, the first seat wins 3 of 4: 191 Elo between the seats, nothing between the bots."""
    season = [([0, 1], [1, 2]), ([1, 0], [1, 2])] * 3 + [([0, 1], [2, 1]), ([1, 0], [2, 1])]
    table = rate(season * 20)
    assert [row.rating for row in table.rows[:2]] == pytest.approx([1000, 1000])
    first, second = table.seats
    assert first.elo - second.elo == pytest.approx(191, abs=5)
    assert first.elo == pytest.approx(-second.elo)
    assert first.plus_minus == pytest.approx(31, abs=2)


def test_a_long_season_is_settled_and_a_short_one_is_not() -> None:
    rng = np.random.default_rng(3)
    bots, ranks = simulate(rng, np.linspace(-100, 100, 6), 4, 400)
    blocks = np.arange(400) // 4
    assert not any(row.provisional for row in fit(NAMES, bots, ranks, blocks).rows)
    few = fit(NAMES, bots[:80], ranks[:80], blocks[:80])
    assert all(row.provisional for row in few.rows)
    again = fit(NAMES, bots[:80], ranks[:80], blocks[:80])
    assert again.rows == few.rows


@pytest.mark.parametrize("seats", [2, 3])
def test_scissors_paper_and_stone_are_noticed(seats: int) -> None:
    """Among nine bots, three beat each other in a ring; at three seats the ranks of one match hold no cycle."""
    rng = np.random.default_rng(4)
    bots, _ = simulate(rng, np.zeros(9), seats, 4000)
    luck = rng.gumbel(size=bots.shape)
    for seat in range(seats):
        prey = (bots[:, seat] + 1) % 3
        hunts = (bots[:, seat] < 3)[:, None] & (bots == prey[:, None])
        luck[:, seat] += 1.2 * hunts.any(axis=1)
    table = fit([f"bot{number}" for number in range(9)], bots, (-luck).argsort(axis=1).argsort(axis=1), np.arange(4000))
    assert {(pair.first, pair.second) for pair in table.flagged} >= {
        ("bot0", "bot1"),
        ("bot1", "bot2"),
        ("bot2", "bot0"),
    }
    assert table.goodness.p_value is not None
    assert table.goodness.p_value < 1e-6
    assert table.goodness.warning is not None
    assert "Look at the pairs" in table.goodness.warning


@pytest.mark.system
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_true_model_is_not_warned_of(seats: int) -> None:
    """The chance of the goodness of fit is about even over 100 seasons in which the model holds."""
    rng = np.random.default_rng(seats)
    names = [f"bot{number}" for number in range(8)]
    chances = []
    for _ in range(100):
        table = fit(names, *simulate(rng, np.linspace(-150, 150, 8), seats, 300), np.arange(300))
        assert table.goodness.warning is None
        assert len(table.flagged) <= 1
        assert table.goodness.p_value is not None
        chances.append(table.goodness.p_value)
    assert 0.4 < np.mean(chances) < 0.65
    assert np.mean(np.array(chances) < 0.05) <= 0.1


def test_a_single_upset_against_the_odds_is_no_flag() -> None:
    season = [([0, 1], [1, 2]), ([1, 0], [2, 1])] * 300 + [([1, 2], [1, 2]), ([2, 1], [2, 1])] * 300
    table = rate([*season, ([0, 2], [2, 1])])
    assert_sane(table)
    assert table.flagged == ()


def test_a_shift_of_all_strengths_changes_no_expectation() -> None:
    bots, ranks = simulate(np.random.default_rng(5), np.zeros(6), 3, 20)
    cells = gather(6, bots, ranks, np.arange(20)).cells()
    model = BradleyTerry(cells, find_groups(cells, 6), seats=3, prior=1)
    values = np.random.default_rng(6).normal(size=9)
    shifted = values + np.repeat([3.0, -7.0], [6, 3])
    assert model.expected(shifted) == pytest.approx(model.expected(values))


@pytest.mark.parametrize(
    ("names", "bots", "ranks", "clusters", "words"),
    [
        (["a", "a"], [[0, 1]], [[1, 2]], [0], "same name"),
        (["a", "b"], [[0, 0]], [[1, 2]], [0], "meets itself"),
        (["a", "b"], [[0, 2]], [[1, 2]], [0], r"numbered 0 to 2\b.*\b2$"),
        (["a", "b"], [[-1, 1]], [[1, 2]], [0], "numbered -1"),
        (["a", "b"], [[0, 1]], [[1, 2, 3]], [0], "do not fit together"),
        (["a", "b"], [[0, 1]], [[1, 2]], [0, 1], "do not fit together"),
        (["a", "b"], [[0]], [[1]], [0], "a match of 1 seats"),
    ],
)
def test_senseless_matches_are_refused(
    names: list[str], bots: list[list[int]], ranks: list[list[int]], clusters: list[int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        fit(names, np.array(bots), np.array(ranks), np.array(clusters))


def test_without_claims_the_ratings_are_the_same_and_nobody_is_surely_better() -> None:
    bots, ranks = simulate(np.random.default_rng(5), np.array([400.0, 200, 0, 0, -200, -400]), 2, 600)
    whole, short = (fit(NAMES, bots, ranks, np.arange(600), claims=claims) for claims in (True, False))
    assert [(row.name, row.rating, row.plus_minus) for row in whole.rows] == [
        (row.name, row.rating, row.plus_minus) for row in short.rows
    ]
    assert whole.sure().any()
    assert not short.sure().any()
    assert {(row.rank_best, row.rank_worst) for row in short.rows} == {(1, 6)}


@pytest.mark.parametrize("gap", [0.0, 300.0])
def test_what_few_games_tell_is_not_taken_for_too_little(gap: float) -> None:
    """At fitted strengths p (1 - p) is too small on average, and intervals were too wide for it."""
    luck, truth = np.random.default_rng(5), np.repeat([-gap / 2, gap / 2], 3)
    found: list[list[float]] = []
    for _ in range(40):
        cells = gather(6, *play_blocks(luck, truth, 2, 12)).cells()
        model = BradleyTerry(cells, find_groups(cells, 6), seats=2, prior=0.75)
        fitted = model.fit()
        share = model.expected(fitted.values)
        true = 1 / (1 + np.exp((truth[cells.second] - truth[cells.first]) / ELO))
        each = (share * (1 - share), fitted.variances, true * (1 - true))
        found.append([float(np.average(one, weights=cells.games)) for one in each])
    plain, corrected, right = np.mean(found, axis=0)
    assert plain < corrected - 0.01
    assert corrected < right
