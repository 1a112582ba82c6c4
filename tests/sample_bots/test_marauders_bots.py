"""The sample bots: legal, deterministic, stronger than chance."""

from __future__ import annotations

import random

import pytest

from referee.games.marauders import GAME
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.wire.marauders import WIRE
from support.play import start
from support.strategies import load_choose
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question


def question(course: Course, seat: Seat) -> Question:
    """What the seat is asked now, as its SDK would hand it over."""
    actions = course.asked[seat]
    message = referee_pb2.Question(option_count=len(actions))
    message.marauders.ParseFromString(WIRE.position(course.kind, course.view(seat), course.take_events(seat), actions))
    names = ("a", "b")
    return Question(Match(match_id="m", game="marauders", seat=seat, seat_names=names, variant={}), message)


@pytest.mark.system
@pytest.mark.parametrize("name", ["trader", "raider"])
def test_a_bot_beats_random_play_on_both_seats(name: str) -> None:
    """Mirrored games; the same question always gets the same answer."""
    choose = load_choose(name)
    wins = 0.0
    for seed in range(4):
        for place in (0, 1):
            course, rng = start(GAME, 2, GAME.info.read_variant({}), f"bot {seed}"), random.Random(seed)
            while course.outcome is None:
                choices = {}
                for seat, actions in course.asked.items():
                    if seat == place:
                        asked = question(course, seat)
                        choices[seat] = choose(asked)
                        assert choose(asked) == choices[seat]
                    else:
                        choices[seat] = rng.randrange(len(actions))
                course.choose(choices)
            wins += course.outcome.ranks[place] == 1
    assert wins >= 7
