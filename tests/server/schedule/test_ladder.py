"""Ladder: nobody starves, newcomers catch up, equals meet, and waves overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Block, Entrant, HalfPoints, Plan, Schedule
from support.sizes import pick, sized

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
        here = plan.active(wave)
        if len(here) < seats:
            break
        # Newcomers' further tables come after these.
        seated = [bot for block in blocks[: len(here) // seats] for bot in block.bots]
        assert len(seated) == len(set(seated)) == len(here) - len(here) % seats
        assert set(seated) <= set(here)
        resting = set(here) - {bot for block in blocks for bot in block.bots}
        assert not resting & out
        out = resting


@pytest.mark.parametrize(("seats", "bots"), [(2, 7), (3, 8), (4, 11), (5, 9)])
def test_all_play_equally_often_in_the_long_run(result_of: ResultOf, seats: int, bots: int) -> None:
    waves = waves_of(plan_of(seats, bots), 6 * bots, lambda block: result_of(block, 3, {}))
    played = Counter(bot for wave in waves for block in wave for bot in block.bots)
    assert max(played.values()) - min(played.values()) <= 2


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


def meetings_of(waves: Sequence[Sequence[Block]]) -> Counter[tuple[str, str]]:
    """In how many blocks each pair met."""
    return Counter(pair for wave in waves for block in wave for pair in combinations(sorted(block.bots), 2))


@sized
@pytest.mark.parametrize(("seats", "bots"), [(4, 6), (4, 7), (2, 6), (5, 8)])
def test_no_pair_of_equals_meets_far_more_often_than_others(seats: int, bots: int, result_of: ResultOf) -> None:
    """Six bots at tables of four once had three benches only: pairs met 66 to 134 times in 200 waves."""
    waves = waves_of(plan_of(seats, bots), pick(quick=60, ci=200), lambda block: result_of(block, 3, {}))
    met = meetings_of(waves)
    assert len(met) == bots * (bots - 1) // 2
    assert max(met.values()) < 1.6 * min(met.values())


@pytest.mark.parametrize("bots", [5, 6, 9])
def test_nobody_meets_the_same_bot_in_two_waves_running(bots: int, result_of: ResultOf) -> None:
    waves = waves_of(plan_of(2, bots), 40, lambda block: result_of(block, 3, {"bot0": 3.0, "bot1": 3.0}))
    pairs = [{frozenset(block.bots) for block in wave} for wave in waves]
    assert not any(one & other for one, other in pairwise(pairs))


@pytest.mark.parametrize(("seats", "bots"), [(2, 16), (2, 100), (4, 100)])
def test_every_bot_is_connected_to_every_other_within_its_first_ten_matches(
    seats: int, bots: int, result_of: ResultOf
) -> None:
    waves = waves_of(plan_of(seats, bots), 10 // seats, lambda block: result_of(block, 3, {}))
    parts = {f"bot{number}": {f"bot{number}"} for number in range(bots)}
    for block in (block for wave in waves for block in wave):
        together = set[str]().union(*(parts[bot] for bot in block.bots))
        parts |= dict.fromkeys(together, together)
    assert len(parts["bot0"]) == bots


def test_bots_of_one_team_are_kept_apart(result_of: ResultOf) -> None:
    plan = plan_of(2, 8)
    teamed = replace(
        plan, entrants=tuple(replace(one, team="red" if at < 4 else "") for at, one in enumerate(plan.entrants))
    )
    waves = waves_of(teamed, 30, lambda block: result_of(block, 3, {}))
    red = {f"bot{number}" for number in range(4)}
    assert not any(red.issuperset(pair) for pair in meetings_of(waves))
    crowd = replace(plan, entrants=tuple(replace(one, team="red") for one in plan.entrants))
    assert meetings_of(waves_of(crowd, 2, lambda block: result_of(block, 3, {}))), (
        "where all are of one team, they play"
    )


def test_a_newcomer_plays_more_than_others_until_its_rating_is_settled(result_of: ResultOf) -> None:
    plan = plan_of(2, 20)
    plan = replace(plan, entrants=(*plan.entrants, Entrant(name="new", joined=80)))
    waves = waves_of(plan, 140, lambda block: result_of(block, 3, {}))
    played = [sum("new" in block.bots for block in wave) for wave in waves]
    assert set(played[:80]) == {0}
    assert set(played[81:95]) == {3}, "no other bot plays more than one or two tables of a wave"
    assert set(played[130:]) <= {0, 1}
    for wave in waves[81:95]:
        opponents = [bot for block in wave if "new" in block.bots for bot in block.bots if bot != "new"]
        assert len(set(opponents)) == 3


def test_an_event_goes_on_the_same_wherever_it_was_interrupted(result_of: ResultOf) -> None:
    """Also in another process, whose schedule starts with all results at once."""
    plan = plan_of(3, 10, rounds=12)
    waves = waves_of(plan, 12, lambda block: result_of(block, 3, {"bot1": 2.0}))
    results = {block.number: result_of(block, 3, {"bot1": 2.0}) for wave in waves for block in wave}
    blocks = [block for wave in waves for block in wave]
    for known in (5, 17, 30):
        resumed = Schedule(plan)
        so_far: dict[int, HalfPoints | None] = {number: results[number] for number in range(known)}
        for block in resumed.open_blocks(so_far):
            assert block == blocks[block.number]
