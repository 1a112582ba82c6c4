"""What people see on a terminal while an event runs: a progress bar and the table of the ladder."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from server.cli.common.progress import QuietListener, commitment_line
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement

if TYPE_CHECKING:
    from server.tournament.rating_input import RatingInput

REDRAW_SECONDS = 2.0
"""Shortest time between two computations of the tables. They never take more than a twentieth of the time."""

RATE_SECONDS, SETTLED_SECONDS = 30.0, 3.0
"""The rate is measured over the last RATE_SECONDS, and shown once SETTLED_SECONDS have passed."""


class ScreenListener(QuietListener):
    """A bar, the rate, the time left, and the table of the contest that is being played."""

    def __init__(self) -> None:
        self._agreement: Agreement | None = None
        self._inputs: dict[str, RatingInput] = {}
        self._unrated: list[MatchSummary] = []
        """Matches since the table was last drawn."""
        self._times: deque[float] = deque()
        self._table: RenderableType = Text()
        self._next_draw = 0.0
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Take over the terminal."""
        self._agreement = agreement
        self._rate(matches)
        self._live.console.print(commitment_line(agreement), markup=False, highlight=False)
        self._live.start()

    def end(self) -> None:
        """Release the terminal."""
        self._live.stop()

    def noted(self, text: str) -> None:
        """Above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False)

    def warned(self, text: str) -> None:
        """Above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False, style="yellow")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Update the bar, and now and then the table."""
        self._unrated.append(match)
        now = time.monotonic()
        self._times.append(now)
        while self._times[0] < now - RATE_SECONDS:
            self._times.popleft()
        if now >= self._next_draw:
            self._draw_table(match.contest)
            self._next_draw = time.monotonic() + max(REDRAW_SECONDS, 20 * (time.monotonic() - now))
        self._live.update(Group(self._bar(now, done, planned), self._table))

    def _bar(self, now: float, done: int, planned: int | None) -> Group:
        span = now - self._times[0]
        rate = (len(self._times) - 1) / span if span > SETTLED_SECONDS else 0.0
        words = f"{done} of {planned} matches" if planned is not None else f"{done} matches"
        words += f", {rate:.1f}/s" if rate else ""
        if planned is not None and rate:
            words += f", {duration((planned - done) / rate)} left"
        bar = ProgressBar(total=planned, completed=done, width=60) if planned else Text()
        return Group(Text(words), bar, Text())

    def _draw_table(self, contest_id: str) -> None:
        # Lazily: ratings need numpy, and no match waits for that.
        from server.cli.common.ladder_tables import EXTRA, ladder_table
        from server.tournament.standings import make_ladder

        assert self._agreement is not None
        self._rate(self._unrated)
        self._unrated = []
        self._table = ladder_table(make_ladder(self._agreement, self._inputs[contest_id], {}), leave_out=EXTRA)

    def _rate(self, matches: Iterable[MatchSummary]) -> None:
        """Add matches to what the tables are made of."""
        for match in matches:
            if match.contest not in self._inputs:
                from server.tournament.rating_input import new_rating_input

                assert self._agreement is not None
                contest = next(one for one in self._agreement.manifest.contests if one.id == match.contest)
                self._inputs[match.contest] = new_rating_input(self._agreement, contest)
            self._inputs[match.contest].add(match)


def duration(seconds: float) -> str:
    """A duration in words."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
