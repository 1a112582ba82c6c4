"""Whoever asks for a decision of another seat is told where that seat's own are."""

from __future__ import annotations

import pytest

from referee.match import Source
from server.matches.replay import not_asked
from tortuga.v1 import record_pb2 as pb

PLAYED = [(0, Source.BOT), (1, Source.BOT), (1, Source.BOT), (0, Source.DEFAULT), (0, Source.OUT), (1, Source.BOT)]


@pytest.mark.parametrize(
    ("decision", "seat", "told"),
    [
        (2, 0, "decision 2 was put to seat 1, not to seat 0; try --at 1 or 4"),
        (1, 1, "decision 1 was put to seat 0, not to seat 1; try --at 2"),
        (5, 0, "decision 5 was put to nobody: seat 0 was out; try --at 4"),
        (5, 1, "decision 5 was put to seat 0, not to seat 1; try --at 3 or 6"),
        (3, 2, "decision 3 was put to seat 1, not to seat 2, which was never asked"),
    ],
)
def test_the_nearest_questions_of_a_seat_are_named(decision: int, seat: int, told: str) -> None:
    record = pb.Record()
    for whose, source in PLAYED:
        record.story.moments.add().answers.add(seat=whose, source=source.value)
    assert not_asked(record, decision, seat) == told
