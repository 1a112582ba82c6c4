"""The next table of a lobby, where bots come and go and whoever is free can be seated at once.

Whose turn it is sits down first: who has been passed over too often, then newcomers, then who has waited longest. Its
partners are those against whom the table tells most (`elo.information`). So **nobody starves**: a free bot is seated
after PATIENCE tables for each candidate at the latest, whoever else comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.schedule.elo import information, uncertainty

NEWCOMER_MATCHES = 10
"""Who has played fewer is a newcomer."""

PATIENCE = 4
"""Tables for each candidate that may be passed over before newcomers have to stand back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A bot that could sit down now."""

    name: str
    matches: int
    """That it has played or plays."""
    elo: int
    waited: int
    """Tables that were filled since it last sat down, or came."""


def next_table(
    candidates: Sequence[Candidate], seats: int, meetings: Callable[[str, str], int]
) -> tuple[str, ...] | None:
    """Who plays together next, or None if they are too few; in no order of seats."""
    if len(candidates) < seats:
        return None
    limit = PATIENCE * len(candidates)

    def turn(one: Candidate) -> tuple[bool, bool, int, int, str]:
        return one.waited >= limit, one.matches < NEWCOMER_MATCHES, one.waited, -one.matches, one.name

    free = sorted(candidates, key=turn, reverse=True)
    table = [free.pop(0)]
    while len(table) < seats:

        def tells(one: Candidate) -> int:
            return sum(
                information(
                    abs(one.elo - other.elo),
                    uncertainty(one.matches),
                    uncertainty(other.matches),
                    meetings(one.name, other.name),
                )
                for other in table
            )

        best = max(free, key=tells)  # among equals, whose turn comes first
        free.remove(best)
        table.append(best)
    return tuple(one.name for one in table)
