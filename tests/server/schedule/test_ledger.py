"""A ledger is trusted once taken in; the answers are those that a plain mapping gets."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RulesError
from server.schedule import FORMATS, Entrant, Ledger, Plan, Schedule
from support import sizes


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=10, ci=40))
@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 4), st.integers(5, 9), st.randoms(use_true_random=False))
def test_a_ledger_gets_the_answers_of_a_mapping(name: str, seats: int, bots: int, luck: Random) -> None:
    entrants = tuple(Entrant(name=f"bot{number}", hero=number < seats - 1) for number in range(bots))
    plan = Plan(format=name, seats=seats, entrants=entrants, rounds=3, seed="ledger")
    schedule, ledger = Schedule(plan), Ledger()
    while blocks := schedule.open_blocks(ledger, limit=4):
        known = dict(ledger)
        assert blocks == Schedule(plan).open_blocks(known, limit=4)
        assert schedule.planned(ledger) == Schedule(plan).planned(known)
        block = luck.choice(blocks)
        each = seats * (seats - 1)
        ledger.add(block.number, None if luck.random() < 0.1 else (each,) * seats)
    assert schedule.is_over(ledger)
    assert schedule.placing(ledger) == Schedule(plan).placing(dict(ledger))


def test_another_ledger_is_another_history() -> None:
    entrants = tuple(Entrant(name=f"bot{number}") for number in range(6))
    schedule = Schedule(Plan(format="swiss", seats=2, entrants=entrants, rounds=3, seed="ledger"))
    one, other = Ledger(), Ledger()
    for block in schedule.open_blocks(one):
        one.add(block.number, (4, 0))
        other.add(block.number, (0, 4))
    second = schedule.open_blocks(one)
    assert schedule.open_blocks(other) != second
    assert schedule.open_blocks(one) == second


def test_a_result_is_not_written_twice() -> None:
    ledger = Ledger()
    ledger.add(0, (4, 0))
    with pytest.raises(RulesError, match="block 0"):
        ledger.add(0, None)
