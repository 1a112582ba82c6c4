"""Points of blocks: what a block can give, and what a cancelled block gives.

A cancelled block is a walkover: each bot that stayed beats those that left and ties with the others that stayed, so a
duel is won outright and the sum of points is that of any block. If nobody of it left, all tie.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.errors import RulesError
from server.schedule.plan import Entrant, HalfPoints, Plan, PlayedBlock


def full_points(seats: int) -> int:
    """The half points of a bot that beats everybody in every match of a block."""
    return 2 * seats * (seats - 1)


def check_points(played: PlayedBlock, seats: int) -> None:
    """Refuse a result that no block can have: all bots of a block together always get the same points."""
    points = played.half_points
    if points is None:
        return
    due = seats * full_points(seats) // 2
    if len(points) != seats or sum(points) != due or not all(0 <= each <= full_points(seats) for each in points):
        raise RulesError(f"block {played.block.number}: half points {points}; {seats} bots share {due}")


class BlockPoints:
    """The points of blocks, by who left when."""

    def __init__(self, plan: Plan) -> None:
        self._entrants: Mapping[str, Entrant] = {entrant.name: entrant for entrant in plan.entrants}
        self._seats = plan.seats

    def leavers(self, played: PlayedBlock) -> list[str]:
        """The bots because of which a block was cancelled."""
        if played.half_points is not None:
            return []
        # A bot that leaves during a stage is out from the next one on. Later leavers were still there.
        return [bot for bot in played.block.bots if not self._entrants[bot].plays_in(played.block.stage + 1)]

    def points(self, played: PlayedBlock) -> HalfPoints:
        """The half points of a block, played or cancelled."""
        if played.half_points is not None:
            return played.half_points
        gone = self.leavers(played)
        if len(gone) in (0, self._seats):
            return (full_points(self._seats) // 2,) * self._seats
        lost = self._seats * (len(gone) - 1)
        won = self._seats * (2 * len(gone) + self._seats - len(gone) - 1)
        return tuple(lost if bot in gone else won for bot in played.block.bots)
