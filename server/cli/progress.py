"""What people see while an event runs: a progress bar and tables on a terminal, one line per match when piped."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from server.cli.ladder_tables import EXTRA, ladder_table
from server.tournament.agreement import Agreement
from server.tournament.listener import Listener
from server.tournament.rating_input import RatingInput, new_rating_input
from server.tournament.sequential import SequentialTest
from server.tournament.standings import make_ladder
from server.tournament.summary import MatchSummary

REDRAW_SECONDS = 2.0
"""Shortest time between two computations of the tables. They never take more than a twentieth of the time."""

RATE_SECONDS, SETTLED_SECONDS = 30.0, 3.0
"""The rate is measured over the last RATE_SECONDS, and shown once SETTLED_SECONDS have passed."""


class QuietListener(Listener):
    """Prints warnings only."""

    def warned(self, text: str) -> None:
        """On stderr."""
        click.echo(f"tortuga: {text}", err=True)


class LineListener(QuietListener):
    """One line per match, as chess tools print them."""

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Print the commitment to the seed."""
        click.echo(commitment_line(agreement), err=True)

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """`Finished match 12 of 200 (A vs B): …`."""
        names = " vs ".join(seat.bot for seat in match.seats)
        ranks = "-".join(map(str, match.ranks))
        faults = "".join(f"; {fault.bot}: {fault.kind}" for fault in match.faults)
        of = f" of {planned}" if planned is not None else ""
        click.echo(f"Finished match {done}{of} ({names}): ranks {ranks} {{{match.reason}}} {match.match_id}{faults}")


class ScreenListener(QuietListener):
    """A bar, the rate, the time left, and the table of the contest that is being played."""

    def __init__(self) -> None:
        self._agreement: Agreement | None = None
        self._inputs: dict[str, RatingInput] = {}
        self._times: deque[float] = deque()
        self._table: RenderableType = Text()
        self._next_draw = 0.0
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Take over the terminal."""
        self._agreement = agreement
        self._inputs = {contest.id: new_rating_input(agreement, contest) for contest in agreement.manifest.contests}
        for match in matches:
            self._inputs[match.contest].add(match)
        self._live.console.print(commitment_line(agreement), markup=False, highlight=False)
        self._live.start()

    def end(self) -> None:
        """Release the terminal."""
        self._live.stop()

    def warned(self, text: str) -> None:
        """Above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False, style="yellow")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Update the bar, and now and then the table."""
        self._inputs[match.contest].add(match)
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
        assert self._agreement is not None
        self._table = ladder_table(make_ladder(self._agreement, self._inputs[contest_id], {}), leave_out=EXTRA)


class SprtListener(QuietListener):
    """Feeds a sequential test, prints its state now and then, and ends the run at the verdict."""

    def __init__(self, test: SequentialTest, say: Callable[[str], None], every: int = 10) -> None:
        self._test = test
        self._say = say
        self._every = every
        self._told = 0

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Count the matches of earlier runs."""
        for match in matches:
            self._test.add(match)

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Count it, and print the state after every few blocks."""
        if self._test.add(match) and self._test.sprt.blocks >= self._told + self._every:
            self._told = self._test.sprt.blocks
            self._say(self._test.line())

    def enough(self) -> bool:
        """Whether there is a verdict."""
        return self._test.sprt.verdict is not None


def echo(text: str) -> None:
    """Progress goes to stderr: stdout is for the result."""
    click.echo(text, err=True)


def commitment_line(agreement: Agreement) -> str:
    """The commitment, shown before the first match: the seed cannot be changed afterwards."""
    return f"all luck follows from a seed with the SHA-256 {agreement.commitment}; it is told when the event is over"


def duration(seconds: float) -> str:
    """A duration in words."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def make_listener(*, quiet: bool) -> QuietListener:
    """The listener that suits where the output goes."""
    if quiet:
        return QuietListener()
    return ScreenListener() if sys.stderr.isatty() and sys.stdout.isatty() else LineListener()
