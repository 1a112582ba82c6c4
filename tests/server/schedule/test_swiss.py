"""Swiss: rematches, byes, drop-outs, and whether it finds the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Block, Entrant, HalfPoints, Plan, PlayedBlock, Schedule
from server.schedule.seat_search import total_cost
from server.schedule.swiss import Swiss
from support import sizes
from support.placings import placings_of

Play = Callable[[Plan, int, Mapping[str, float], int], dict[int, HalfPoints | None]]


def plan_of(seats: int, bots: int, rounds: int, seed: str = "s") -> Plan:
    entrants = tuple(Entrant(name=f"bot{number}") for number in range(bots))
    return Plan(format="swiss", seats=seats, entrants=entrants, rounds=rounds, seed=seed)


def stages_of(blocks: list[Block]) -> list[list[Block]]:
    return [[block for block in blocks if block.stage == stage] for stage in range(blocks[-1].stage + 1)]


def can_pair(bots: frozenset[str], met: Counter[tuple[str, str]], byes: int) -> bool:
    """By trying everything."""
    if len(bots) <= byes:
        return True
    one = min(bots)
    fresh = (bot for bot in bots if bot != one and not met[min(one, bot), max(one, bot)])
    return any(can_pair(bots - {one, other}, met, byes) for other in fresh) or (
        byes > 0 and can_pair(bots - {one}, met, 0)
    )


@settings(deadline=None)
@given(seats=st.integers(2, 5), extra=st.integers(0, 25), rounds=st.integers(1, 9), seed=st.integers(0, 99))
def test_every_round_seats_all_but_the_byes_and_byes_go_round(
    play: Play, seats: int, extra: int, rounds: int, seed: int
) -> None:
    plan = plan_of(seats, seats + extra, rounds, str(seed))
    results = play(plan, seed, {}, 10**6)
    stages = stages_of(Schedule(plan).blocks(results))
    assert len(stages) == rounds
    byes = Counter(dict.fromkeys(plan.active(0), 0))
    for stage in stages:
        seated = [bot for block in stage for bot in block.bots]
        assert len(seated) == len(set(seated)) == len(byes) - len(byes) % seats
        byes.update(set(byes) - set(seated))
        assert max(byes.values()) - min(byes.values()) <= 1


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=15, ci=60))
@given(bots=st.integers(2, 9), seed=st.integers(0, 999))
def test_no_duel_is_repeated_while_a_round_without_rematch_exists(play: Play, bots: int, seed: int) -> None:
    plan = plan_of(2, bots, bots + 2, str(seed))
    stages = stages_of(Schedule(plan).blocks(play(plan, seed, {}, 10**6)))
    met: Counter[tuple[str, str]] = Counter()
    byes: Counter[str] = Counter(dict.fromkeys(plan.active(0), 0))
    for stage in stages:
        pairs = [(min(block.bots), max(block.bots)) for block in stage]
        if any(met[pair] for pair in pairs):
            # The bye is only ever among those with the fewest, whatever it costs.
            resting = [bot for bot in byes if byes[bot] == min(byes.values())] if bots % 2 else [""]
            assert not any(can_pair(frozenset(byes) - {bot}, met, 0) for bot in resting)
        met.update(pairs)
        byes.update(set(byes) - {bot for block in stage for bot in block.bots})


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=10, ci=40))
@given(seats=st.integers(3, 5), tables=st.integers(2, 5), seed=st.integers(0, 99))
def test_no_swap_of_two_bots_makes_fewer_repeated_pairs(play: Play, seats: int, tables: int, seed: int) -> None:
    plan = plan_of(seats, seats * tables, 6, str(seed))
    stages = stages_of(Schedule(plan).blocks(play(plan, seed, {}, 10**6)))
    names = plan.active(0)
    met = [[0] * len(names) for _ in names]
    for stage in stages:
        seated = [[names.index(bot) for bot in block.bots] for block in stage]
        squares = [[count**2 for count in row] for row in met]
        repeats = total_cost(seated, squares)
        for one, other in combinations(seated, 2):
            for x in range(seats):
                for y in range(seats):
                    one[x], other[y] = other[y], one[x]
                    assert total_cost(seated, squares) >= repeats
                    one[x], other[y] = other[y], one[x]
        for table in seated:
            for here, there in combinations(table, 2):
                met[here][there] += 1
                met[there][here] += 1


@pytest.mark.few(2)
@pytest.mark.parametrize(("seats", "bots", "rounds"), [(2, 24, 7), (3, 24, 7), (4, 24, 6), (5, 25, 6), (2, 25, 7)])
def test_the_best_bots_are_found(play: Play, seats: int, bots: int, rounds: int) -> None:
    plan = plan_of(seats, bots, rounds)
    hits = 0
    for seed in range(8):
        skill = {name: 0.35 * number for number, name in enumerate(plan.active(0))}
        results = play(plan, seed, skill, 10**6)
        top = {line.bot for line in placings_of(plan, results).lines[:4]}
        hits += len(top & {f"bot{number}" for number in range(bots - 4, bots)})
    # By luck alone four places would find 4 * 4 / 24 of them: 5 in 8 events.
    assert hits >= 20


@sizes.sized
@settings(deadline=None, max_examples=sizes.pick(quick=10, ci=40))
@given(seats=st.integers(3, 5), tables=st.integers(1, 4), spare=st.integers(1, 4), seed=st.integers(0, 99))
def test_the_bye_goes_to_the_lowest_of_those_with_the_fewest(
    play: Play, seats: int, tables: int, spare: int, seed: int
) -> None:
    plan = plan_of(seats, seats * tables + min(spare, seats - 1), 5, str(seed))
    results = play(plan, seed, {}, 10**6)
    byes = Counter(dict.fromkeys(plan.active(0), 0))
    for stage in stages_of(Schedule(plan).blocks(results)):
        first = stage[0].number
        lines = placings_of(plan, {number: results[number] for number in range(first)}).lines
        points = {line.bot: line.points or 0 for line in lines}
        seated = {bot for block in stage for bot in block.bots}
        resting = set(byes) - seated
        assert max((byes[bot], points[bot]) for bot in resting) <= min((byes[bot], points[bot]) for bot in seated)
        byes.update(resting)


def test_the_bye_moves_up_where_that_avoids_a_rematch() -> None:
    plan = plan_of(2, 5, 2)
    # Only 0-1, 2-3 and 3-4 have not met. With a bye for 3, the lowest, somebody would have to meet again.
    pairs = [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4)]
    blocks = [
        Block(number=number, stage=0, table=number, bots=(f"bot{one}", f"bot{other}"))
        for number, (one, other) in enumerate(pairs)
    ]
    played = [PlayedBlock(block=block, half_points=(4, 0) if "bot3" in block.bots else (2, 2)) for block in blocks]
    tables = Swiss(plan).stage(1, [blocks], [played])
    assert tables is not None
    met = {frozenset(table.bots) for table in tables}
    assert frozenset(("bot0", "bot1")) in met
    assert met < {frozenset(pair) for pair in (("bot0", "bot1"), ("bot2", "bot3"), ("bot3", "bot4"))}


@pytest.mark.parametrize(("seats", "worth"), [(2, 4), (3, 9), (4, 16), (5, 25)])
def test_a_bye_is_worth_beating_half_of_a_full_table(seats: int, worth: int, play: Play) -> None:
    plan = plan_of(seats, seats + 1, 1)
    results = play(plan, 1, {}, 10**6)
    seated = Schedule(plan).block(0, results).bots
    (bye,) = [line for line in placings_of(plan, results).lines if line.bot not in seated]
    assert (bye.points, bye.byes) == (worth / 2, 1)
    assert bye.tie_breaks["buchholz"] == (seats - 1) * worth / 2


def test_places_go_by_points_and_then_by_the_points_of_opponents() -> None:
    plan = plan_of(2, 4, 2)
    schedule = Schedule(plan)
    first = schedule.open_blocks({})
    results: dict[int, HalfPoints | None] = {0: (4, 0), 1: (3, 1)}
    second = schedule.open_blocks(results)
    # Score groups: 4 meets 3, and 1 meets 0.
    assert second[0].bots == (first[0].bots[0], first[1].bots[0])
    assert set(second[1].bots) == {first[0].bots[1], first[1].bots[1]}
    results |= {2: (1, 3), 3: (3, 1) if second[1].bots[0] == first[0].bots[1] else (1, 3)}
    lines = placings_of(plan, results).lines
    winner, runner_up, third, last = [first[1].bots[0], first[0].bots[0], first[0].bots[1], first[1].bots[1]]
    assert [(line.place, line.bot, line.points, line.tie_breaks["buchholz"]) for line in lines] == [
        (1, winner, 3.0, 2.5 + 1.0),
        (2, runner_up, 2.5, 3.0 + 1.5),
        (3, third, 1.5, 2.5 + 1.0),
        (4, last, 1.0, 3.0 + 1.5),
    ]


def test_equal_bots_share_a_rank() -> None:
    plan = plan_of(2, 2, 1)
    assert [line.place for line in placings_of(plan, {0: (2, 2)}).lines] == [1, 1]


def test_who_drops_out_loses_its_block_and_is_drawn_no_more(play: Play) -> None:
    plan = plan_of(2, 8, 4)
    results = play(plan, 5, {}, 6)
    schedule = Schedule(plan)
    block = schedule.open_blocks(results)[0]
    gone, lucky = block.bots
    withdrawal = schedule.withdraw(gone, results)
    assert withdrawal.cancelled == (block.number,)
    before = dict.fromkeys(block.bots, 0)
    for number, points in results.items():
        for bot, each in zip(schedule.block(number, results).bots, points or (), strict=True):
            before[bot] = before.get(bot, 0) + each
    results[block.number] = None
    later = Schedule(withdrawal.plan)
    (last,) = later.open_blocks(results)
    results[last.number] = (2, 2)
    assert [len(later.open_blocks(results)), later.open_blocks(results)[0].stage] == [3, 2]
    assert all(gone not in block.bots for block in later.open_blocks(results))
    points_of = {line.bot: line.points for line in placings_of(withdrawal.plan, results).lines}
    assert points_of[gone] == before[gone] / 2
    assert points_of[lucky] == (before[lucky] + 4) / 2


def test_a_late_entrant_begins_with_nothing(play: Play) -> None:
    plan = plan_of(2, 6, 3)
    results = play(plan, 5, {}, 3)
    late = replace(plan, entrants=(*plan.entrants, Entrant(name="late", joined=1)))
    schedule = Schedule(late)
    assert schedule.blocks(results)[:3] == Schedule(plan).blocks(results)[:3]
    last = placings_of(late, results).lines[-1]
    assert (last.bot, last.points, last.possible) == ("late", 0, 2)
