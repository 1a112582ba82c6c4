"""The search for cheap tables, and pairs without forbidden ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import wide_search
from server.schedule.matching import pair_up
from server.schedule.seat_search import swap_down, take_table, total_cost


@st.composite
def seatings(draw: st.DrawFn) -> tuple[list[list[int]], list[int], set[int], list[list[int]]]:
    seats = draw(st.integers(2, 5))
    tables = draw(st.integers(1, 5))
    spare = draw(st.integers(0, seats - 1))
    count = seats * tables + spare
    order = draw(st.permutations(range(count)))
    costs = [[0] * count for _ in range(count)]
    for one, other in combinations(range(count), 2):
        costs[one][other] = costs[other][one] = draw(st.integers(-9, 9))
    seated = [list(order[at : at + seats]) for at in range(0, seats * tables, seats)]
    free = draw(st.sets(st.integers(0, count - 1)))
    return seated, list(order[seats * tables :]), free, costs


@settings(deadline=None)
@given(seatings())
def test_no_swap_of_two_bots_is_left_that_helps(
    seating: tuple[list[list[int]], list[int], set[int], list[list[int]]],
) -> None:
    tables, bench, free, costs = seating
    before, everybody, away = total_cost(tables, costs), sorted(sum(tables, bench)), set(bench)
    swap_down(tables, costs, bench, free)
    assert sorted(sum(tables, bench)) == everybody
    assert away ^ set(bench) <= free
    best = total_cost(tables, costs)
    assert best <= before
    places = [*tables, bench]
    for here, there in combinations(range(len(places)), 2):
        for x, one in enumerate(places[here]):
            for y, other in enumerate(places[there]):
                if there == len(tables) and not {one, other} <= free:
                    continue
                places[here][x], places[there][y] = other, one
                assert total_cost(tables, costs) >= best
                places[here][x], places[there][y] = one, other


@settings(deadline=None)
@given(seatings())
def test_the_search_with_arrays_finds_the_same_tables(
    seating: tuple[list[list[int]], list[int], set[int], list[list[int]]],
) -> None:
    tables, bench, free, costs = seating
    order, arrays = [bot for table in tables for bot in table], np.array(costs, dtype=np.int64)
    left, plain = list(order), []
    while left:
        plain.append(take_table(left, len(tables[0]), costs))
    assert wide_search.take_tables(order, len(tables[0]), arrays) == plain
    resting = list(bench)
    swap_down(plain, costs, resting, free)
    assert wide_search.cheapest_tables(order, len(tables[0]), arrays, bench, free) == plain
    assert bench == resting


@pytest.mark.parametrize(("bots", "seats", "most"), [(101, 2, 4), (101, 2, 10**6), (130, 4, 10**6), (103, 5, 4)])
def test_the_search_with_arrays_finds_the_same_tables_of_many_bots(bots: int, seats: int, most: int) -> None:
    """Costs of a few values have many ties."""
    dice = np.random.RandomState(bots + seats)
    upper = np.triu(dice.randint(-most, most, (bots, bots)), 1).astype(np.int64)
    costs, order = upper + upper.T, dice.permutation(bots).tolist()
    rests, others = order[: bots % seats], order[bots % seats :]
    free = set(dice.permutation(bots)[: bots // 2].tolist())
    left, plain, resting = list(others), [], list(rests)
    while left:
        plain.append(take_table(left, seats, costs.tolist()))
    swap_down(plain, costs.tolist(), resting, free)
    assert wide_search.cheapest_tables(others, seats, costs, rests, free) == plain
    assert rests == resting


def can_pair(nodes: frozenset[int], edges: set[frozenset[int]]) -> bool:
    """By trying everything."""
    if not nodes:
        return True
    one = min(nodes)
    return any(can_pair(nodes - {one, other}, edges) for other in nodes if frozenset((one, other)) in edges)


@settings(deadline=None)
@given(count=st.integers(1, 5), data=st.data())
def test_pairs_are_found_whenever_there_are_any_and_the_first_choose_first(count: int, data: st.DataObject) -> None:
    nodes = range(2 * count)
    edges = {frozenset(pair) for pair in combinations(nodes, 2) if data.draw(st.integers(0, 9)) < 4}
    wishes = [data.draw(st.permutations([y for y in nodes if frozenset((x, y)) in edges])) for x in nodes]
    pairs = pair_up(list(nodes), wishes)
    assert (pairs is not None) == can_pair(frozenset(nodes), edges)
    left = frozenset(nodes)
    for one, other in pairs or []:
        assert one == min(left)
        possible = [y for y in wishes[one] if y in left and can_pair(left - {one, y}, edges)]
        assert other == possible[0]
        left -= {one, other}
    assert pairs is None or not left


def test_an_odd_number_cannot_be_paired() -> None:
    assert pair_up([0, 1, 2], [[1, 2], [0, 2], [0, 1]]) is None
