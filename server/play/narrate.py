"""A match told as lines of text, for `play --watch` and `replay show`: as somebody who sees everything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from referee.match.match import Choices, Source
from referee.rules.course import Course

HOW = {Source.BOT: "", Source.DEFAULT: "  (default: the bot failed)", Source.OUT: "  (default: the seat is out)"}
SEAT = re.compile(r"\bseat (\d+)\b")


class Narrator:
    """Counts the decisions while it tells them, and remembers the table as it was shown last."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._decision = 0
        self._shown: set[str] = set()
        """The lines of the table that was shown last."""

    def moment(self, course: Course, kind: str, made: Choices) -> Iterator[str]:
        """The choices of a moment, what came of them, and where a scene begins what has changed on the table. The whole
        table is shown at the beginning and when the game is over."""
        text = course.game.text
        for seat, action, source in made:
            self._decision += 1
            yield f"{self._decision:>4}  {self.who(seat)}  {kind}: {self.name_seats(text.action(action))}{HOW[source]}"
        for event in course.events:
            yield f"      {self.name_seats(text.event(event))}"
        if course.outcome is not None or any(type(event) in text.scenes for event in course.events):
            yield from self._table(text.table(course.state), whole=course.outcome is not None)

    def _table(self, table: str, *, whole: bool) -> Iterator[str]:
        lines = self.name_seats(table).split("\n")
        if whole or not self._shown:
            yield "\n".join(lines)
        else:
            yield from self._changed(lines)
        self._shown = set(lines)

    def _changed(self, lines: Sequence[str]) -> Iterator[str]:
        """The lines that were not shown last, each indented one below the line it belongs to."""
        head: str | None = None
        for line in lines:
            if not line.startswith(" "):
                head = line
            if line not in self._shown:
                if head is not None and head != line:
                    yield head
                yield line
                head = None

    def name_seats(self, text: str) -> str:
        """A text of a game with the bots on its seats."""
        return name_seats(text, self._names)

    def who(self, seat: int) -> str:
        """A seat and its bot."""
        return f"{seat} {self._names[seat]}"


def name_seats(text: str, names: Sequence[str]) -> str:
    """A text of a game, which knows seats only, with the bots on them; one that plays against itself keeps its seat."""

    def name(found: re.Match[str]) -> str:
        seat = int(found[1])
        if seat >= len(names):
            return found[0]
        return names[seat] if list(names).count(names[seat]) == 1 else f"{seat} {names[seat]}"

    return SEAT.sub(name, text)
