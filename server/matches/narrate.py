"""A match told as lines of text, for `play --watch` and `replay show`: as somebody who sees everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.course import Course
from referee.match import Choices, Source

HOW = {Source.BOT: "", Source.DEFAULT: "  (default: the bot failed)", Source.OUT: "  (default: the seat is out)"}


class Narrator:
    """Counts the decisions while it tells them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._decision = 0

    def moment(self, course: Course, kind: str, made: Choices) -> Iterator[str]:
        """The choices of a moment, what came of them, and the table where a scene begins or the game is over."""
        text = course.game.text
        for seat, action, source in made:
            self._decision += 1
            yield f"{self._decision:>4}  {self.who(seat)}  {kind}: {text.action(action)}{HOW[source]}"
        for event in course.events:
            yield f"      {text.event(event)}"
        if course.outcome is not None or any(type(event) in text.scenes for event in course.events):
            yield text.table(course.state)

    def who(self, seat: int) -> str:
        """A seat and its bot."""
        return f"{seat} {self._names[seat]}"
