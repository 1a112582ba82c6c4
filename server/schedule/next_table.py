"""The next table of a lobby, where bots come and go and any free bot can be seated at once.

First comes a bot that was passed over too often, then a newcomer, then the one that waited longest. Its opponents are
those that make the table most informative (`elo.information`). So **no bot starves**: a free bot is seated after
PATIENCE tables per candidate at the latest, whoever else comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.schedule.elo import information, uncertainty

NEWCOMER_MATCHES = 10
"""A bot with fewer matches is a newcomer."""

PATIENCE = 4
"""Tables per candidate for which a bot may be passed over in favour of newcomers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A bot that can be seated now."""

    name: str
    matches: int
    """Matches it has played or is playing."""
    elo: int
    waited: int
    """Tables filled since its last match, or since it came."""


def next_table(
    candidates: Sequence[Candidate], seats: int, meetings: Callable[[str, str], int]
) -> tuple[str, ...] | None:
    """The bots that play together next, in no order of seats. None: they are too few."""
    if len(candidates) < seats:
        return None
    limit = PATIENCE * len(candidates)

    def turn(one: Candidate) -> tuple[bool, bool, int, int, str]:
        return one.waited >= limit, one.matches < NEWCOMER_MATCHES, one.waited, -one.matches, one.name

    free = sorted(candidates, key=turn, reverse=True)
    table = [free.pop(0)]
    while len(table) < seats:

        def gained(one: Candidate) -> int:
            return sum(
                information(
                    abs(one.elo - other.elo),
                    uncertainty(one.matches),
                    uncertainty(other.matches),
                    meetings(one.name, other.name),
                )
                for other in table
            )

        best = max(free, key=gained)  # among equals, the one whose turn comes first
        free.remove(best)
        table.append(best)
    return tuple(one.name for one in table)
