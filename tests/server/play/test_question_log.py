"""Which lines of a log belong to a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import ConfigError
from server.play.narrate import read_question_log

LOG = """\
starting
[tortuga m-1 seat 0 question 3]
three
still three
[tortuga m-2 seat 0 question 3]
of another match
[tortuga m-1 seat 1 question 3]
of another seat
[tortuga m-1 seat 0 question 4]
four\x1b[31m
[tortuga m-1 seat 0 aside]
after the answer
"""


def test_lines_are_found_by_match_seat_and_question(tmp_path: Path) -> None:
    (tmp_path / "bot-1.log").write_text(LOG)
    for where in (tmp_path, tmp_path / "bot-1.log"):
        assert read_question_log(where, "m-1", 0) == {3: ["three", "still three"], 4: ["four\\x1b[31m"]}
    assert read_question_log(tmp_path, "m-3", 0) == {}


def test_a_folder_without_logs_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no log in"):
        read_question_log(tmp_path, "m-1", 0)
