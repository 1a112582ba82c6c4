"""The gunner: it knows the target cards, beats chance in every variant, and keeps matches apart."""

from __future__ import annotations

from types import ModuleType

import pytest

from referee.games.pavillon_noir import GAME
from referee.games.pavillon_noir.data import CANNONS, TARGETS
from referee.games.pavillon_noir.rules.reading import reduction
from referee.games.pavillon_noir.terms import VALUES, Decks
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.wire.pavillon_noir import WIRE
from support.pavillon_noir import target
from support.play import start
from support.strategies import Choose, choose_randomly, load_strategy
from tortuga.v1 import referee_pb2
from tortuga_bot import Match, Question


@pytest.fixture(scope="module")
def strategy() -> ModuleType:
    """The bot's own module."""
    return load_strategy("gunner")


class Game:
    """One game under way, with the questions its seats would be sent."""

    def __init__(self, seed: str, variant: str = "base") -> None:
        self.course: Course = start(GAME, 2, GAME.info.read_variant({"variant": variant}), seed)
        self.matches = [
            Match(match_id=seed, game="pavillon_noir", seat=seat, seat_names=("one", "two"), variant={})
            for seat in (0, 1)
        ]

    def step(self, bots: list[Choose]) -> dict[Seat, int]:
        """Ask whoever has to choose, and play it."""
        answers = {seat: bots[seat](self.question(seat)) for seat in self.course.asked}
        self.course.choose(answers)
        return answers

    def question(self, seat: Seat) -> Question:
        """The question as it would arrive."""
        options = self.course.asked[seat]
        message = referee_pb2.Question(option_count=len(options))
        raw = WIRE.position(self.course.kind, self.course.view(seat), self.course.take_events(seat), options)
        message.pavillon_noir.ParseFromString(raw)
        return Question(match=self.matches[seat], message=message)

    def play(self, bots: list[Choose]) -> list[dict[Seat, int]]:
        """To the end; all answers."""
        answers = []
        while self.course.outcome is None:
            answers.append(self.step(bots))
        return answers

    def score(self, seat: int) -> float:
        """Of a game that is over."""
        assert self.course.outcome is not None
        return self.course.outcome.scores[seat]


def test_the_gunner_reads_target_cards_as_the_referee_does(strategy: ModuleType) -> None:
    for cannon in CANNONS:
        for card in TARGETS:
            for left in VALUES:
                for below in VALUES:
                    read = reduction(cannon, target(f"T{card:02}:S{left}/H{below}"))
                    assert strategy.reduction(cannon + 1, card, left, below) == read


@pytest.mark.few(2)
@pytest.mark.parametrize("variant", [variant.value for variant in Decks])
def test_the_gunner_beats_chance_from_either_seat(strategy: ModuleType, variant: str) -> None:
    """Eight mirrored games: over hundreds it loses none."""
    points = 0.0
    for number in range(4):
        for seat in (0, 1):
            game, opponent = Game(str(number), variant), choose_randomly(f"{number}/{seat}")
            game.play([strategy.choose, opponent] if seat == 0 else [opponent, strategy.choose])
            points += game.score(seat)
    assert points >= 7


def test_the_same_question_gets_the_same_answer_whatever_else_is_asked(strategy: ModuleType) -> None:
    """Two games side by side go as they go alone."""
    bots: list[Choose] = [strategy.choose, strategy.choose]
    alone = [Game(seed, "full").play(bots) for seed in ("a", "b")]
    games = [Game("a", "full"), Game("b", "full")]
    together: list[list[dict[Seat, int]]] = [[], []]
    while any(game.course.outcome is None for game in games):
        for game, answers in zip(games, together, strict=True):
            if game.course.outcome is None:
                answers.append(game.step(bots))
    assert together == alone
