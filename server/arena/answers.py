"""How long bots took to answer lately: what tells an organiser whether the machine keeps up."""

from __future__ import annotations

from collections import deque

from referee import clock
from referee.match import MatchResult, Source

WINDOW_SECONDS = 60.0
KEPT = 100_000


class AnswerTimes:
    """The answers of the last minute, as far as their matches are over."""

    def __init__(self) -> None:
        self._last: deque[tuple[float, float]] = deque(maxlen=KEPT)

    def add(self, result: MatchResult) -> None:
        """All answers of a match."""
        now = clock.now()
        for moment in result.moments:
            self._last.extend((now, answer.seconds) for answer in moment.answers if answer.source is Source.BOT)

    def shares(self, *shares: float) -> list[float]:
        """The time within which each share of the answers came, in seconds; 0 where there was none."""
        since = clock.now() - WINDOW_SECONDS
        while self._last and self._last[0][0] < since:
            self._last.popleft()
        times = sorted(seconds for _, seconds in self._last)
        return [times[min(len(times) - 1, int(share * len(times)))] if times else 0.0 for share in shares]
