"""Computes the coordinates of SVG charts for pages and reports. Their styles are classes in the stylesheet.

Rows of intervals share one axis; places on it are percentages, so a chart is as wide as its cell. Curves have a frame
of 1000 x 300 units that is stretched to the space there is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STYLE = Path(__file__).with_name("charts.css")
TEMPLATE = Path(__file__).with_name("charts.html.j2")
"""The looks of charts, and charts as SVG."""
WIDTH, HEIGHT = 1000, 300
"""The frame of a curve."""
SHADES = 5
"""How many shades there are on either side of a level score."""


def tick_step(span: float) -> int:
    """Return a round step that gives about six ticks."""
    rough = max(span / 6, 1)
    power = 10 ** math.floor(math.log10(rough))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """An estimate with the ends of its interval. Without doubt, all three are equal."""

    low: float
    middle: float
    high: float
    open_low: bool = False
    open_high: bool = False
    """Where an end is open, its number only makes room on the axis: the line goes on to the axis's own end."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale with round ends."""

    low: float
    high: float
    step: int

    @property
    def ticks(self) -> list[int]:
        """Return the round numbers on it."""
        return list(range(round(self.low), round(self.high) + 1, self.step))

    def percent(self, value: float) -> float:
        """Return the place of a value, in percent of the width."""
        return round(100 * self.share(value), 2)

    def share(self, value: float) -> float:
        """Return the place of a value, from 0 to 1. Values beyond the ends are at the ends."""
        return min(max((value - self.low) / max(self.high - self.low, 1e-9), 0.0), 1.0)


def make_axis(intervals: Sequence[Interval]) -> Axis | None:
    """Return the axis that shows all of these; None if there are none."""
    if not intervals:
        return None
    low, high = min(interval.low for interval in intervals), max(interval.high for interval in intervals)
    step = tick_step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return Axis(low, max(high, low + step), step)


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvePoint:
    """A point of a curve: where it is on the x-axis, and its interval."""

    x: float
    interval: Interval
    words: str
    """Text that is shown when it is pointed at."""
    is_new: bool = False
    """Something begins here: another version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """A line with its band, in a frame of WIDTH x HEIGHT."""

    line: str
    """The points of a polyline."""
    band: str
    """The points of a polygon."""
    dots: tuple[tuple[float, float, str, bool], ...]
    """Percentages from the left and from the top, words, and whether something begins there."""
    ticks: tuple[tuple[float, int], ...]
    """Percentages from the top, and the numbers there."""


def make_curve(points: Sequence[CurvePoint]) -> Curve | None:
    """Return the curve through these points; None if there are fewer than two."""
    axis = make_axis([point.interval for point in points])
    if axis is None or len(points) < 2:
        return None
    first, last = points[0].x, max(points[-1].x, points[0].x + 1e-9)

    def place(x: float, y: float) -> tuple[float, float]:
        return round(WIDTH * (x - first) / (last - first), 1), round(HEIGHT * (1 - axis.share(y)), 1)

    middles = [place(point.x, point.interval.middle) for point in points]
    upper = [place(point.x, point.interval.high) for point in points]
    lower = [place(point.x, point.interval.low) for point in points]
    return Curve(
        line=_join(middles),
        band=_join([*upper, *reversed(lower)]),
        dots=tuple(
            (round(100 * x / WIDTH, 2), round(100 * y / HEIGHT, 2), point.words, point.is_new)
            for (x, y), point in zip(middles, points, strict=True)
        ),
        ticks=tuple((round(100 - axis.percent(tick), 2), tick) for tick in axis.ticks),
    )


def shade(score: float) -> str:
    """Return the class of a cell by a score from 0 to 1: lost5 to lost1, level, won1 to won5."""
    step = round((score - 0.5) * 2 * SHADES)
    return f"won{step}" if step > 0 else f"lost{-step}" if step < 0 else "level"


def _join(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
