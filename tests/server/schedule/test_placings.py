"""Placings: points, each tie-break, shared places, the champion in words, and who was disqualified."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.schedule import Entrant, HalfPoints, Plan, Schedule
from server.schedule.forecast import forecast
from server.schedule.placings import Occasion, Placings, place_by_points, place_by_rating, place_by_round
from server.schedule.points import ContestTally
from server.schedule.tie_breaks import BUCHHOLZ, HEAD_TO_HEAD, MARGIN, OF_FORMAT, SONNEBORN_BERGER, WINS

OVER, UNDER_WAY = Occasion(name="cup", over=True), Occasion(name="cup", over=False)


def plan_of(name: str, bots: str, seats: int = 2, rounds: int = 1) -> Plan:
    return Plan(format=name, seats=seats, entrants=tuple(Entrant(name=bot) for bot in bots), rounds=rounds, seed="s")


def tally_of(results: Sequence[str], seats: int = 2) -> ContestTally:
    """`ab` is a win of a over b, `a=b` a draw."""
    tally = ContestTally(seats=seats)
    for result in results:
        bots = result.replace("=", "")
        tally.add_match(bots, [1] * len(bots) if "=" in result else range(1, len(bots) + 1))
    return tally


def order(found: Placings) -> list[tuple[int | None, str, str]]:
    return [(line.place, line.bot, line.decided_by) for line in found.lines]


def test_points_wins_draws_and_losses() -> None:
    found = place_by_points(plan_of("round-robin", "abc"), tally_of(["ab", "a=c", "bc"]), OVER)
    assert [(one.bot, one.points, one.possible, one.wins, one.draws, one.losses) for one in found.lines] == [
        ("a", 1.5, 2, 1, 1, 0),
        ("b", 1, 2, 1, 0, 1),
        ("c", 0.5, 2, 0, 1, 1),
    ]
    assert order(found) == [(1, "a", "points"), (2, "b", "points"), (3, "c", "")]
    assert re.fullmatch(r"a wins cup, 1\.5 of 2 \w+", found.champion)


def test_at_larger_tables_the_first_has_won_and_each_seat_beaten_is_a_point() -> None:
    tally = ContestTally(seats=4)
    tally.add_match("abcd", [1, 2, 2, 4])
    tally.add_match("bcda", [1, 1, 3, 4])
    found = place_by_points(plan_of("league", "abcd", 4), tally, OVER)
    assert [(one.bot, one.points, one.possible, one.wins, one.draws, one.losses) for one in found.lines] == [
        ("b", 4, 6, 0, 1, 1),
        ("c", 4, 6, 0, 1, 1),
        ("a", 3, 6, 1, 0, 1),
        ("d", 1, 6, 0, 0, 2),
    ]
    assert found.champion.startswith("b and c share ")
    assert "cup, 4 of 6 points" in found.champion


def test_head_to_head_decides_first_in_a_round_robin() -> None:
    found = place_by_points(plan_of("round-robin", "abcd"), tally_of(["ba", "ac", "ad", "cb", "bd", "dc"]), OVER)
    assert order(found) == [(1, "b", "head-to-head"), (2, "a", "points"), (3, "d", "head-to-head"), (4, "c", "")]
    assert found.champion.startswith("b wins cup, 2 of 3 points")
    assert found.champion.endswith(" a on head-to-head")
    assert [one.tie_breaks["head_to_head"] for one in found.lines] == [1, 0, 1, 0]


def test_head_to_head_says_nothing_where_not_all_met_equally_often() -> None:
    assert HEAD_TO_HEAD.measure(tally_of(["ab", "bc"]), "abc") is None
    assert HEAD_TO_HEAD.measure(tally_of(["ab", "ab", "bc", "ca"]), "abc") is None
    assert HEAD_TO_HEAD.measure(tally_of(["ab", "bc", "ca"]), "abc") == {"a": 1, "b": 1, "c": 1}


def test_sonneborn_berger_counts_whom_one_has_beaten() -> None:
    tally = tally_of(["ab", "bc", "ca", "ad", "bd", "dc"])
    # a beat b and d, b beat c and d, c beat a, d beat c: points 2, 2, 1, 1.
    assert SONNEBORN_BERGER.measure(tally, "abcd") == {"a": 3, "b": 2, "c": 2, "d": 1}


def test_buchholz_counts_whom_one_has_met() -> None:
    tally = tally_of(["ab", "ab", "cd", "cd"])
    assert BUCHHOLZ.measure(tally, "abcd") == {"a": 0, "b": 2, "c": 0, "d": 2}
    tally.byes["a"] = 1  # worth 2, against a bot with its own 4 points
    assert BUCHHOLZ.measure(tally, "ab") == {"a": 4, "b": 4}
    tally.left_out["a"] = 2  # a block that a ruling took out is like a bye without points
    assert BUCHHOLZ.measure(tally, "a") == {"a": 8}


def test_wins_and_margin() -> None:
    tally = tally_of(["ab", "ba", "c=d", "c=d"])
    assert WINS.measure(tally, "ac") == {"a": 1, "c": 0}
    tally.margin = {"a": 0.1 + 0.2, "c": 0.3}
    values = MARGIN.measure(tally, "acd")
    assert values == {"a": 0.3, "c": 0.3, "d": 0}  # no tie is broken by the last bit of a sum


def test_margin_decides_last_and_equals_share_a_place() -> None:
    tally = tally_of(["a=b", "c=a", "b=c"])
    plan = plan_of("round-robin", "abc")
    assert [line.place for line in place_by_points(plan, tally, OVER).lines] == [1, 1, 1]
    tally.margin = {"a": -1.0, "b": 3.0, "c": -1.0}
    found = place_by_points(plan, tally, UNDER_WAY)
    assert order(found) == [(1, "b", "margin"), (2, "a", ""), (2, "c", "")]
    assert found.champion.startswith("b leads cup, 1 of 2 ")
    assert found.champion.endswith(" a and c on margin")


def test_the_share_decides_where_bots_could_not_make_equally_many_points() -> None:
    tally = tally_of(["ab", "ab", "ac", "ca", "cb"])
    found = place_by_points(plan_of("round-robin", "abc"), tally, OVER)
    assert [(one.bot, one.points, one.possible) for one in found.lines] == [("a", 3, 4), ("c", 2, 3), ("b", 0, 3)]


def test_a_walkover_is_won_by_those_who_are_there() -> None:
    tally = ContestTally(seats=3)
    tally.add_walkover("abc", {"c"}, 3)
    assert [tally.points(bot) / 2 for bot in "abc"] == [4.5, 4.5, 0]
    assert [(tally.wins[bot], tally.draws[bot], tally.losses[bot]) for bot in "abc"] == [
        (0, 3, 0),
        (0, 3, 0),
        (0, 0, 3),
    ]
    tally.add_walkover("abc", set("abc"), 1)
    assert (tally.draws["c"], tally.points("c")) == (1, 2)


def test_who_is_disqualified_has_no_place_and_stands_last() -> None:
    tally = tally_of(["ab", "ac", "bc"])
    found = place_by_points(plan_of("round-robin", "abc"), tally, OVER, {"a": "disqualified: why"}, ["note"])
    assert [(line.place, line.bot, line.note) for line in found.lines] == [
        (1, "b", ""),
        (2, "c", ""),
        (None, "a", "disqualified: why"),
    ]
    assert found.champion.startswith("b wins cup")
    assert found.notes == ("note",)
    assert place_by_points(plan_of("round-robin", "abc"), ContestTally(seats=2), OVER).champion == ""


def test_a_ladder_goes_by_its_ratings() -> None:
    found = place_by_rating(tally_of(["ab"]), [("a", 1100.0), ("b", 900.0), ("c", 800.0)], "a is first", {"a": "out"})
    assert [(line.place, line.bot, line.rating) for line in found.lines] == [
        (1, "b", 900),
        (2, "c", 800),
        (None, "a", 1100),
    ]


def knockout(results: dict[int, HalfPoints | None], out: str = "") -> Placings:
    plan = plan_of("knockout", "abcd")
    bracket = Schedule(plan).bracket(results)
    assert bracket is not None
    over = Schedule(plan).is_over(results)
    return place_by_round(tally_of(["ab"]), bracket, Occasion(name="cup", over=over), dict.fromkeys(out, "gone"))


def test_a_knockout_goes_by_the_round_reached() -> None:
    assert re.fullmatch(r"still .*: a, b, c and d", knockout({0: (4, 0)}).champion)
    whole: dict[int, HalfPoints | None] = {0: (4, 0), 1: (4, 0), 2: (3, 1), 3: (4, 0)}
    found = knockout(whole)
    assert [(one.place, one.bot, one.round_reached, one.points) for one in found.lines] == [
        (1, "a", "final", None),
        (2, "b", "final", None),
        (3, "c", "third place", None),
        (4, "d", "third place", None),
    ]
    assert re.fullmatch(r"a wins cup, .*\bb\b.*, 1\.5 \w+ 0\.5", found.champion)
    ruled = knockout(whole, "a")
    assert [(one.place, one.bot) for one in ruled.lines] == [(1, "b"), (2, "c"), (3, "d"), (None, "a")]
    assert re.fullmatch(r"b wins cup\b.*disqualified", ruled.champion)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), max_size=40),
    st.sampled_from(sorted(OF_FORMAT)),
)
def test_places_are_those_of_a_competition_and_follow_the_keys(games: list[tuple[int, int, int]], name: str) -> None:
    tally = ContestTally(seats=2)
    for one, other, won in games:
        if one != other:
            ranks = {0: [1, 2], 1: [1, 1], 2: [2, 1]}[won]
            tally.add_match(("abcdef"[one], "abcdef"[other]), ranks)
    found = place_by_points(plan_of(name, "abcdef"), tally, OVER)
    assert sorted(line.bot for line in found.lines) == list("abcdef")
    for at, line in enumerate(found.lines):
        assert line.place is not None
        assert line.place <= at + 1
        if at:
            before = found.lines[at - 1]
            assert (line.place == before.place) == (before.decided_by == "")
            assert line.place in (before.place, at + 1)
    shares = [(line.points or 0) / line.possible if line.possible else 0 for line in found.lines]
    assert shares == sorted(shares, reverse=True)
    assert sum(line.points or 0 for line in found.lines) == sum(one != other for one, other, _ in games)


# What an event will take


@pytest.mark.parametrize(
    ("name", "bots", "rounds", "blocks", "per_bot"),
    [
        ("round-robin", 5, 2, 20, {8}),
        ("gauntlet", 5, 2, 8, {8, 2}),
        ("swiss", 5, 3, 6, {2, 3}),
        ("league", 4, 3, 6, {3}),
        ("knockout", 4, 1, 4, {2}),
    ],
)
def test_forecasts(name: str, bots: int, rounds: int, blocks: int, per_bot: set[int]) -> None:
    found = forecast(plan_of(name, "abcdefgh"[:bots], rounds=rounds))
    assert found.blocks == blocks
    assert set(found.per_bot.values()) == per_bot
    assert sum(found.per_bot.values()) == 2 * blocks
    assert found.exact == (name not in ("swiss", "knockout"))


def test_an_endless_ladder_has_no_forecast() -> None:
    assert forecast(plan_of("ladder", "abcd", rounds=0)).blocks is None
