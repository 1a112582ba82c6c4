"""A sequential test counts blocks in their order, and says when bots lost by failing."""

from __future__ import annotations

import pytest

from server.cli import sprt as sprt_command
from server.ratings.sprt import Model, Sprt, Verdict
from server.tournament.sequential import SequentialTest
from support.summaries import make_block


def make_test() -> SequentialTest:
    sprt = Sprt(elo0=0, elo1=10, alpha=0.05, beta=0.05, model=Model.NORMALIZED, games=2, exact=True)
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
    assert "Elo: inf (95 %: -113 to inf), " in test.line(), "won all: a bound, no infinite number alone"
    assert "bob failed in 2 matches; " in test.failures()


@pytest.mark.parametrize("model", ["normalized", "logistic", "bayesian"])
@pytest.mark.parametrize("elo1", [10, 300, 1000])
def test_hypotheses_may_be_far_apart(model: str, elo1: float) -> None:
    """`--elo1 300`, for a bot that should simply be far better, ended in a stack trace at the first block."""
    flags = {"model": model, "elo0": 0.0, "elo1": elo1, "alpha": 0.05, "beta": 0.05}
    for ranks, verdict in (([[1, 2], [2, 1]], Verdict.H1), ([[2, 1], [1, 2]], Verdict.H0)):
        test = sprt_command.make_test(2, {"ann"}, {"bob"}, flags)
        for number in range(200):
            for match in make_block(number, ["ann", "bob"], ranks):
                test.add(match)
        assert test.sprt.verdict is verdict
