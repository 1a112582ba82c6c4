"""Places in charts, and brackets read from matches."""

from __future__ import annotations

import pytest

from server.charts import CurvePoint, Interval, make_axis, make_curve, shade, tick_step
from server.web.bracket import make_bracket
from tortuga.v1 import arena_pb2 as pb


def interval(low: float, high: float) -> Interval:
    return Interval(low=low, middle=(low + high) / 2, high=high)


@pytest.mark.parametrize(("span", "step"), [(0, 1), (6, 1), (60, 10), (100, 20), (900, 200), (3000, 500)])
def test_tick_step(span: float, step: int) -> None:
    assert tick_step(span) == step


def test_an_axis_holds_all_intervals_between_round_ends() -> None:
    axis = make_axis([interval(912, 1033), interval(700, 800)])
    assert axis is not None
    assert (axis.low, axis.high) == (700, 1100)
    assert axis.percent(700) == 0
    assert axis.percent(1100) == 100
    assert axis.percent(5000) == 100


def test_one_number_without_doubt_has_an_axis_too() -> None:
    axis = make_axis([interval(1000, 1000)])
    assert axis is not None
    assert axis.high > axis.low
    assert make_axis([]) is None


def test_a_curve_stays_in_its_frame() -> None:
    points = [CurvePoint(x=float(x), interval=interval(900 - x, 1100 + x), words=str(x)) for x in (1, 4, 9)]
    curve = make_curve(points)
    assert curve is not None
    places = [tuple(map(float, pair.split(","))) for pair in f"{curve.line} {curve.band}".split()]
    assert all(0 <= x <= 1000 and 0 <= y <= 300 for x, y in places)
    assert make_curve(points[:1]) is None


@pytest.mark.parametrize(("score", "name"), [(0, "lost5"), (0.49, "level"), (0.5, "level"), (0.6, "won1"), (1, "won5")])
def test_shades(score: float, name: str) -> None:
    assert shade(score) == name


def played(label: str, stage: int, block: int, winner: str, loser: str) -> pb.MatchInfo:
    seats = [pb.MatchSeat(entry=winner, rank=1), pb.MatchSeat(entry=loser, rank=2)]
    return pb.MatchInfo(match_id=f"m{block}", label=label, stage=stage, block=block, seats=seats)


def test_a_bracket_gathers_the_legs_of_ties_in_their_rounds() -> None:
    matches = [
        played("final", 2, 5, "ann", "bob"),
        played("third place", 2, 6, "cid", "dan"),
        played("semi-final 2", 0, 1, "bob", "dan"),
        played("semi-final 1", 0, 0, "ann", "cid"),
        played("semi-final 1, leg 2", 1, 2, "ann", "cid"),
    ]
    rounds = make_bracket(matches)
    assert [(one.name, [tie.name for tie in one.ties]) for one in rounds] == [
        ("semi-final", ["semi-final 1", "semi-final 2"]),
        ("final", ["final", "third place"]),
    ]
    assert rounds[0].ties[0].order == [("ann", 2.0), ("cid", 0.0)]
