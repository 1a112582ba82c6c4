"""Shows the progress of an event: one line per match when piped; on a terminal a bar and the standings.

rich is imported when something is drawn: an event that is piped does without it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from referee.rules.infos import end_words
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement
from server.tournament.listener import Listener

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

    from server.tournament.rating_input import RatingInput

REDRAW_SECONDS = 2.0
"""Shortest time between two computations of the standings. They never take more than a twentieth of the time."""

RATE_SECONDS, SETTLED_SECONDS = 30.0, 3.0
"""The rate is measured over the last RATE_SECONDS, and shown once SETTLED_SECONDS have passed."""


class QuietListener(Listener):
    """Prints warnings only."""

    def warned(self, text: str) -> None:
        """Print a warning on stderr."""
        click.echo(f"tortuga: {text}", err=True)


class LineListener(QuietListener):
    """Prints one line per match, as chess tools do."""

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Print the commitment to the seed."""
        click.echo(commitment_line(agreement), err=True)

    def noted(self, text: str) -> None:
        """Print a note on stderr."""
        echo(f"tortuga: {text}")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Print `Finished match 12 of 200 (A vs B): …`."""
        names = " vs ".join(seat.bot for seat in match.seats)
        ranks = "-".join(map(str, match.ranks))
        faults = "".join(f"; {fault.bot}: {fault.kind}" for fault in match.faults)
        of = f" of {planned}" if planned is not None else ""
        click.echo(
            f"Finished match {done}{of} ({names}): ranks {ranks} {{{end_words(match.reason)}}} {match.match_id}{faults}"
        )


def echo(text: str) -> None:
    """Print progress on stderr: stdout is for the result."""
    click.echo(text, err=True)


def commitment_line(agreement: Agreement) -> str:
    """Return the commitment as text. It is shown before the first match: the seed cannot be changed afterwards."""
    return (
        f"all luck follows from a seed with the SHA-256 {agreement.commitment}; it is published when the event is over"
    )


class ScreenListener(QuietListener):
    """Shows a bar, the rate, the time left, and the standings of the contest that is being played."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        self._agreement: Agreement | None = None
        self._inputs: dict[str, RatingInput] = {}
        self._unrated: list[MatchSummary] = []
        """Matches since the standings were last drawn."""
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
        """Print a note above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False)

    def warned(self, text: str) -> None:
        """Print a warning above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False, style="yellow")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Update the bar, and now and then the standings."""
        from rich.console import Group

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
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        span = now - self._times[0]
        rate = (len(self._times) - 1) / span if span > SETTLED_SECONDS else 0.0
        text = f"{done} of {planned} matches" if planned is not None else f"{done} matches"
        text += f", {rate:.1f}/s" if rate else ""
        if planned is not None and rate:
            text += f", {duration((planned - done) / rate)} left"
        bar = ProgressBar(total=planned, completed=done, width=60) if planned else Text()
        return Group(Text(text), bar, Text())

    def _draw_table(self, contest_id: str) -> None:
        # Import late: ratings need numpy, and no match should wait for that.
        from server.cli.common.printed_standings import EXTRA, ladder_title, row_grid
        from server.standings.messages import ladder_rows
        from server.tournament.standings import make_ladder

        assert self._agreement is not None
        self._rate(self._unrated)
        self._unrated = []
        ladder = make_ladder(self._agreement, self._inputs[contest_id], {})
        self._table = row_grid(ladder_rows(ladder), ladder_title(ladder), leave_out=EXTRA)

    def _rate(self, matches: Iterable[MatchSummary]) -> None:
        """Add matches to the input of the ratings."""
        for match in matches:
            if match.contest not in self._inputs:
                from server.tournament.rating_input import new_rating_input

                assert self._agreement is not None
                contests = {contest.id: contest for contest in self._agreement.manifest.contests}
                self._inputs[match.contest] = new_rating_input(self._agreement, contests[match.contest])
            self._inputs[match.contest].add(match)


def duration(seconds: float) -> str:
    """Return a duration as text."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
