"""Reports the progress of a run. server/cli/common/progress.py prints it; an arena keeps count of it."""

from __future__ import annotations

from collections.abc import Iterable

from server.play.summary import MatchSummary
from server.system.logs import get_logger
from server.tournament.agreement import Agreement
from server.tournament.live_ladder import Quarantine

log = get_logger()


class Listener:
    """Follows a run. This one ignores everything but warnings, which it logs; subclasses override what they need."""

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Called when play begins, or continues after these matches."""

    def end(self) -> None:
        """Called when play has stopped."""

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Called when a result is durable."""

    def quarantined(self, contest: str, what: Quarantine) -> None:
        """Called when a bot failed too often and plays no further."""
        self.warned(
            f"QUARANTINE: {what.bot} failed in {what.faulted} of {what.matches} matches of {contest} "
            "and no longer plays in it"
        )

    def noted(self, text: str) -> None:
        """Called with something that people may like to know."""

    def warned(self, text: str) -> None:
        """Called when something is wrong, and the event continues."""
        log.warning("event", what=text)

    def enough(self) -> bool:
        """Return whether the matches played suffice, so that no further block needs to begin."""
        return False
