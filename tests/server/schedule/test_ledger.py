"""A ledger is trusted once taken in; the answers are those that a plain mapping gets."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RulesError
from server.schedule import FORMATS, Entrant, HalfPoints, Ledger, Plan, Schedule
from support import sizes


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=10, ci=40))
@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 4), st.integers(5, 9), st.randoms(use_true_random=False))
def test_a_ledger_gets_the_answers_of_a_mapping(name: str, seats: int, bots: int, luck: Random) -> None:
    entrants = tuple(Entrant(name=f"bot{number}", hero=number < seats - 1) for number in range(bots))
    plan = Plan(format=name, seats=seats, entrants=entrants, rounds=3, seed="ledger")
    schedule = Schedule(plan)
    ledger, known = Ledger(forget=schedule.lag is None), dict[int, HalfPoints | None]()
    while blocks := schedule.open_blocks(ledger, limit=4):
        assert len(known) == len(ledger)
        assert set(known) == set(ledger)
        assert blocks == Schedule(plan).open_blocks(known, limit=4)
        assert schedule.planned(ledger) == Schedule(plan).planned(known)
        block = luck.choice(blocks)
        each = seats * (seats - 1)
        known[block.number] = None if luck.random() < 0.1 else (each,) * seats
        ledger.add(block.number, known[block.number])
    assert schedule.is_over(ledger)
    assert schedule.placing(ledger) == Schedule(plan).placing(known)


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


@pytest.mark.parametrize("name", ["round-robin", "gauntlet", "league"])
def test_blocks_that_were_played_are_drawn_again_if_somebody_asks(name: str) -> None:
    entrants = tuple(Entrant(name=f"bot{number}", hero=not number) for number in range(6))
    plan = Plan(format=name, seats=2, entrants=entrants, rounds=3, seed="ledger")
    schedule, ledger, all_blocks = Schedule(plan), Ledger(forget=True), Schedule(plan).blocks({})
    for number in range(8):
        assert schedule.open_blocks(ledger, limit=3) == all_blocks[number : number + 3]
        ledger.add(number, (2, 2))
    assert schedule.planned(ledger) == len(all_blocks)
    assert schedule.blocks(ledger) == all_blocks
    assert schedule.block(1, ledger) == all_blocks[1]
    assert schedule.open_blocks(ledger) == all_blocks[8:]
    assert schedule.open_blocks(Ledger(forget=True)) == all_blocks, "another history"
    assert schedule.open_blocks({0: (2, 2)}) == all_blocks[1:]


@pytest.mark.parametrize("forget", [False, True])
def test_a_result_is_not_written_twice(forget: bool) -> None:
    ledger = Ledger(forget=forget)
    ledger.add_all(0, [(4, 0), (2, 2)])
    ledger.add(3, (0, 4))
    for block in (0, 1, 3):
        with pytest.raises(RulesError, match=f"block {block}"):
            ledger.add(block, None)
    assert (2 in ledger, -1 in ledger, 1 in ledger, len(ledger)) == (False, False, True, 3)
    with pytest.raises(KeyError):
        ledger[2]
