"""Card combinations: spec 5.5, rulings R9 and R11."""

from __future__ import annotations

from referee.games.pavillon_noir.rules.combos import (
    count_subsets,
    flush_runs,
    flushes,
    has_pair,
    has_run,
    longest_flush,
    pairs,
    runs,
    subsets,
)
from referee.games.pavillon_noir.terms import Suit
from support.pavillon_noir import cards, names


def run_list(text: str, covered: tuple[int, ...] = ()) -> list[tuple[int, str]]:
    held = sorted(cards(text))
    return [(run.start, names(run.cards)) for run in runs(held, covered, len(held))]


def flush_run_list(text: str, covered: tuple[int, ...] = ()) -> list[tuple[int, str]]:
    held = sorted(cards(text))
    return [(run.start, names(run.cards)) for run in flush_runs(held, covered, len(held))]


def test_v10_runs_go_round_the_corner() -> None:
    """Vector V10: 10 is followed by 1."""
    held = "S9 S10 S1 H2 C3"
    assert flush_run_list(held) == [(9, "S9 S10"), (9, "S9 S10 S1"), (10, "S10 S1")]
    assert run_list(held) == [
        (1, "S1 H2"),
        (1, "S1 H2 C3"),
        (2, "H2 C3"),
        (9, "S9 S10"),
        (9, "S9 S10 S1"),
        (9, "S9 S10 S1 H2"),
        (9, "S9 S10 S1 H2 C3"),
        (10, "S10 S1"),
        (10, "S10 S1 H2"),
        (10, "S10 S1 H2 C3"),
    ]


def test_v10_a_covered_value_interrupts_every_run() -> None:
    """Vector V10, second half."""
    held = "S9 S10 S1 H2 C3"
    assert run_list(held, covered=(10,)) == [(1, "S1 H2"), (1, "S1 H2 C3"), (2, "H2 C3")]
    assert flush_run_list(held, covered=(10,)) == []


def test_v29_one_joker_beside_two_cards() -> None:
    """Vector V29, ruling R9: J2 to J5."""
    held = sorted(cards("H3 S4 JK"))
    assert flush_run_list("H3 S4 JK") == [(2, "JK H3"), (3, "H3 JK"), (3, "JK S4"), (4, "S4 JK")]
    assert run_list("H3 S4 JK") == [(2, "JK H3"), (2, "JK H3 S4"), (3, "H3 S4"), (3, "H3 S4 JK"), (4, "S4 JK")]
    assert [names(pair) for pair in pairs(held)] == ["S4 JK", "H3 JK"]
    assert {suit: [names(found) for found in flushes(held, suit, 2)] for suit in Suit} == {
        Suit.SPADE: ["S4 JK"],
        Suit.HEART: ["H3 JK"],
        Suit.CLUB: [],
        Suit.DIAMOND: [],
    }


def test_v31_two_jokers_beside_one_card() -> None:
    """Vector V31, ruling R9: J3, J4, J6."""
    assert run_list("JK JK S3") == [
        (1, "JK JK"),
        (1, "JK JK S3"),
        (2, "JK S3"),
        (2, "JK S3 JK"),
        (3, "S3 JK"),
        (3, "S3 JK JK"),
        *((start, "JK JK") for start in (4, 5, 6, 7, 8, 9, 10)),
    ]
    assert [names(pair) for pair in pairs(sorted(cards("JK JK S3")))] == ["S3 JK"]


def test_two_jokers_alone_are_a_pair_a_flush_and_a_flush_run_from_every_value() -> None:
    """J2, J3, J6."""
    held = sorted(cards("JK JK"))
    assert [names(pair) for pair in pairs(held)] == ["JK JK"]
    assert [names(found) for found in flushes(held, Suit.CLUB, 2)] == ["JK JK"]
    assert flush_run_list("JK JK") == [(start, "JK JK") for start in range(1, 11)]


def test_jokers_alone_need_both_values_free_of_natural_cards_of_any_suit() -> None:
    """J6: the hand holds H5, so no run of jokers at 4 or 5, in any suit; but JK-H5 and H5-JK are there."""
    starts = [start for start, found in flush_run_list("H5 JK JK") if found == "JK JK"]
    assert starts == [1, 2, 3, 6, 7, 8, 9, 10]


def test_a_flush_takes_a_joker_only_after_all_natural_cards() -> None:
    """J2."""
    held = sorted(cards("S1 S2 S3 JK"))
    assert [names(found) for found in flushes(held, Suit.SPADE, 2)] == ["S1 S2", "S1 S3", "S2 S3"]
    assert [names(found) for found in flushes(held, Suit.SPADE, 3)] == ["S1 S2 S3"]
    assert [names(found) for found in flushes(held, Suit.SPADE, 4)] == ["S1 S2 S3 JK"]
    assert longest_flush(held, Suit.SPADE) == 4
    assert longest_flush(held, Suit.HEART) == 1


def test_pairs_are_listed_card_by_card_and_a_joker_joins_only_lonely_values() -> None:
    """J3."""
    held = sorted(cards("S3 H3 C3 D8 JK"))
    assert [names(pair) for pair in pairs(held)] == ["S3 H3", "S3 C3", "H3 C3", "D8 JK"]
    assert has_pair(held)
    assert not has_pair(sorted(cards("S3 H4 C5")))
    assert not has_pair(sorted(cards("JK")))


def test_each_natural_card_of_a_value_makes_a_run_of_its_own() -> None:
    """J4."""
    assert run_list("S3 H3 S4 JK") == [
        (2, "JK S3"),
        (2, "JK H3"),
        (2, "JK S3 S4"),
        (2, "JK H3 S4"),
        (3, "S3 S4"),
        (3, "H3 S4"),
        (3, "S3 S4 JK"),
        (3, "H3 S4 JK"),
        (4, "S4 JK"),
    ]


def test_the_run_of_all_ten_values_is_listed_from_one_only() -> None:
    """Spec 5.5: length 10 with start 1 only."""
    ten = run_list("S1 S2 S3 S4 S5 S6 S7 S8 S9 S10")
    assert [start for start, found in ten if len(found.split()) == 10] == [1]
    assert len(ten) == 10 * 8 + 1
    assert flush_run_list("S1 S2 S3 S4 S5 S6 S7 S8 S9 S10") == ten


def test_sets_count_the_two_jokers_as_one_kind() -> None:
    """Spec 2.4."""
    held = sorted(cards("S1 S2 JK JK"))
    assert [names(found) for found in subsets(held, 2)] == ["S1 S2", "S1 JK", "S2 JK", "JK JK"]
    assert [count_subsets(held, size) for size in range(5)] == [len(subsets(held, size)) for size in range(5)]


def test_whether_there_is_a_run_agrees_with_the_list_of_runs() -> None:
    """`has_run` is the cheap question behind SHEER_OFF."""
    for text in ("S1 H2 C3 D9", "JK S5", "S1 S3 S5 S7", "JK JK S4 H9", "S10 H1 C2"):
        held = sorted(cards(text))
        for covered in ((), (2,), (1, 5, 9), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)):
            for length in (2, 3, 4):
                longer = [run for run in runs(held, covered, len(held)) if len(run.cards) >= length]
                assert has_run(held, covered, length) == bool(longer), (text, covered, length)
