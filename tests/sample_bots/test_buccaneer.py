"""The buccaneer: it beats chance, answers the same question the same way, and keeps nothing between questions."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.pirates_cove import GAME
from referee.rules.engine import Outcome, Seat
from referee.wire.pirates_cove import WIRE
from support.play import start
from support.strategies import Choose, choose_randomly, load_choose
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question


@pytest.fixture(scope="module")
def buccaneer() -> Choose:
    """Its `choose`."""
    return load_choose("buccaneer")


def play(seed: str, bots: list[Choose]) -> Outcome:
    """One game between bots, each asked over the wire's own bytes."""
    course = start(GAME, len(bots), {}, seed)
    names = tuple(f"bot {seat}" for seat in range(len(bots)))
    matches = [
        Match(match_id=seed, game="pirates_cove", seat=seat, seat_names=names, variant={}) for seat in range(len(bots))
    ]
    asked: Counter[Seat] = Counter()
    while course.outcome is None:
        answers = {}
        for seat, options in course.asked.items():
            asked[seat] += 1
            message = referee_pb2.Question(question_id=asked[seat], option_count=len(options))
            raw = WIRE.position(course.kind, course.view(seat), course.take_events(seat), options)
            message.pirates_cove.ParseFromString(raw)
            answers[seat] = bots[seat](Question(match=matches[seat], message=message))
            assert 0 <= answers[seat] < len(options), course.kind
        course.choose(answers)
    return course.outcome


@pytest.mark.system
@pytest.mark.parametrize(("seats", "blocks", "wanted"), [(2, 15, 0.85), (4, 6, 0.80)])
def test_it_beats_chance_from_every_seat(buccaneer: Choose, seats: int, blocks: int, wanted: float) -> None:
    wins, games = 0, 0
    for block in range(blocks):
        for own in range(seats):
            bots = [buccaneer if seat == own else choose_randomly(f"{block}/{seat}") for seat in range(seats)]
            wins += play(f"buccaneer {block}", bots).ranks[own] == 1
            games += 1
    assert wins / games >= wanted


def test_the_same_questions_get_the_same_answers(buccaneer: Choose) -> None:
    outcomes = [play("twice", [buccaneer] * 5) for _ in range(2)]
    assert outcomes[0] == outcomes[1]
