"""The fit against other tools: Ordo and choix.

V32: Ordo 1.2.6, compiled from its public source and run on one made-up file of 144 games (ratings.md, section 6). V35
and V36: choix (lucasmaystre/choix), tests/test_opt.py; natural-log scale, mean 0. V34 is choix's Plackett-Luce, a model
of whole rankings that we do not fit: our pairs lose some 4 % of its precision where it is true, and have ties.
choix itself is also asked, for random data.
"""

from __future__ import annotations

from itertools import combinations

import choix
import numpy as np
import pytest

from server.ratings.bradley_terry import BradleyTerry, find_groups
from server.ratings.distributions import ELO
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.matches import Floats, Ints, gather

ORDO = {"AB": (12, 4, 8), "AC": (15, 2, 7), "AD": (18, 3, 3), "BC": (11, 5, 8), "BD": (14, 4, 6), "CD": (10, 6, 8)}
"""Wins, draws and losses of the first."""


def ordo_games() -> tuple[Ints, Ints]:
    bots, ranks = [], []
    for pair, (wins, draws, losses) in ORDO.items():
        bots += [["ABCD".index(name) for name in pair]] * (wins + draws + losses)
        ranks += [[1, 2]] * wins + [[1, 1]] * draws + [[2, 1]] * losses
    return np.array(bots), np.array(ranks)


def plain(names: str, bots: Ints, ranks: Ints) -> FittedRatings:
    """A fit as those tools do it: no prior, no seats, every game for itself."""
    return fit(tuple(names), bots, ranks, np.arange(len(bots)), prior=0, seat_terms=False)


def test_v32a_ordo_on_its_own_scale() -> None:
    table = plain("ABCD", *ordo_games())
    ordo = [105.6967, 26.6231, -34.6045, -97.7153]
    assert [row.name for row in table.rows] == list("ABCD")
    assert (table.ratings - 1000) * 202 / 200.2409 == pytest.approx(ordo, abs=1e-3)


def test_v32b_ordo_on_the_logistic_scale() -> None:
    table = plain("ABCD", *ordo_games())
    assert table.ratings - 1000 == pytest.approx([104.7763, 26.3912, -34.3031, -96.8644], abs=1e-3)


def test_v32c_errors_are_those_of_ordos_simulations() -> None:
    """Within 7 %: Ordo's assume one draw rate for all."""
    table = plain("ABCD", *ordo_games())
    assert table.method == "cluster-robust"
    found = [row.plus_minus for row in table.rows]
    assert found == pytest.approx([60.28, 57.03, 57.44, 60.38], rel=0.07)


def test_v32d_the_confidence_of_the_next() -> None:
    table = plain("ABCD", *ordo_games())
    assert table.confidence("A", "B") == pytest.approx(0.948, abs=5e-3)
    assert [table.confidence(*pair) for pair in ("AB", "BC", "CD")] == pytest.approx([0.95, 0.90, 0.90], abs=0.02)


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        pytest.param([(0, 1), (0, 1), (1, 2), (2, 0)], [0.419617624, -0.419617624, 0], id="v35"),
        pytest.param([(0, 1), (1, 2), (2, 0)], [0, 0, 0], id="v36"),
    ],
)
def test_v35_v36_choix(wins: list[tuple[int, int]], expected: list[float]) -> None:
    cells = gather(3, np.array(wins), np.array([[1, 2]] * len(wins)), np.arange(len(wins))).cells()
    found = BradleyTerry(cells, find_groups(cells, 3), seats=0, prior=0).fit()
    assert found.values == pytest.approx(expected, abs=1e-6)
    assert choix.opt_pairwise(3, wins) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_random_pairs_are_fitted_as_choix_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strengths = rng.normal(size=6)
    bots = np.array([pair for pair in combinations(range(6), 2) for _ in range(20)])
    won = rng.random(len(bots)) < 1 / (1 + np.exp(strengths[bots[:, 1]] - strengths[bots[:, 0]]))
    table = plain("abcdef", bots, np.where(won[:, None], [1, 2], [2, 1]))
    pairs = np.where(won[:, None], bots, bots[:, ::-1])
    theirs: Floats = choix.opt_pairwise(6, [(int(a), int(b)) for a, b in pairs], tol=1e-12)
    assert (table.ratings - 1000) / ELO == pytest.approx(theirs - theirs.mean(), abs=1e-5)
