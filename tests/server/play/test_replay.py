"""Whoever asks for a decision of another seat is told where that seat's own are."""

from __future__ import annotations

import re

import pytest

from referee.match.match import Chooser
from server.play.replay import not_asked
from tortuga.v1 import record_pb2 as pb

PLAYED = [
    (0, Chooser.BOT),
    (1, Chooser.BOT),
    (1, Chooser.BOT),
    (0, Chooser.DEFAULT),
    (0, Chooser.OUT),
    (1, Chooser.BOT),
]


@pytest.mark.parametrize(
    ("decision", "seat", "whom", "end"),
    [
        (2, 0, "to seat 1, not to seat 0", "--at 1 or 4"),
        (1, 1, "to seat 0, not to seat 1", "--at 2"),
        (5, 0, "seat 0 was out", "--at 4"),
        (5, 1, "to seat 0, not to seat 1", "--at 3 or 6"),
        (3, 2, "to seat 1, not to seat 2", "never asked"),
    ],
)
def test_the_nearest_questions_of_a_seat_are_named(decision: int, seat: int, whom: str, end: str) -> None:
    record = pb.Record()
    for whose, source in PLAYED:
        record.story.moments.add().answers.add(seat=whose, source=source.value)
    assert re.fullmatch(rf"decision {decision} .*{whom}.* {end}", not_asked(record, decision, seat))
