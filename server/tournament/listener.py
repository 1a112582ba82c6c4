"""How a run reports its progress. server/cli/common/progress.py prints it; an arena keeps count of it."""

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
        """Play begins, or continues after these matches."""

    def end(self) -> None:
        """Play has stopped."""

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """A result is durable."""

    def quarantined(self, contest: str, what: Quarantine) -> None:
        """A bot failed too often and plays no further."""
        self.warned(
            f"QUARANTINE: {what.bot} failed in {what.faulted} of {what.matches} matches of {contest} "
            "and no longer plays in it"
        )

    def noted(self, text: str) -> None:
        """Something that people may like to know."""

    def warned(self, text: str) -> None:
        """Something is wrong, and the event continues."""
        log.warning("event", what=text)

    def enough(self) -> bool:
        """Whether the matches played suffice, so that no further block needs to begin."""
        return False
