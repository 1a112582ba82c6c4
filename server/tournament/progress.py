"""What people see while an event runs: a bar and the present tables on a terminal, one line per match when piped."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from server.tournament.folder import Agreement
from server.tournament.live_ladder import Quarantine
from server.tournament.rating_input import RatingInput, new_rating_input
from server.tournament.show import EXTRA, ladder_table
from server.tournament.standings import make_ladder
from server.tournament.summary import MatchSummary

REDRAW_SECONDS = 2.0
"""The tables are computed anew this often at most, and never for more than a twentieth of the time."""

RATE_SECONDS, SETTLED_SECONDS = 30.0, 3.0
"""The rate is that of the last so many seconds; before the second, nothing is said."""


class Quiet:
    """Says only what has to be said."""

    def begin(self, agreement: Agreement, matches: Sequence[MatchSummary]) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Nothing."""

    def enough(self) -> bool:
        """Play all of it."""
        return False

    def quarantined(self, contest: str, what: Quarantine) -> None:
        """Loudly."""
        self.warned(
            f"QUARANTINE: {what.bot} failed in {what.faulted} of {what.matches} matches of {contest} "
            "and plays no further in it"
        )

    def warned(self, text: str) -> None:
        """On stderr."""
        click.echo(f"tortuga: {text}", err=True)


class Lines(Quiet):
    """One line per match, as chess tools print them."""

    def begin(self, agreement: Agreement, matches: Sequence[MatchSummary]) -> None:
        """What anybody can hold us to."""
        click.echo(promise(agreement), err=True)

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """`Finished match 12 of 200 (A vs B): …`."""
        names = " vs ".join(seat.bot for seat in match.seats)
        ranks = "-".join(map(str, match.ranks))
        faults = "".join(f"; {fault.bot}: {fault.kind}" for fault in match.faults)
        of = f" of {planned}" if planned is not None else ""
        click.echo(f"Finished match {done}{of} ({names}): ranks {ranks} {{{match.reason}}} {match.match_id}{faults}")


class Screen(Quiet):
    """A bar, the rate, the time left, and the table of the contest that is being played."""

    def __init__(self) -> None:
        self._agreement: Agreement | None = None
        self._sheets: dict[str, RatingInput] = {}
        self._times: deque[float] = deque()
        self._table: RenderableType = Text()
        self._next_draw = 0.0
        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)

    def begin(self, agreement: Agreement, matches: Sequence[MatchSummary]) -> None:
        """Take the screen."""
        self._agreement = agreement
        self._sheets = {contest.id: new_rating_input(agreement, contest) for contest in agreement.manifest.contests}
        for match in matches:
            self._sheets[match.contest].add(match)
        self._live.console.print(promise(agreement), markup=False, highlight=False)
        self._live.start()

    def end(self) -> None:
        """Give the screen back."""
        self._live.stop()

    def warned(self, text: str) -> None:
        """Above the bar."""
        self._live.console.print(f"tortuga: {text}", markup=False, highlight=False, style="yellow")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Redraw."""
        self._sheets[match.contest].add(match)
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
        self._table = ladder_table(make_ladder(self._agreement, self._sheets[contest_id], {}), leave_out=EXTRA)


def promise(agreement: Agreement) -> str:
    """Said before the first match: the luck cannot be changed any more."""
    return f"all luck follows from a seed with the SHA-256 {agreement.commitment}; it is told when the event is over"


def duration(seconds: float) -> str:
    """A time left, as people say it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def make_listener(*, quiet: bool) -> Quiet:
    """The one that suits where the output goes."""
    if quiet:
        return Quiet()
    return Screen() if sys.stderr.isatty() and sys.stdout.isatty() else Lines()
