"""The course of a tuning run as a picture: a frame per parameter, one SVG file that any browser opens."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from server.tuning.spsa import Parameter

WIDTH, FRAME, GAP = 720, 130, 46
LEFT, RIGHT, TOP = 80, 96, 46
MOST_POINTS = 600
"""A line of more points looks no different."""

STYLE = """
svg { background: #fff; font: 13px system-ui, sans-serif }
text { fill: #444 } .title { font-weight: 600; fill: #111 } .frame { fill: none; stroke: #ccc }
.line { fill: none; stroke: #1864ab; stroke-width: 2; stroke-linejoin: round }
.start { stroke: #999; stroke-dasharray: 4 4 }
.end { fill: #1864ab } .value { fill: #1864ab; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  svg { background: #16191d } text { fill: #b8bdc4 } .title { fill: #f1f3f5 } .frame { stroke: #3c434b }
  .line { stroke: #74c0fc } .end, .value { fill: #74c0fc }
}
"""


def draw_run(
    parameters: Sequence[Parameter], history: Sequence[Sequence[float]], *, iterations: int, title: str
) -> str:
    """Draw all parameters over the iterations; `history` begins with the values at the start."""
    height = TOP + len(parameters) * (FRAME + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="24">{escape(title)}</text>',
    ]
    for place, one in enumerate(parameters):
        parts += _frame(one, [values[place] for values in history], iterations, TOP + place * (FRAME + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _frame(one: Parameter, values: Sequence[float], iterations: int, top: float) -> list[str]:
    wide = WIDTH - LEFT - RIGHT
    top += 18

    def x(number: float) -> float:
        return round(LEFT + wide * number / iterations, 1)

    def y(value: float) -> float:
        return round(top + FRAME * (1 - (value - one.low) / (one.high - one.low)), 1)

    apart = max(1, len(values) // MOST_POINTS)
    shown = sorted({*range(0, len(values), apart), len(values) - 1})
    points = " ".join(f"{x(number)},{y(values[number])}" for number in shown)
    last = len(values) - 1
    right = LEFT + wide
    return [
        f'<text class="title" x="{LEFT}" y="{top - 6}">{escape(one.name)}</text>',
        f'<rect class="frame" x="{LEFT}" y="{top}" width="{wide}" height="{FRAME}"/>',
        f'<line class="start" x1="{LEFT}" x2="{right}" y1="{y(one.start)}" y2="{y(one.start)}"/>',
        f'<text x="{LEFT - 8}" y="{top + 10}" text-anchor="end">{one.high:g}</text>',
        f'<text x="{LEFT - 8}" y="{top + FRAME}" text-anchor="end">{one.low:g}</text>',
        f'<text x="{LEFT}" y="{top + FRAME + 16}">0</text>',
        f'<text x="{right}" y="{top + FRAME + 16}" text-anchor="end">{iterations} iterations</text>',
        f'<polyline class="line" points="{points}"/>',
        f'<circle class="end" cx="{x(last)}" cy="{y(values[last])}" r="4"/>',
        f'<text class="value" x="{right + 10}" y="{y(values[last]) + 4}">{escape(one.best(values[last]))}</text>',
    ]
