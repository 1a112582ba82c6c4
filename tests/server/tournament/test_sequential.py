"""A sequential test counts blocks in their order, and says when bots lost by failing."""

from __future__ import annotations

import re

import pytest

from referee.errors import ConfigError
from server.cli import sprt as sprt_command
from server.ratings.sprt import Sprt, SprtModel, SprtVerdict
from server.schedule import Entrant, Plan, Schedule
from server.tournament.sequential import SequentialTest
from support.summaries import make_block


def make_test() -> SequentialTest:
    sprt = Sprt(elo0=0, elo1=10, alpha=0.05, beta=0.05, model=SprtModel.NORMALIZED, games=2, exact=True)
    return SequentialTest(sprt, {"ann"}, {"bob"})


def test_blocks_count_in_the_order_of_the_schedule() -> None:
    test = make_test()
    [*late, last], first = make_block(1, ["ann", "bob"], [[1, 2], [2, 1]]), make_block(0, ["ann", "bob"], [[1, 1]] * 2)
    assert [test.add(match) for match in [*late, last, *first]] == [0, 0, 0, 2]
    assert test.sprt.blocks == 2


def test_bots_that_fail_are_told_of() -> None:
    test = make_test()
    test.add_played([make_block(0, ["ann", "bob"], [[1, 2], [2, 1]])])
    assert (dict(test.failed), "faults" in test.line()) == ({}, False)
    test.add_played([make_block(1, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"])])
    assert test.failed == {"bob": 2}
    assert test.line().endswith("blocks: 2, faults: 2")
    assert "Elo: above -113.4" in test.line(), "won all: a bound, no infinite number"
    assert "inf" not in test.line()
    assert "bob failed in 2 matches; " in test.failures()


@pytest.mark.parametrize("model", ["normalized", "logistic", "bayesian"])
@pytest.mark.parametrize("elo1", [10, 300, 1000])
def test_hypotheses_may_be_far_apart(model: str, elo1: float) -> None:
    """`--elo1 300`, for a bot that should simply be far better, ended in a stack trace at the first block."""
    flags = {"model": model, "elo0": 0.0, "elo1": elo1, "alpha": 0.05, "beta": 0.05}
    for ranks, verdict in (([[1, 2], [2, 1]], SprtVerdict.H1), ([[2, 1], [1, 2]], SprtVerdict.H0)):
        test = sprt_command.make_test(2, {"ann"}, {"bob"}, flags)
        for number in range(200):
            for match in make_block(number, ["ann", "bob"], ranks):
                test.add(match)
        assert test.sprt.verdict is verdict


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_no_rotation_of_a_test_repeats_another(seats: int) -> None:
    """Seated in turns, A B A B, every second rotation was the same again: a sixth of all matches was wasted."""
    entries, ours, theirs = sprt_command.seat_sides("random", "random", "random", seats)
    entrants = tuple(Entrant(name=entry["name"], team=entry.get("team", "")) for entry in entries)
    plan = Plan(format="round-robin", seats=seats, entrants=entrants, rounds=50, seed="s")
    orders = set()
    for block in Schedule(plan).open_blocks({}):
        sides = [
            tuple("a" if bot in ours else "b" if bot in theirs else "-" for bot in block.seating(rotation))
            for rotation in range(seats)
        ]
        assert len(set(sides)) == seats
        orders.add(block.bots)
    assert len(orders) > 1, "who of a side sits first is drawn by lot"


def test_against_a_field_every_opponent_is_met_equally_often_and_a_round_counts_as_one() -> None:
    entries, ours, theirs, blocks = sprt_command.seat_field("random", ["gunner", "random", "raider"], 2)
    assert (ours, theirs, blocks) == ({"random"}, {"gunner", "random.2", "raider"}, 3)
    flags = {"model": "normalized", "elo0": 0.0, "elo1": 100.0, "alpha": 0.05, "beta": 0.05}
    test = sprt_command.make_test(2, ours, theirs, flags, round_blocks=blocks)
    entrants = tuple(Entrant(name=entry["name"], hero=entry["hero"]) for entry in entries)
    plan = Plan(format="gauntlet", seats=2, entrants=entrants, rounds=2, seed="s")
    drawn = Schedule(plan).open_blocks({})
    assert [sorted(set(block.bots) - ours) for block in drawn[:3]] == [["gunner"], ["random.2"], ["raider"]]
    won = {"gunner": [[2, 1], [1, 2]], "random.2": [[1, 2], [2, 1]], "raider": [[1, 1], [1, 1]]}
    for block in reversed(drawn):
        [opponent] = set(block.bots) - ours
        for match in make_block(block.number, ["random", opponent], won[opponent]):
            test.add(match)
    assert test.sprt.blocks == 2
    assert test.duel.score == 0.5
    assert "rounds of 3 blocks: 2" in test.line()


def test_a_field_of_larger_tables_needs_enough_opponents() -> None:
    assert sprt_command.seat_field("random", ["gunner", "raider", "random"], 4)[3] == 1
    with pytest.raises(ConfigError, match=r"\b3 opponents, not 2\b"):
        sprt_command.seat_field("random", ["gunner", "raider"], 4)
    with pytest.raises(ConfigError, match=r"a field .*normalized"):
        sprt_command.make_test(2, {"a"}, {"b", "c"}, {"model": "logistic"}, round_blocks=2)


def test_what_a_test_costs_and_how_often_it_errs_is_said_beforehand_and_forecast_meanwhile() -> None:
    test = make_test()
    assert "3 200 blocks if H1" in test.plan()
    assert "H1 wrongly in 5 %" in test.plan()
    test.add_played([make_block(0, ["ann", "bob"], [[1, 2], [1, 2]])])
    assert "; forecast: about " in test.progress()
    assert "more blocks, H1 with " in test.progress()


def told(won: int, lost: int, even: int, alpha: float = 0.05) -> tuple[SprtVerdict | None, str]:
    """The verdict and the result after so many blocks of two games, each lost, won or shared as a whole."""
    flags = {"model": "normalized", "elo0": 0.0, "elo1": 100.0, "alpha": alpha, "beta": 0.05}
    test = sprt_command.make_test(2, {"ann"}, {"bob"}, flags)
    kinds = ([[2, 1], [1, 2]], lost), ([[1, 2], [2, 1]], won), ([[1, 1], [1, 1]], even)
    test.add_played(make_block(0, ["ann", "bob"], ranks) for ranks, count in kinds for _ in range(count))
    return test.sprt.verdict, test.result("ann", "bob")


def test_the_result_is_said_as_compare_says_it() -> None:
    verdict, better = told(won=20, lost=2, even=3)
    assert verdict is SprtVerdict.H1
    found = re.fullmatch(r"ann is better than bob: by (\S+) to (\S+) points of a hundred", better)
    assert found is not None, better
    assert 0 <= float(found[1]) < float(found[2]) <= 100
    assert "too few blocks" in told(won=1, lost=0, even=0)[1]
    assert "ann is somewhere from -" in told(won=2, lost=2, even=2)[1]


def test_a_verdict_for_a_is_not_put_in_doubt_by_its_interval() -> None:
    """A test that may err in 20 % of cases says H1 long before the 95 % interval is above 0."""
    verdict, said = told(won=10, lost=2, even=0, alpha=0.2)
    assert verdict is SprtVerdict.H1
    assert " by 0.0 " in said
