"""Measures how long bots took to answer in the last minute, which shows an organiser whether the machine keeps up.

A thousand answers a second are too many to keep. Each second has a histogram instead, in steps of ten percent, so the
percentiles are right to ten percent.
"""

from __future__ import annotations

import math
from collections import Counter, deque

from referee.match import clock
from referee.match.match import MatchResult, Source

WINDOW_SECONDS = 60
STEP = math.log(1.1)
SHORTEST_SECONDS = 1e-5


class AnswerTimes:
    """The answers of matches that ended within the last minute."""

    def __init__(self) -> None:
        self._rows: deque[tuple[int, Counter[int]]] = deque()

    def add(self, result: MatchResult) -> None:
        """Add all answers of a match."""
        second = int(clock.now())
        if not self._rows or self._rows[-1][0] != second:
            self._rows.append((second, Counter()))
        self._drop_old(second)
        log, row = math.log, self._rows[-1][1]
        for moment in result.moments:
            for answer in moment.answers:
                if answer.source is Source.BOT:
                    row[math.ceil(log(max(1.0, answer.seconds / SHORTEST_SECONDS)) / STEP)] += 1

    def percentiles(self, *shares: float) -> list[float]:
        """The time within which each share of the answers came, in seconds; 0 without answers."""
        self._drop_old(int(clock.now()))
        total: Counter[int] = Counter()
        for _, row in self._rows:
            total.update(row)
        return [self._within(total, share) for share in shares]

    @staticmethod
    def _within(counts: Counter[int], share: float) -> float:
        wanted, seen = share * counts.total(), 0
        for step in sorted(counts):
            seen += counts[step]
            if seen >= wanted:
                return SHORTEST_SECONDS * math.exp(STEP * step)
        return 0.0

    def _drop_old(self, second: int) -> None:
        while self._rows and self._rows[0][0] < second - WINDOW_SECONDS:
            self._rows.popleft()
