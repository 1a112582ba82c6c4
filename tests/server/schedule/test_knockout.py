"""Knockouts of every size: full tables, byes for the top seeds, ties decided by legs, one winner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Block, BracketPlace, Entrant, HalfPoints, Plan, Schedule
from server.schedule.knockout import cuts, tables_for

Play = Callable[[Plan, int, Mapping[str, float], int], dict[int, HalfPoints | None]]
ResultOf = Callable[[Block, int, Mapping[str, float]], HalfPoints]

FIELDS = [(seats, bots) for seats in (2, 3, 4, 5) for bots in range(seats, 34)]


def plan_of(seats: int, bots: int, rounds: int = 1, max_legs: int = 5, third_place: bool = True) -> Plan:
    entrants = tuple(Entrant(name=f"seed{number}") for number in range(1, bots + 1))
    return Plan(
        format="knockout", seats=seats, entrants=entrants, rounds=rounds, max_legs=max_legs, third_place=third_place
    )


def better_seed_wins(block: Block) -> HalfPoints:
    """No upsets: everybody beats all worse seeds."""
    seats = len(block.bots)
    order = sorted(block.bots, key=lambda bot: int(bot.removeprefix("seed")))
    return tuple(2 * seats * (seats - 1 - order.index(bot)) for bot in block.bots)


def play_to_end(plan: Plan, result: Callable[[Block], HalfPoints]) -> tuple[list[Block], list[BracketPlace]]:
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {}
    while blocks := schedule.open_blocks(results):
        results |= {block.number: result(block) for block in blocks}
    assert schedule.is_over(results)
    places = schedule.placing(results)
    assert places is not None
    return schedule.blocks(results), places


@pytest.mark.parametrize(("seats", "bots"), FIELDS)
def test_without_upsets_the_places_are_the_seeds(seats: int, bots: int) -> None:
    plan = plan_of(seats, bots)
    blocks, places = play_to_end(plan, better_seed_wins)
    assert all(len(set(block.bots)) == seats for block in blocks)
    assert [place.bot for place in places][:seats] == plan.active(0)[:seats]
    assert sorted(place.bot for place in places) == sorted(plan.active(0))
    assert [place.rank for place in places] == sorted(place.rank for place in places)
    assert [place.rank for place in places].count(1) == 1
    assert Schedule(plan).planned({}) == len(blocks)
    final = next(block for block in blocks if block.label == "final")
    assert sorted(final.bots) == sorted(plan.active(0)[:seats])


@settings(deadline=None)
@given(seats=st.integers(2, 5), extra=st.integers(0, 28), rounds=st.integers(1, 3), seed=st.integers(0, 999))
def test_every_knockout_comes_to_one_winner(play: Play, seats: int, extra: int, rounds: int, seed: int) -> None:
    plan = plan_of(seats, seats + extra, rounds)
    results = play(plan, seed, {}, 10**6)
    schedule = Schedule(plan)
    assert schedule.is_over(results)
    places = schedule.placing(results)
    assert places is not None
    assert sorted(place.bot for place in places) == sorted(plan.active(0))
    assert [place.rank for place in places].count(1) == 1
    planned = Schedule(plan).planned({})
    assert planned is not None
    assert planned <= len(results)
    final = [block for block in schedule.blocks(results) if block.label.startswith("final")]
    assert places[0].bot in final[0].bots
    assert rounds <= len(final) <= max(5, rounds)


@pytest.mark.parametrize("bots", range(2, 65))
def test_duels_have_the_bracket_that_everybody_knows(bots: int) -> None:
    blocks, _ = play_to_end(plan_of(2, bots, third_place=False), better_seed_wins)
    assert len(blocks) == bots - 1
    places = 1 << (bots - 1).bit_length()
    size = places
    for stage in range(blocks[-1].stage + 1):
        # Without upsets seed s meets seed size + 1 - s, if there is one: byes in the first round only.
        expected = [(f"seed{s}", f"seed{size + 1 - s}") for s in range(1, size // 2 + 1) if size + 1 - s <= bots]
        assert sorted(block.bots for block in blocks if block.stage == stage) == sorted(expected)
        size //= 2
    assert size == 1


def test_a_winner_takes_the_place_of_the_seed_it_beat() -> None:
    def eighth_seed_rules(block: Block) -> HalfPoints:
        if "seed8" in block.bots:
            return tuple(4 if bot == "seed8" else 0 for bot in block.bots)
        return better_seed_wins(block)

    blocks, places = play_to_end(plan_of(2, 8), eighth_seed_rules)
    assert [block.bots for block in blocks if block.label == "semi-final 1"] == [("seed8", "seed4")]
    assert [block.bots for block in blocks if block.label == "semi-final 2"] == [("seed2", "seed3")]
    assert [(place.rank, place.bot, place.note) for place in places[:4]] == [
        (1, "seed8", "final"),
        (2, "seed2", "final"),
        (3, "seed3", "third place"),
        (4, "seed4", "third place"),
    ]
    assert [place.rank for place in places[4:]] == [5, 5, 5, 5]
    assert places[4].note == "quarter-final"


def test_a_level_tie_is_played_on_and_then_goes_to_the_better_seed() -> None:
    blocks, places = play_to_end(plan_of(2, 4, max_legs=3), lambda block: (2, 2))
    assert [block.label for block in blocks] == [
        *("semi-final 1", "semi-final 2"),
        *("semi-final 1, leg 2", "semi-final 2, leg 2"),
        *("semi-final 1, leg 3", "semi-final 2, leg 3"),
        *("final", "third place", "final, leg 2", "third place, leg 2", "final, leg 3", "third place, leg 3"),
    ]
    assert [place.bot for place in places] == ["seed1", "seed2", "seed3", "seed4"]


def test_legs_add_up_and_a_decided_tie_is_not_played_on() -> None:
    def result(block: Block) -> HalfPoints:
        if block.label == "final, leg 2":
            return (0, 4)
        return (3, 1)

    blocks, places = play_to_end(plan_of(2, 2, rounds=2), result)
    assert [block.label for block in blocks] == ["final, leg 1", "final, leg 2"]
    assert places[0].bot == "seed2"


def test_a_cut_is_level_only_between_the_last_to_go_on_and_the_first_to_go_out() -> None:
    labels = []

    def result(block: Block) -> HalfPoints:
        labels.append(block.label)
        # First and second are level, third and fourth as well: two go on, so that is no reason to play again.
        return (16, 16, 8, 8) if "table" in block.label else (24, 8, 8, 8)

    play_to_end(plan_of(4, 8), result)
    assert labels == ["round 1, table 1", "round 1, table 2", "final"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_cuts_fill_tables_and_end_at_a_full_final(seats: int) -> None:
    table = cuts(120, seats)
    for size in range(seats + 1, 121):
        cut = table[size]
        assert cut.byes == size - seats * tables_for(cut.out, seats) >= 0
        assert seats <= size - cut.out < size
        # The better half goes on everywhere but at one table at most.
        assert tables_for(cut.out, seats) * (seats // 2) - cut.out in (0, 1)
    assert table[120].rounds <= {2: 6, 3: 11, 4: 5, 5: 8}[seats]


def test_byes_go_to_the_top_seeds() -> None:
    blocks, _ = play_to_end(plan_of(4, 13), better_seed_wins)
    first = Counter(bot for block in blocks if block.stage == 0 for bot in block.bots)
    assert "seed1" not in first
    assert len(first) == 12
    # Three tables put out five to come to eight: the one of the best seed only one.
    second = {bot for block in blocks if block.stage == 1 for bot in block.bots}
    assert len(second) == 8


def test_who_leaves_during_a_tie_has_lost_it() -> None:
    plan = plan_of(2, 4)
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {0: (2, 2), 1: (4, 0)}
    (leg,) = schedule.open_blocks(results)
    assert leg.label == "semi-final 1, leg 2"
    withdrawal = schedule.withdraw("seed1", results)
    # Nothing of the second leg was touched, so it is not drawn at all.
    assert withdrawal.cancelled == ()
    later = Schedule(withdrawal.plan)
    final = later.open_blocks(results)
    assert [block.bots for block in final] == [("seed4", "seed2")]
    places = later.placing({**results, 2: (4, 0)})
    assert places is not None
    assert [(place.rank, place.bot) for place in places] == [(1, "seed4"), (2, "seed2"), (3, "seed1"), (3, "seed3")]


def test_a_finalist_who_leaves_gives_the_title_away() -> None:
    plan = plan_of(2, 4)
    schedule = Schedule(plan)
    results: dict[int, HalfPoints | None] = {0: (4, 0), 1: (4, 0)}
    withdrawal = schedule.withdraw("seed1", results)
    later = Schedule(withdrawal.plan)
    assert later.is_over(results)
    places = later.placing(results)
    assert places is not None
    assert [(place.rank, place.bot) for place in places] == [(1, "seed2"), (2, "seed1"), (3, "seed3"), (3, "seed4")]


def test_a_table_that_lost_a_bot_is_filled_by_the_last_to_go_out() -> None:
    plan = plan_of(4, 8)
    results = {number: better_seed_wins(block) for number, block in enumerate(Schedule(plan).open_blocks({}))}
    final = Schedule(Schedule(plan).withdraw("seed1", results).plan).open_blocks(results)
    assert [block.label for block in final] == ["final"]
    assert set(final[0].bots) > {"seed2", "seed3", "seed4"}
    assert len(set(final[0].bots) & {"seed5", "seed6"}) == 1


@settings(deadline=None)
@given(seats=st.integers(2, 5), extra=st.integers(0, 16), data=st.data())
def test_whoever_leaves_whenever_one_bot_wins_unless_all_left(
    result_of: ResultOf, seats: int, extra: int, data: st.DataObject
) -> None:
    plan = plan_of(seats, seats + extra)
    results: dict[int, HalfPoints | None] = {}
    schedule = Schedule(plan)
    while blocks := schedule.open_blocks(results):
        if data.draw(st.integers(0, 4)) == 0:
            bot = data.draw(st.sampled_from(data.draw(st.sampled_from(blocks)).bots))
            withdrawal = schedule.withdraw(bot, results)
            results |= dict.fromkeys(withdrawal.cancelled)
            schedule = Schedule(withdrawal.plan)
        else:
            block = data.draw(st.sampled_from(blocks))
            results[block.number] = result_of(block, 1, {})
    assert schedule.is_over(results)
    places = schedule.placing(results)
    assert places is not None
    assert sorted(place.bot for place in places) == sorted(plan.active(0))
    left = {entrant.name for entrant in schedule.plan.entrants if entrant.left is not None}
    winners = [place.bot for place in places if place.rank == 1]
    if len(left) < len(plan.entrants):
        assert len(winners) == 1
