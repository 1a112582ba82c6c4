"""Rough strengths for drawing a ladder: a small Elo in whole numbers.

Only for choosing tables; the ratings that people see are in server/ratings. The expected score is rounded to a
thousandth for whole differences, far from any rounding edge (a test says how far), so that every machine draws the same
waves.
"""

from __future__ import annotations

from collections.abc import Mapping

from server.schedule.plan import PlayedBlock

START = 1_500_000
"""A newcomer's strength, in thousandths of Elo."""

WIDEST = 1200
"""Larger differences count as this one."""

EXPECTED = [round(1000 / (1 + 10 ** (-gap / 400))) for gap in range(WIDEST + 1)]
"""By the difference in Elo, the stronger one's expected score in thousandths."""

INFORMATION = [score * (1000 - score) for score in EXPECTED]
"""By the difference in Elo, p (1 - p) in millionths: the information of one meeting."""

EARLY_BLOCKS = 8


def uncertainty(blocks: int) -> int:
    """The uncertainty about a bot after this many blocks, in millionths."""
    return 1_000_000 // (1 + blocks)


def information(gap: int, one: int, other: int, meetings: int) -> int:
    """What a meeting of two bots tells: from their difference in Elo, the uncertainty of each, and how often they met.

    It is highest between equals, between bots of which little is known, and between bots that have rarely met, so that
    all bots stay connected by meetings.
    """
    return INFORMATION[min(WIDEST, gap)] * (one + other) // (1 + meetings)


def expected(one: int, other: int) -> int:
    """The first one's expected score against the other in thousandths; strengths in thousandths of Elo."""
    gap = (one - other) // 1000 if one >= other else -((other - one) // 1000)
    gap = max(-WIDEST, min(WIDEST, gap))
    return EXPECTED[gap] if gap >= 0 else 1000 - EXPECTED[-gap]


class Strengths:
    """Strengths that move with each block."""

    def __init__(self) -> None:
        self._now: dict[str, int] = {}
        self._blocks: dict[str, int] = {}

    def add(self, played: PlayedBlock) -> None:
        """Move the bots of a block by what they scored against what was expected."""
        if played.half_points is None:
            return
        bots = played.block.bots
        seats = len(bots)
        before = [self._now.get(bot, START) for bot in bots]
        for at, (bot, points) in enumerate(zip(bots, played.half_points, strict=True)):
            due = sum(expected(before[at], other) for place, other in enumerate(before) if place != at)
            blocks = self._blocks.get(bot, 0)
            step = 96 if blocks < EARLY_BLOCKS else 32
            # Both shares in thousandths: points of 2 * seats * (seats - 1), due of 1000 * (seats - 1).
            self._now[bot] = before[at] + step * (500 * points - seats * due) // (seats * (seats - 1))
            self._blocks[bot] = blocks + 1

    def get(self) -> Mapping[str, int]:
        """Strengths in thousandths of Elo. A missing bot never played."""
        return self._now
