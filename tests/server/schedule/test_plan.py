"""Blocks, their seats and their points, and plans that cannot be played."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import ConfigError, RulesError
from server.schedule import Block, Entrant, Plan, PlayedBlock, Schedule
from server.schedule.drawing import by_lot
from server.schedule.forecast import forecast
from server.schedule.points import BlockPoints, check_points, full_points


def entrants(count: int) -> tuple[Entrant, ...]:
    return tuple(Entrant(name=f"bot{number}") for number in range(count))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_block_gives_every_bot_every_seat_once(seats: int) -> None:
    block = Block(number=0, stage=0, table=0, bots=tuple("abcde"[:seats]))
    seatings = [block.seating(rotation) for rotation in range(seats)]
    for seat in range(seats):
        assert sorted(seating[seat] for seating in seatings) == sorted(block.bots)
    assert seatings[0] == block.bots
    assert seatings[1][0] == block.bots[-1]


@settings(deadline=None)
@given(seats=st.integers(2, 5), gone=st.integers(0, 5))
def test_a_walkover_shares_out_the_points_of_a_block(seats: int, gone: int) -> None:
    bots = tuple(
        Entrant(name=f"bot{number}", left=3 if number < gone else 7 if number == seats - 1 else None)
        for number in range(seats)
    )
    plan = Plan(format="swiss", seats=seats, entrants=bots, rounds=9)
    block = Block(number=4, stage=2, table=0, bots=tuple(bot.name for bot in bots))
    cancelled = PlayedBlock(block=block, half_points=None)
    points = BlockPoints(plan).points(cancelled)
    check_points(PlayedBlock(block=block, half_points=points), seats)
    assert BlockPoints(plan).leavers(cancelled) == [bot.name for bot in bots[:gone]]
    if 0 < gone < seats:
        assert max(points[:gone]) < min(points[gone:])
    if seats == 2 and gone == 1:
        assert points == (0, full_points(2))


@pytest.mark.parametrize("points", [(4, 0, 0), (4, 1), (5, -1), (2, 1)])
def test_points_that_no_duel_has_are_refused(points: tuple[int, ...]) -> None:
    block = Block(number=7, stage=0, table=0, bots=("a", "b"))
    with pytest.raises(RulesError, match="block 7"):
        check_points(PlayedBlock(block=block, half_points=points), 2)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(format="chess", seats=2, entrants=entrants(2)), "'chess'.*round-robin"),
        (Plan(format="league", seats=1, entrants=entrants(2)), "at least 2 seats"),
        (Plan(format="swiss", seats=4, entrants=entrants(3)), r"swiss.*\b4 seats.*\b4 bots.*\b3\b"),
        (Plan(format="league", seats=2, entrants=entrants(2) + entrants(1)), "bot0: entered.*once"),
        (Plan(format="knockout", seats=2, entrants=(*entrants(2), Entrant(name="x", joined=1))), "x: nobody can join"),
        (Plan(format="swiss", seats=2, entrants=entrants(3), rounds=0), "at least 1 round"),
        (Plan(format="knockout", seats=2, entrants=entrants(3), max_legs=0), "at least 1 leg"),
        (Plan(format="ladder", seats=2, entrants=entrants(3), rounds=-1), "at least 1 round"),
        (
            Plan(format="gauntlet", seats=2, entrants=tuple(Entrant(name=name, hero=True) for name in "abc")),
            r"\b1 challengers.*\b0\b",
        ),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused(plan: Plan, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Schedule(plan)


def test_too_few_bots_are_refused_in_every_format() -> None:
    for name in ("round-robin", "gauntlet", "swiss", "knockout", "league", "ladder"):
        for seats in (2, 3, 4, 5):
            with pytest.raises(ConfigError, match=rf"{name}.*\b{seats} bots.*\b{seats - 1}\b"):
                Schedule(Plan(format=name, seats=seats, entrants=entrants(seats - 1)))


@settings(deadline=None)
@given(names=st.sets(st.text("abcxyz", min_size=1), min_size=2), seed=st.text())
def test_a_bot_that_leaves_does_not_move_the_lots_of_others(names: set[str], seed: str) -> None:
    order = by_lot(seed, "purpose", names)
    assert by_lot(seed, "purpose", names - {order[0]}) == order[1:]


GOLDEN = ["bot3", "bot4", "bot5", "bot7", "bot2", "bot1", "bot0", "bot6"]


def test_lots_hang_on_seed_and_purpose_and_are_the_same_everywhere() -> None:
    names = [f"bot{number}" for number in range(8)]
    assert by_lot("7", "wave 1", names) == GOLDEN
    assert by_lot("8", "wave 1", names) != GOLDEN
    assert by_lot("7", "wave 2", names) != GOLDEN


def test_a_knockout_among_equals_takes_more_than_the_least_number() -> None:
    """16 bots: 16 ties of one block were forecast, and level ties made it nearly twice as many."""
    found = forecast(Plan(format="knockout", seats=2, entrants=entrants(16), rounds=1, seed="s"))
    assert found.blocks == 16
    assert found.among_equals is not None
    assert 25 < found.among_equals < 35
    league = forecast(Plan(format="league", seats=2, entrants=entrants(16), rounds=3, seed="s"))
    assert league.among_equals is None
