"""Ladder: nobody starves, newcomers catch up, equals meet, and waves overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Block, Entrant, HalfPoints, Plan, PlayedBlock, Schedule
from server.schedule.elo import EXPECTED, START, WIDEST, Strengths, expected

ResultOf = Callable[[Block, int, Mapping[str, float]], HalfPoints]


def plan_of(seats: int, bots: int, rounds: int = 0) -> Plan:
    entrants = tuple(Entrant(name=f"bot{number}") for number in range(bots))
    return Plan(format="ladder", seats=seats, entrants=entrants, rounds=rounds, seed="s")


def waves_of(plan: Plan, waves: int, result: Callable[[Block], HalfPoints]) -> list[list[Block]]:
    """The first waves of a ladder, each played out."""
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {}
    found: list[list[Block]] = []
    for wave in range(waves):
        blocks = [block for block in schedule.open_blocks(results) if block.stage == wave]
        results |= {block.number: result(block) for block in blocks}
        found.append(blocks)
    return found


@settings(deadline=None)
@given(
    seats=st.integers(2, 5),
    extra=st.integers(0, 12),
    moves=st.lists(st.tuples(st.integers(1, 11), st.booleans()), max_size=14),
    seed=st.integers(0, 99),
)
def test_nobody_sits_out_twice_in_a_row_whoever_joins_or_leaves(
    result_of: ResultOf, seats: int, extra: int, moves: list[tuple[int, bool]], seed: int
) -> None:
    plan = plan_of(seats, seats + extra)
    entrants = list(plan.entrants)
    for number, (wave, joins) in enumerate(moves):
        if joins:
            entrants.append(Entrant(name=f"new{number}", joined=wave))
        elif len(entrants) - 1 >= number and entrants[number].left is None and entrants[number].joined < wave:
            entrants[number] = replace(entrants[number], left=wave)
    plan = replace(plan, entrants=tuple(entrants))
    out: set[str] = set()
    for wave, blocks in enumerate(waves_of(plan, 12, lambda block: result_of(block, seed, {}))):
        seated = [bot for block in blocks for bot in block.bots]
        here = plan.active(wave)
        if len(here) < seats:
            break
        assert len(seated) == len(set(seated)) == len(here) - len(here) % seats
        assert set(seated) <= set(here)
        resting = set(here) - set(seated)
        assert not resting & out
        out = resting


@pytest.mark.parametrize(("seats", "bots"), [(2, 7), (3, 8), (4, 11), (5, 9)])
def test_all_play_equally_often_in_the_long_run(result_of: ResultOf, seats: int, bots: int) -> None:
    waves = waves_of(plan_of(seats, bots), 6 * bots, lambda block: result_of(block, 3, {}))
    played = Counter(bot for wave in waves for block in wave for bot in block.bots)
    assert max(played.values()) - min(played.values()) <= 1


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_newcomer_is_the_last_to_sit_out(seats: int, result_of: ResultOf) -> None:
    old = 4 * seats + 1
    plan = plan_of(seats, old)
    # By then everybody has sat out once, as one does in each wave; with the newcomer two do.
    joined = old + 1
    plan = replace(plan, entrants=(*plan.entrants, Entrant(name="new", joined=joined)))
    waves = waves_of(plan, joined + old // 2, lambda block: result_of(block, 3, {}))
    assert not any("new" in block.bots for wave in waves[:joined] for block in wave)
    assert all(any("new" in block.bots for block in wave) for wave in waves[joined:])


def test_who_sat_out_is_seated_before_any_newcomer(result_of: ResultOf) -> None:
    plan = plan_of(3, 4)
    waves = waves_of(plan, 3, lambda block: result_of(block, 3, {}))
    seated = set(waves[2][0].bots)
    entrants = [replace(entrant, left=3 if entrant.name in seated else None) for entrant in plan.entrants]
    newcomers = [Entrant(name=f"new{number}", joined=3) for number in range(3)]
    changed = replace(plan, entrants=(*entrants, *newcomers))
    (rested,) = set(plan.active(0)) - seated
    assert rested in waves_of(changed, 4, lambda block: result_of(block, 3, {}))[3][0].bots


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_equals_meet_more_often_and_yet_the_web_holds_together(seats: int, result_of: ResultOf) -> None:
    plan = plan_of(seats, 12)
    skill = {f"bot{number}": 3.0 * (number // 6) for number in range(12)}
    waves = waves_of(plan, 40, lambda block: result_of(block, 3, skill))
    met: Counter[bool] = Counter()
    everybody = {name: set[str]() for name in skill}
    for block in (block for wave in waves[8:] for block in wave):
        for one in block.bots:
            everybody[one].update(block.bots)
            met.update(skill[one] == skill[other] for other in block.bots if other != one)
    # Each bot has 5 equals and 6 others: without the strengths the share would be 5 / 11.
    assert met[True] / met.total() > 0.6
    assert all(len(others) > 8 for others in everybody.values())


def test_two_waves_are_open_at_once_and_the_next_waits_for_the_first() -> None:
    schedule = Schedule(plan_of(2, 6))
    results: dict[int, HalfPoints | None] = {}
    assert [block.stage for block in schedule.open_blocks(results)] == [0, 0, 0, 1, 1, 1]
    results |= {0: (4, 0), 1: (3, 1)}
    assert [block.stage for block in schedule.open_blocks(results)] == [0, 1, 1, 1]
    results |= {2: (2, 2)}
    assert [block.stage for block in schedule.open_blocks(results)] == [1, 1, 1, 2, 2, 2]


def test_an_endless_ladder_has_no_plan_and_a_short_one_ends(result_of: ResultOf) -> None:
    endless = Schedule(plan_of(2, 5))
    assert endless.planned({}) is None
    assert not endless.is_over({})
    plan = plan_of(2, 5, rounds=3)
    waves = waves_of(plan, 5, lambda block: result_of(block, 3, {}))
    assert [len(wave) for wave in waves] == [2, 2, 2, 0, 0]
    assert Schedule(plan).planned({}) == 6


def test_given_strengths_are_asked_for_with_the_results_that_a_wave_waited_for() -> None:
    asked: list[list[int]] = []

    def strengths(results: Sequence[PlayedBlock]) -> Mapping[str, float]:
        asked.append([played.block.number for played in results])
        # Close to each other: 0 and 3, 1 and 2.
        return {"bot0": 0.0, "bot1": 900.0, "bot2": 1000.0, "bot3": 100.0} if results else {}

    schedule = Schedule(plan_of(2, 4), strengths)
    results: dict[int, HalfPoints | None] = {}
    for _ in range(2):
        results |= {block.number: (2, 2) for block in schedule.open_blocks(results)}
    assert asked[:3] == [[], [], [0, 1]]
    meetings = [frozenset(block.bots) for block in schedule.blocks(results) if block.stage == 2]
    assert set(meetings) == {frozenset(("bot0", "bot3")), frozenset(("bot1", "bot2"))}


def test_no_expected_score_lies_near_a_rounding_edge() -> None:
    for gap in range(WIDEST + 1):
        exact = 1000 / (1 + 10 ** (-gap / 400))
        assert abs(exact % 1 - 0.5) > 1e-5
        assert EXPECTED[gap] == round(exact)


def test_strengths_move_by_what_was_not_expected() -> None:
    assert expected(START, START) == 500
    assert expected(START + 400_000, START) == 909
    assert expected(START, START + 400_000) == 91
    strengths = Strengths()
    block = Block(number=0, stage=0, table=0, bots=("a", "b"))
    strengths.add(PlayedBlock(block=block, half_points=None))
    assert strengths.get() == {}
    strengths.add(PlayedBlock(block=block, half_points=(4, 0)))
    assert strengths.get() == {"a": START + 48_000, "b": START - 48_000}
    strengths.add(PlayedBlock(block=block, half_points=(2, 2)))
    assert strengths.get()["a"] < START + 48_000
