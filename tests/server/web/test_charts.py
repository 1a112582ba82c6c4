"""Places in charts."""

from __future__ import annotations

import pytest

from server.standings.charts import CurvePoint, Interval, make_axis, make_curve, shade, tick_step


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
