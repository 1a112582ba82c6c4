"""Reading target cards: spec 2.6 and 2.7."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.pavillon_noir.actions import Aim, LayGun
from referee.games.pavillon_noir.data import PATTERNS, TARGETS
from referee.games.pavillon_noir.rules.gunnery import Lay
from referee.games.pavillon_noir.rules.reading import reduction, symbol
from referee.games.pavillon_noir.state import Target
from referee.games.pavillon_noir.terms import VALUES, Cannon, Gun, Pattern, Side, TargetCard, Zone
from support.pavillon_noir import A, Line, card, side, table, target


def reductions(spot: Target) -> list[int]:
    return [reduction(cannon, spot) for cannon in (Cannon.POUNDER18, Cannon.LONG_NINE, Cannon.CARRONADE)]


@pytest.mark.parametrize(
    ("zone", "count"),
    [
        (Zone.SAIL_BOW, 1),
        (Zone.SAIL_STERN, 1),
        (Zone.DECK_BOW, 2),
        (Zone.DECK_MAIN, 3),
        (Zone.DECK_STERN, 2),
        (Zone.HULL_BOW, 2),
        (Zone.HULL_MAIN, 2),
        (Zone.HULL_STERN, 2),
    ],
)
def test_v1_each_zone_asks_for_its_number_of_target_cards(zone: Zone, count: int) -> None:
    """Vector V1."""
    line = Line(table(side(targets="T26"), pending=[Lay(A)]))
    line.play(LayGun(Gun.BOW, zone))
    assert len(line.state.duelists[A].targets) == count
    assert (line.state.duelists[A].gun, line.state.duelists[A].zone) == (Gun.BOW, zone)


def test_v2_the_bull_is_perfect_for_two_cannons_and_good_for_the_third() -> None:
    """Vector V2."""
    line = Line(table(side(hand="C6", targets="T26:S9/-")))
    line.play(Aim(card("C6"), 6, 0, Side.BELOW))
    (spot,) = line.state.duelists[A].targets
    assert spot == target("T26:S9/C6")
    assert symbol(spot.card, 9, 6) == "A"
    assert reductions(spot) == [0, 0, 1]


def check_symbol(number: int, left: int, below: int, letter: str, expected: list[int]) -> None:
    assert symbol(TargetCard(number), left, below) == letter
    assert reductions(target(f"T{number:02}:S{left}/H{below}")) == expected


def test_v15_one_step_left_of_a_round_bull() -> None:
    """Vector V15."""
    check_symbol(26, 10, 6, "B", [1, 0, 1])


def test_v16_two_steps_round_the_corner() -> None:
    """Vector V16, ruling R42: coordinates are cyclic, so 1 is two steps from 9."""
    check_symbol(26, 1, 6, "C", [1, 2, 1])


def test_v17_three_steps_are_outside_the_pattern() -> None:
    """Vector V17."""
    check_symbol(26, 2, 6, "", [3, 3, 3])


def test_v18_a_corner_of_the_round_pattern() -> None:
    """Vector V18."""
    check_symbol(26, 7, 4, "E", [2, 3, 1])


def test_v19_the_broad_pattern_round_the_corner() -> None:
    """Vector V19, ruling R42."""
    check_symbol(24, 8, 2, "C", [1, 2, 1])


def test_v20_the_broad_pattern_diagonally() -> None:
    """Vector V20, ruling R42."""
    check_symbol(24, 7, 1, "C", [1, 2, 1])


def test_v21_the_cross_pattern_diagonally() -> None:
    """Vector V21."""
    check_symbol(25, 10, 1, "D", [1, 3, 1])


def test_v22_the_saltire_rewards_two_errors_in_the_same_direction() -> None:
    """Vector V22, ruling R42."""
    check_symbol(15, 4, 9, "A", [0, 0, 1])
    check_symbol(15, 4, 1, "B", [1, 0, 1])


def test_a_target_card_with_one_aim_card_is_missed_and_with_none_is_hasty() -> None:
    """Spec 2.6."""
    assert reductions(target("T26:S9/-")) == reductions(target("T26:-/S6")) == [3, 3, 3]
    assert reductions(target("T26")) == [4, 4, 4]


def test_the_thirty_cards_are_balanced_as_the_specification_says() -> None:
    """Spec 2.7: every value three times on each side, six cards of each pattern, 30 centres."""
    rows = list(TARGETS.values())
    assert Counter(left for left, _, _ in rows) == Counter(below for _, below, _ in rows) == dict.fromkeys(VALUES, 3)
    assert Counter(pattern for _, _, pattern in rows) == dict.fromkeys(Pattern, 6)
    assert len({(left, below) for left, below, _ in rows}) == 30


@pytest.mark.parametrize(
    ("pattern", "counts"),
    [
        (Pattern.ROUND, [1, 4, 8, 8, 4, 0]),
        (Pattern.BROAD, [3, 2, 6, 6, 4, 4]),
        (Pattern.TALL, [3, 2, 6, 6, 4, 4]),
        (Pattern.SALTIRE, [3, 2, 4, 4, 8, 4]),
        (Pattern.CROSS, [1, 4, 4, 4, 8, 4]),
    ],
)
def test_patterns_have_their_cell_counts(pattern: Pattern, counts: list[int]) -> None:
    """Spec 2.7."""
    assert ["".join(PATTERNS[pattern]).count(letter) for letter in "ABCDEF"] == counts


def test_mean_cells_per_cannon_are_those_of_the_specification() -> None:
    """Spec 2.6: out of 100 value pairs, over all thirty cards."""
    found = {
        cannon: Counter(
            reduction(cannon, target(f"T{number:02}:S{left}/H{below}"))
            for number in TARGETS
            for left in VALUES
            for below in VALUES
        )
        for cannon in Cannon
    }
    means = {cannon: [round(counts[loss] / 30, 1) for loss in (0, 1, 2)] for cannon, counts in found.items()}
    assert means == {
        Cannon.POUNDER18: [2.2, 14.0, 5.6],
        Cannon.LONG_NINE: [5.0, 0.0, 5.6],
        Cannon.CARRONADE: [0.0, 21.8, 3.2],
    }
