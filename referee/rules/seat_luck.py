"""Measures the luck of each seat in a game, if the game defines it (`Game.luck`).

The measure is zero on average, whatever anybody chooses (a sum of martingale differences): dice minus their
expectation, times weights that were fixed before the dice were rolled. So a score minus its luck has the same mean as
the score, for any bots, and a smaller variance.
"""

from __future__ import annotations

from referee.rules.course import Course


class SeatLuck:
    """The luck of a course. Make it when the course begins and let it follow after every choice."""

    def __init__(self, course: Course) -> None:
        self.given = [0.0] * course.seats
        """By seat, in shares of the score."""
        self._count = course.game.luck
        self._before = course.steps[0].state
        self.follow(course)

    def follow(self, course: Course) -> None:
        """Count the steps since the last choice."""
        if self._count is None:
            return
        for step in course.steps:
            if step.events:
                for seat, share in enumerate(self._count(self._before, step)):
                    self.given[seat] += share
            self._before = step.state
