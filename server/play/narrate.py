"""A match told as lines of text, for `play --watch` and `replay`.

It tells what happened, with everything visible, and what a bot printed while it thought about one question.

A bot's log is one stream for all tables of a process. The Python SDK writes a mark before the first line that a
question prints: `[tortuga MATCH seat S question N]`. Logs of bots that print no marks cannot be taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from referee.errors import ConfigError
from referee.match.match import Choices, Chooser
from referee.rules.course import Course
from referee.text import harmless

HOW = {Chooser.BOT: "", Chooser.DEFAULT: "  (default: the bot failed)", Chooser.OUT: "  (default: the seat is out)"}
SEAT = re.compile(r"\bseat (\d+)\b")
MARK = re.compile(r"\[tortuga (?P<match>\S+) seat (?P<seat>\d+) (?:question (?P<question>\d+)|aside)\]")
MOST_BYTES = 1 << 20
"""A log of ours holds 128 KiB; of a larger file the end is read."""

QuestionLog = dict[int, list[str]]
"""The lines by the question they were printed for."""


class Narrator:
    """Counts the decisions while it tells them, and remembers the table as it was shown last."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._decision = 0
        self._shown: set[str] = set()
        """The lines of the table that was shown last, or its paragraphs where these are pictures."""

    def moment(self, course: Course, kind: str, choices: Choices) -> Iterator[str]:
        """Tell the choices of a moment, what came of them, and where a scene begins what has changed on the table.

        The whole table is shown at the beginning and when the game is over.
        """
        text = course.game.text
        for seat, action, source in choices:
            self._decision += 1
            yield f"{self._decision:>4}  {self.who(seat)}  {kind}: {self.name_seats(text.action(action))}{HOW[source]}"
        for line in text.tell(course.events):
            yield f"      {self.name_seats(line)}"
        if course.outcome is not None or any(type(event) in text.scenes for event in course.events):
            gap = "\n\n" if text.pictures else "\n"
            yield from self._table(text.table(course.state), gap, whole=course.outcome is not None)

    def _table(self, table: str, gap: str, *, whole: bool) -> Iterator[str]:
        parts = self.name_seats(table).split(gap)
        if whole or not self._shown:
            yield gap.join(parts)
        else:
            yield from self._changed(parts)
        self._shown = set(parts)

    def _changed(self, parts: Sequence[str]) -> Iterator[str]:
        """Tell the parts that were not shown last, each indented line below the line it belongs to."""
        head: str | None = None
        for part in parts:
            is_picture = "\n" in part
            if is_picture or not part.startswith(" "):
                head = part
            if part not in self._shown:
                if head is not None and head != part:
                    yield head
                yield part
                head = None

    def name_seats(self, text: str) -> str:
        """Return a text of a game with the bots on its seats."""
        return name_seats(text, self._names)

    def who(self, seat: int) -> str:
        """Return a seat and its bot."""
        return f"{seat} {self._names[seat]}"


def name_seats(text: str, names: Sequence[str]) -> str:
    """Put the bots into a text of a game, which knows seats only; one that plays against itself keeps its seat."""

    def name(mention: re.Match[str]) -> str:
        seat = int(mention[1])
        if seat >= len(names):
            return mention[0]
        return names[seat] if list(names).count(names[seat]) == 1 else f"{seat} {names[seat]}"

    return SEAT.sub(name, text)


def read_question_log(where: Path, match_id: str, seat: int) -> QuestionLog:
    """Read what the bot on that seat printed in that match, from a log or from all logs of a folder."""
    paths = sorted(where.glob("*.log")) if where.is_dir() else [where]
    if not paths:
        raise ConfigError(f"there is no log in {where}")
    lines: QuestionLog = {}
    for path in paths:
        _add_lines(lines, _read_end(path), match_id, seat)
    return lines


def _read_end(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MOST_BYTES))
            return file.read().decode("utf-8", "backslashreplace")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None


def _add_lines(lines: QuestionLog, text: str, match_id: str, seat: int) -> None:
    question: int | None = None
    for line in text.split("\n"):
        if mark := MARK.fullmatch(line):
            ours = mark["question"] is not None and mark["match"] == match_id and int(mark["seat"]) == seat
            question = int(mark["question"]) if ours else None
        elif question is not None and line:
            lines.setdefault(question, []).append(harmless(line))
