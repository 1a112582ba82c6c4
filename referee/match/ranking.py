"""The ranks and scores of a match in which seats may have failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from referee.rules.engine import Outcome, Seat, rank_by

SAME_TIME_SECONDS = 0.005
"""Two seats that fail at one decision within this time of each other failed at the same time."""


class Elimination(NamedTuple):
    """The time when a seat was put out: the moment of the game, and the time on the clock."""

    moment: int
    at: float


def final_ranks(seats: int, outcome: Outcome | None, out: Mapping[Seat, Elimination]) -> tuple[int, ...]:
    """Rank the seats: those that are out come last, among themselves by who failed later; the others as the game
    ranked them."""
    keys: list[tuple[int, int]] = []
    for number in range(seats):
        seat = Seat(number)
        if seat in out:
            keys.append((0, sum(_is_clearly_before(other, out[seat]) for other in out.values())))
        else:
            keys.append((1, -outcome.ranks[seat] if outcome else 0))
    return rank_by(keys)


def reason_and_scores(outcome: Outcome | None, ranks: tuple[int, ...]) -> tuple[str, tuple[float, ...]]:
    """Return why a match ended and each seat's score: the game's own or, if it was broken off, one point for each
    that was left."""
    if outcome is not None:
        return outcome.reason, outcome.scores
    best = min(ranks)
    share = 1.0 / ranks.count(best)
    return "fault", tuple(share if rank == best else 0.0 for rank in ranks)


def _is_clearly_before(first: Elimination, other: Elimination) -> bool:
    return first.moment < other.moment or (first.moment == other.moment and first.at < other.at - SAME_TIME_SECONDS)
