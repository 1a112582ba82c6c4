"""What people see while an event runs: one line per match when piped. On a terminal, see screen.py."""

from __future__ import annotations

from collections.abc import Iterable

import click

from referee.rules.infos import end_words
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement
from server.tournament.listener import Listener


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

    def noted(self, text: str) -> None:
        """On stderr."""
        echo(f"tortuga: {text}")

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """`Finished match 12 of 200 (A vs B): …`."""
        names = " vs ".join(seat.bot for seat in match.seats)
        ranks = "-".join(map(str, match.ranks))
        faults = "".join(f"; {fault.bot}: {fault.kind}" for fault in match.faults)
        of = f" of {planned}" if planned is not None else ""
        click.echo(
            f"Finished match {done}{of} ({names}): ranks {ranks} {{{end_words(match.reason)}}} {match.match_id}{faults}"
        )


def echo(text: str) -> None:
    """Progress goes to stderr: stdout is for the result."""
    click.echo(text, err=True)


def commitment_line(agreement: Agreement) -> str:
    """The commitment, shown before the first match: the seed cannot be changed afterwards."""
    return (
        f"all luck follows from a seed with the SHA-256 {agreement.commitment}; it is published when the event is over"
    )
