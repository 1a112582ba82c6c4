"""A schedule follows from its plan and results alone: any order, any interruption, whoever joins or leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError, RulesError
from server.schedule import FORMATS, Block, Entrant, HalfPoints, Plan, Schedule
from support import sizes

Play = Callable[[Plan, int, Mapping[str, float], int], dict[int, HalfPoints | None]]
ResultOf = Callable[[Block, int, Mapping[str, float]], HalfPoints]

MOST = 40
"""Enough blocks for a few stages of every format, endless ones too."""


@st.composite
def plans(draw: st.DrawFn, formats: tuple[str, ...] = tuple(FORMATS)) -> Plan:
    name = draw(st.sampled_from(formats))
    seats = draw(st.integers(2, 5))
    bots = seats + draw(st.integers(0, 10))
    entrants = tuple(Entrant(name=f"bot{number}", hero=name == "gauntlet" and number < 2) for number in range(bots))
    if name == "gauntlet" and seats == 2 and bots == 2:
        entrants = (entrants[0], replace(entrants[1], hero=False))
    least = 0 if name == "ladder" else 1
    return Plan(
        format=name, seats=seats, entrants=entrants, rounds=draw(st.integers(least, 5)), seed=draw(st.text(max_size=3))
    )


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=6, ci=50))
@given(plan=plans(), seed=st.integers(0, 99), data=st.data())
def test_results_in_any_order_one_by_one_or_at_once_give_the_same_blocks(
    play: Play, plan: Plan, seed: int, data: st.DataObject
) -> None:
    results = play(plan, seed, {}, MOST)
    at_once = Schedule(plan).blocks(results)
    one_by_one = Schedule(plan)
    some: dict[int, HalfPoints | None] = {}
    for number in data.draw(st.permutations(sorted(results))):
        one_by_one.open_blocks(some)
        some[number] = results[number]
    assert one_by_one.blocks(results) == at_once
    assert one_by_one.open_blocks(results) == [block for block in at_once if block.number not in results]


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=5, ci=40))
@given(plan=plans(), seed=st.integers(0, 99))
def test_a_killed_event_goes_on_with_the_very_same_blocks(
    play: Play, result_of: ResultOf, plan: Plan, seed: int
) -> None:
    steady = Schedule(plan)
    results: dict[int, HalfPoints | None] = {}
    while len(results) < MOST:
        blocks = steady.open_blocks(results)
        fresh = Schedule(plan)
        assert fresh.open_blocks(results) == blocks
        assert fresh.is_over(results) == steady.is_over(results) == (not blocks)
        assert fresh.planned(results) == steady.planned(results)
        assert fresh.placing(results) == steady.placing(results)
        assert steady.open_blocks(results, limit=2) == blocks[:2] == Schedule(plan).open_blocks(results, limit=2)
        if not blocks:
            break
        block = blocks[(seed * len(results)) % len(blocks)]
        assert steady.block(block.number, results) == block
        results[block.number] = result_of(block, seed, {})


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=6, ci=50))
@given(plan=plans(), seed=st.integers(0, 99), cut=st.integers(0, MOST))
def test_asked_about_another_past_it_forgets_the_one_it_knew(play: Play, plan: Plan, seed: int, cut: int) -> None:
    schedule = Schedule(plan)
    for results in (play(plan, seed, {}, MOST), play(plan, seed, {}, cut), play(plan, seed + 1, {}, MOST)):
        assert schedule.open_blocks(results) == Schedule(plan).open_blocks(results) == schedule.open_blocks(results)
        assert schedule.blocks(results) == Schedule(plan).blocks(results)
        assert schedule.placing(results) == Schedule(plan).placing(results)


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=6, ci=50))
@given(plan=plans(), seed=st.integers(0, 99), data=st.data())
def test_a_withdrawal_changes_nothing_that_was_played_and_the_event_goes_on_without_the_bot(
    result_of: ResultOf, plan: Plan, seed: int, data: st.DataObject
) -> None:
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {}
    known: dict[int, Block] = {}
    gone: set[str] = set()
    while len(results) < MOST and (blocks := schedule.open_blocks(results)):
        assert not any(gone & set(block.bots) for block in blocks)
        if data.draw(st.integers(0, 9)) == 0:
            running = {block.number: block for block in blocks[: data.draw(st.integers(0, 3))]}
            bot = data.draw(st.sampled_from(plan.active(0)))
            withdrawal = schedule.withdraw(bot, results, running)
            assert not set(withdrawal.cancelled) & {*results, *running}
            known |= {number: schedule.block(number, results) for number in withdrawal.cancelled}
            assert all(bot in known[number].bots for number in withdrawal.cancelled)
            results |= dict.fromkeys(withdrawal.cancelled)
            schedule = Schedule(withdrawal.plan)
            gone.add(bot)
            # What runs is finished, also by the bot that leaves.
            known |= running
            results |= {number: result_of(block, seed, {}) for number, block in running.items()}
        else:
            block = blocks[data.draw(st.integers(0, len(blocks) - 1))]
            known[block.number] = block
            results[block.number] = result_of(block, seed, {})
        drawn = schedule.blocks(results)
        assert all(drawn[number] == block for number, block in known.items())
    assert len(results) >= MOST or schedule.is_over(results)


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=6, ci=50))
@given(plan=plans(("swiss", "league", "ladder")), seed=st.integers(0, 99), done=st.integers(0, 20))
def test_a_newcomer_changes_nothing_that_was_played_and_plays_from_the_next_stage_on(
    play: Play, plan: Plan, seed: int, done: int
) -> None:
    results = play(plan, seed, {}, done)
    before = Schedule(plan)
    stage = before.next_stage(results)
    played = {number: before.block(number, results) for number in results}
    joined = replace(plan, entrants=(*plan.entrants, Entrant(name="new", joined=stage)))
    after = Schedule(joined)
    assert {number: after.block(number, results) for number in results} == played
    for block in after.blocks(results):
        assert block.stage >= stage or "new" not in block.bots
        if block.stage < stage:
            assert before.block(block.number, results) == block


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=6, ci=50))
@given(plan=plans(("round-robin", "gauntlet", "swiss", "league")), seed=st.integers(0, 99))
def test_the_planned_number_is_the_final_number(play: Play, plan: Plan, seed: int) -> None:
    planned = Schedule(plan).planned({})
    results = play(plan, seed, {}, 10**6)
    assert planned == len(results) == Schedule(plan).planned(results)


def test_cancelled_blocks_are_no_longer_planned() -> None:
    plan = Plan(format="round-robin", seats=2, entrants=tuple(Entrant(name=name) for name in "abcdef"))
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {0: (4, 0)}
    open_blocks = schedule.open_blocks(results)
    bot = open_blocks[0].bots[0]
    withdrawal = schedule.withdraw(bot, results)
    assert withdrawal.cancelled == (open_blocks[0].number,)
    results |= dict.fromkeys(withdrawal.cancelled)
    # Five bots are left, with ten meetings.
    assert Schedule(withdrawal.plan).planned(results) == 10
    assert len(Schedule(withdrawal.plan).open_blocks(results)) == 9


def test_a_league_goes_on_with_full_tables_when_a_bot_leaves() -> None:
    plan = Plan(format="league", seats=4, entrants=tuple(Entrant(name=f"bot{n}") for n in range(9)), rounds=6)
    schedule = Schedule(plan)
    first = schedule.open_blocks({})[:2]
    results: dict[int, HalfPoints | None] = {block.number: (12, 12, 12, 12) for block in first}
    later = Schedule(schedule.withdraw("bot3", results).plan)
    blocks = later.open_blocks(results)
    assert len(blocks) == 2 * 5
    assert all("bot3" not in block.bots for block in blocks)


@pytest.mark.parametrize("name", FORMATS)
def test_another_seed_draws_another_schedule_where_luck_has_a_say(name: str, play: Play) -> None:
    entrants = tuple(Entrant(name=f"bot{number}") for number in range(9))
    plan = Plan(format=name, seats=3, entrants=entrants, rounds=3, seed="one")
    other = replace(plan, seed="two")
    tables = [[block.bots for block in Schedule(each).open_blocks({})] for each in (plan, plan, other)]
    assert tables[0] == tables[1]
    # Only the knockout is drawn by the seeding alone.
    assert (tables[0] == tables[2]) == (name == "knockout")


def test_impossible_questions_are_refused() -> None:
    plan = Plan(format="swiss", seats=2, entrants=tuple(Entrant(name=name) for name in "abcd"), rounds=2)
    schedule = Schedule(plan)
    with pytest.raises(RulesError, match=r"block 2: .*\b2 blocks"):
        schedule.block(2, {})
    with pytest.raises(ConfigError, match="zed: no such bot"):
        schedule.withdraw("zed", {})
    with pytest.raises(RulesError, match="block 1"):
        schedule.open_blocks({0: (4, 0), 1: (4, 4)})
