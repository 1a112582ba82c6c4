"""Formats that need no results: round-robin, gauntlet, league. Who meets whom how often, for 2 to 30 bots."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Block, Entrant, Plan, Schedule, unequal_matches
from server.schedule.drawing import SeatOrder

FIELDS = [(seats, bots) for seats in (2, 3, 4, 5) for bots in range(seats, 31)]

seats_of = st.integers(2, 5)


def plan_of(name: str, seats: int, bots: int, rounds: int, seed: str = "s", heroes: int = 0) -> Plan:
    entrants = tuple(Entrant(name=f"bot{number}", hero=number < heroes) for number in range(bots))
    return Plan(format=name, seats=seats, entrants=entrants, rounds=rounds, seed=seed)


def blocks_of(plan: Plan) -> list[Block]:
    blocks = Schedule(plan).blocks({})
    assert [block.number for block in blocks] == list(range(len(blocks)))
    assert [block.stage for block in blocks] == sorted(block.stage for block in blocks)
    assert all(len(set(block.bots)) == plan.seats for block in blocks)
    return blocks


def meetings(blocks: list[Block], bots: list[str]) -> list[int]:
    met = Counter(pair for block in blocks for pair in combinations(sorted(block.bots), 2))
    return [met[pair] for pair in combinations(sorted(bots), 2)]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts) if counts else 0


@pytest.mark.parametrize(("seats", "bots"), FIELDS)
def test_round_robin_lets_all_pairs_meet_equally_often_in_every_cycle(seats: int, bots: int) -> None:
    plan = plan_of("round-robin", seats, bots, rounds=2)
    blocks = blocks_of(plan)
    names = plan.active(0)
    half = blocks[: len(blocks) // 2]
    once, twice = set(meetings(half, names)), set(meetings(blocks, names))
    assert len(once) == len(twice) == 1
    assert min(once) * 2 == min(twice)
    if seats == 2:
        assert once == {1}


@settings(deadline=None)
@given(bots=st.integers(2, 40), seed=st.text(max_size=3))
def test_a_duel_round_robin_has_nobody_twice_in_a_round_and_one_bye_at_most(bots: int, seed: str) -> None:
    plan = plan_of("round-robin", 2, bots, rounds=1, seed=seed)
    blocks = blocks_of(plan)
    for stage in range(blocks[-1].stage + 1):
        seated = [bot for block in blocks if block.stage == stage for bot in block.bots]
        assert len(seated) == len(set(seated)) == bots - bots % 2
    assert blocks[-1].stage + 1 == (bots if bots % 2 else bots - 1)


def test_a_large_round_robin_of_many_seats_is_nearly_equal() -> None:
    plan = plan_of("round-robin", 4, 34, rounds=1)
    blocks = blocks_of(plan)
    counts = meetings(blocks, plan.active(0))
    assert sum(counts) >= len(counts)
    assert max(counts) <= 3


@settings(deadline=None)
@given(seats=seats_of, heroes=st.integers(0, 7), challengers=st.integers(1, 24), rounds=st.integers(1, 3))
def test_every_challenger_meets_every_hero_equally_often(
    seats: int, heroes: int, challengers: int, rounds: int
) -> None:
    count = max(1, heroes)
    challengers = max(challengers, seats - min(count, seats - 1))
    plan = plan_of("gauntlet", seats, count + challengers, rounds, heroes=heroes)
    blocks = blocks_of(plan)
    names = plan.active(0)
    met = Counter((hero, bot) for block in blocks for hero in block.bots for bot in block.bots)
    often = {met[hero, bot] for hero in names[:count] for bot in names[count:]}
    assert len(often) == 1
    hero_seats = min(count, seats - 1)
    guests = seats - hero_seats
    each = hero_seats // gcd(count, hero_seats) if guests == 1 else guests // gcd(challengers, guests)
    assert often == {each * rounds}
    for block in blocks:
        assert sum(bot in names[:count] for bot in block.bots) == hero_seats


def test_heroes_are_busy_at_the_same_time() -> None:
    plan = plan_of("gauntlet", 3, 4 + 8, rounds=1, heroes=4)
    first = Counter(bot for block in blocks_of(plan) if block.stage == 0 for bot in block.bots)
    assert [first[f"bot{number}"] for number in range(4)] == [4, 4, 4, 4]


@pytest.mark.system
@settings(deadline=None)
@given(seats=seats_of, extra=st.integers(0, 25), rounds=st.integers(1, 40), seed=st.text(max_size=3))
def test_in_a_league_all_play_equally_often_and_meet_about_equally_often(
    seats: int, extra: int, rounds: int, seed: str
) -> None:
    plan = plan_of("league", seats, seats + extra, rounds, seed)
    blocks = blocks_of(plan)
    names = plan.active(0)
    played: Counter[str] = Counter(dict.fromkeys(names, 0))
    for index in range(rounds):
        stage = [block for block in blocks if block.stage == index]
        seated = [bot for block in stage for bot in block.bots]
        assert len(seated) == len(set(seated)) == len(names) - len(names) % seats
        played.update(seated)
        assert spread(list(played.values())) <= 1
        so_far = meetings([block for block in blocks if block.stage <= index], names)
        assert spread(so_far) <= (1 if seats == 2 else seats + 1)
    if rounds % len(names) == 0:
        assert spread(list(played.values())) == 0


@pytest.mark.parametrize(("seats", "bots"), [(2, 9), (2, 10), (3, 7), (3, 12), (4, 13), (4, 16), (5, 20), (5, 21)])
def test_whole_seasons_of_a_league_are_exactly_balanced(seats: int, bots: int) -> None:
    length = bots if bots % seats else bots - 1
    plan = plan_of("league", seats, bots, rounds=2 * length)
    blocks = blocks_of(plan)
    for seasons in (1, 2):
        counts = meetings([block for block in blocks if block.stage < seasons * length], plan.active(0))
        assert set(counts) == {seasons * (seats - 1)}


def test_a_new_season_seats_the_bots_anew() -> None:
    blocks = blocks_of(plan_of("league", 3, 9, rounds=16))
    first = {frozenset(block.bots) for block in blocks if block.stage < 8}
    second = {frozenset(block.bots) for block in blocks if block.stage >= 8}
    assert first != second


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", ["s", "a", "b"])
def test_a_league_is_searched_over_the_whole_season(seed: str) -> None:
    """Round by round, one pair of ten never met at tables of five, and another met six times."""
    plan = plan_of("league", 5, 10, rounds=10, seed=seed)
    counts = meetings(blocks_of(plan), plan.active(0))
    assert (min(counts), max(counts)) == (3, 6)


def test_in_a_short_league_nobody_is_left_unmet_without_need() -> None:
    """Six bots at tables of three: pairs that met 0 to 3 times, where 2 to 4 times is possible."""
    plan = plan_of("league", 3, 6, rounds=6)
    counts = meetings(blocks_of(plan), plan.active(0))
    assert (min(counts), max(counts)) == (2, 4)


@pytest.mark.parametrize(("name", "seats", "bots"), [("round-robin", 3, 3), ("league", 4, 4), ("league", 4, 8)])
def test_nobody_always_sits_right_behind_the_same_bot(name: str, seats: int, bots: int) -> None:
    """Rotations keep the order of a table, so it is turned round in alternate meetings."""
    blocks = blocks_of(plan_of(name, seats, bots, rounds=42))
    behind = Counter(
        pair for block in blocks for pair in zip(block.bots, (*block.bots[1:], block.bots[0]), strict=True)
    )
    for one, other in combinations([f"bot{number}" for number in range(bots)], 2):
        assert abs(behind[one, other] - behind[other, one]) <= max(2, (behind[one, other] + behind[other, one]) // 3)


def test_a_table_that_meets_again_is_turned_round() -> None:
    order = SeatOrder()
    assert order.arrange(("a", "b", "c")) == ("a", "b", "c")
    assert order.arrange(("a", "b", "c")) == ("c", "b", "a")
    assert order.arrange(("b", "c", "a")) == ("b", "c", "a")
    assert order.arrange(("a", "b")) == order.arrange(("a", "b")) == ("a", "b")


def test_it_is_said_beforehand_that_not_all_can_play_equally_often() -> None:
    """Five bots at tables of four played 8, 8, 8, 4 and 4 matches in two rounds, and nobody had said so."""
    plan = plan_of("league", 4, 5, rounds=2)
    for fact in ("3 will play 8 matches", "2 will play 4", "rounds = 5 "):
        assert fact in unequal_matches(plan)
    played = Counter(bot for block in blocks_of(plan) for bot in block.bots)
    assert sorted(4 * count for count in played.values()) == [4, 4, 8, 8, 8]


@pytest.mark.parametrize("name", ["league", "swiss", "ladder"])
@pytest.mark.parametrize(("seats", "bots"), [(4, 5), (2, 7), (3, 8), (4, 6), (4, 8)])
def test_with_the_rounds_that_are_named_all_play_equally_often(name: str, seats: int, bots: int) -> None:
    words = unequal_matches(plan_of(name, seats, bots, rounds=1))
    if bots % seats == 0:
        assert words == ""
        return
    rounds = int(words.split("rounds = ")[1].split()[0])
    assert unequal_matches(plan_of(name, seats, bots, rounds=rounds)) == ""
    if name == "league":
        played = Counter(bot for block in blocks_of(plan_of(name, seats, bots, rounds)) for bot in block.bots)
        assert len(set(played.values())) == 1
    assert unequal_matches(plan_of("round-robin", seats, bots, rounds=1)) == ""
