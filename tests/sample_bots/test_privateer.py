"""The privateer: it beats chance, answers the same question the same way, and keeps matches apart."""

from __future__ import annotations

import pytest

from referee.games.broadsides import GAME
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.wire.broadsides import WIRE
from support.play import start
from support.strategies import Choose, choose_randomly, load_choose
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question


@pytest.fixture(scope="module")
def privateer() -> Choose:
    """Its `choose`."""
    return load_choose("privateer")


class Game:
    """One game under way, with the questions its seats would be sent."""

    def __init__(self, seed: str, **variant: str) -> None:
        self.course: Course = start(GAME, 2, GAME.info.read_variant(variant), seed)
        self.matches = [
            Match(match_id=seed, game="broadsides", seat=seat, seat_names=("one", "two"), variant={}) for seat in (0, 1)
        ]
        self.asked = [0, 0]

    def step(self, bots: list[Choose]) -> dict[Seat, int]:
        """Ask whoever has to choose, and play it."""
        answers = {seat: bots[seat](self.question(seat)) for seat in self.course.asked}
        self.course.choose(answers)
        return answers

    def question(self, seat: Seat) -> Question:
        """The question as it would arrive."""
        self.asked[seat] += 1
        options = self.course.asked[seat]
        message = referee_pb2.Question(question_id=self.asked[seat], option_count=len(options))
        raw = WIRE.position(self.course.kind, self.course.view(seat), self.course.take_events(seat), options)
        message.broadsides.ParseFromString(raw)
        return Question(match=self.matches[seat], message=message)

    def play(self, bots: list[Choose]) -> tuple[float, ...]:
        """To the end; the scores."""
        while self.course.outcome is None:
            self.step(bots)
        return self.course.outcome.scores


@pytest.mark.system
def test_the_privateer_beats_chance_from_either_seat(privateer: Choose) -> None:
    points = 0.0
    for number in range(10):
        points += Game(str(number)).play([privateer, choose_randomly(str(number))])[0]
        points += Game(str(number)).play([choose_randomly(str(number)), privateer])[1]
    assert points >= 17


@pytest.mark.system
def test_two_privateers_meet_without_the_current_and_play_both_halves_of_the_game(privateer: Choose) -> None:
    quiet, boarded = 0, 0
    for number in range(12):
        game = Game(str(number), drift_after="0")
        while game.course.outcome is None:
            game.step([privateer, privateer])
            if game.course.kind == "BOARD_MOVE":
                boarded += 1
        quiet += game.course.outcome.reason == "QUIET_CAP"
    assert quiet <= 4
    assert boarded > 20


def test_the_same_question_gets_the_same_answer_whatever_else_is_asked(privateer: Choose) -> None:
    """Two games side by side go as they go alone."""
    alone = [course_of(Game(seed), privateer) for seed in ("a", "b")]
    games = [Game("a"), Game("b")]
    together: list[list[dict[Seat, int]]] = [[], []]
    while any(game.course.outcome is None for game in games):
        for game, answers in zip(games, together, strict=True):
            if game.course.outcome is None:
                answers.append(game.step([privateer, privateer]))
    assert together == alone


def course_of(game: Game, bot: Choose) -> list[dict[Seat, int]]:
    answers = []
    while game.course.outcome is None:
        answers.append(game.step([bot, bot]))
    return answers
