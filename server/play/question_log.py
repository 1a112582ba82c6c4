"""What a bot printed while it thought about one question.

A log is one stream for all tables of a process. The Python SDK writes a mark before the first line that a question
prints: `[tortuga MATCH seat S question N]`. Logs of bots that print no marks cannot be taken apart.
"""

from __future__ import annotations

import re
from pathlib import Path

from referee.errors import ConfigError
from referee.text import harmless

MARK = re.compile(r"\[tortuga (?P<match>\S+) seat (?P<seat>\d+) (?:question (?P<question>\d+)|aside)\]")
MOST_BYTES = 1 << 20
"""A log of ours holds 128 KiB; of a larger file the end is read."""

QuestionLog = dict[int, list[str]]
"""The lines by the question they were printed for."""


def read_question_log(where: Path, match_id: str, seat: int) -> QuestionLog:
    """What the bot on that seat printed in that match, from a log or from all logs of a folder."""
    paths = sorted(where.glob("*.log")) if where.is_dir() else [where]
    if not paths:
        raise ConfigError(f"there is no log in {where}")
    found: QuestionLog = {}
    for path in paths:
        _add_lines(found, _read(path), match_id, seat)
    return found


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - MOST_BYTES))
            return file.read().decode("utf-8", "backslashreplace")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None


def _add_lines(found: QuestionLog, text: str, match_id: str, seat: int) -> None:
    question: int | None = None
    for line in text.split("\n"):
        if mark := MARK.fullmatch(line):
            ours = mark["question"] is not None and mark["match"] == match_id and int(mark["seat"]) == seat
            question = int(mark["question"]) if ours else None
        elif question is not None and line:
            found.setdefault(question, []).append(harmless(line))
