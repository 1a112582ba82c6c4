"""A game in this process for those who train: luck by seed, some seats played by bots, questions as features.

Stands behind `tortuga_bot.env` and brings the rules. Only what a seat's own question holds leaves it as numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import referee
from referee.errors import ConfigError
from referee.games import find_game
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import Seat
from referee.wire import find_wire
from tortuga.v1 import referee_pb2
from tortuga_bot.bot_folder import load_choose
from tortuga_bot.client import Choose, check_answer
from tortuga_bot.features import Features, Floats
from tortuga_bot.question import Match, Question

SAMPLE_BOTS = Path(referee.__file__).parents[1] / "sample_bots" / "python"
"""Where the sample bots are, in a checkout and in an installed wheel alike."""

Opponent = str | Choose
"""Who plays a seat that is not trained: the name or the folder of a Python bot, or a function `choose`."""


class TrainingTable:
    """One game at a time, again and again. `reset` begins one; `waiting` are the trained seats to be answered for."""

    def __init__(
        self,
        game: str,
        *,
        seats: int | None = None,
        variant: Mapping[str, str | int] | None = None,
        opponents: Mapping[int, Opponent],
    ) -> None:
        self._game = find_game(game)
        self._wire = find_wire(self._game.info.id)
        seats = self._game.info.min_seats if seats is None else seats
        self._game.info.check_seats(seats)
        self._variant = self._game.info.read_variant({name: str(value) for name, value in (variant or {}).items()})
        self.game, self.seats = self._game.info.id, seats
        self.info = self._game.info
        self.features = _features(self.game, seats)
        self._opponents = {Seat(seat): find_opponent(one, self.game) for seat, one in opponents.items()}
        for seat in opponents:
            if not 0 <= seat < seats:
                raise ConfigError(f"an opponent sits on seat {seat}; the seats are 0 to {seats - 1}")
        self.trained = [seat for seat in range(seats) if seat not in opponents]
        if not self.trained:
            raise ConfigError("every seat has an opponent: nobody is left to train")
        self.waiting: list[int] = []
        """Trained seats that are asked and have not answered yet, in seat order."""

    @property
    def max_options(self) -> int:
        """No list of options is longer."""
        return self.info.max_options

    @property
    def max_decisions(self) -> int:
        """No game asks more questions."""
        return self.info.max_decisions

    def clone(self) -> TrainingTable:
        """The same game at the same moment, to be played on by itself. Without opponents: they would remember both."""
        if self._opponents:
            raise ValueError("a table with opponents cannot be cloned: what they remember is theirs")
        twin = copy(self)
        twin.waiting = list(self.waiting)
        if hasattr(self, "_course"):
            twin._course = self._course.clone()
            twin._choices, twin._asked = dict(self._choices), dict(self._asked)
            twin._matches, twin._messages = {}, {}
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> TrainingTable:
        return self.clone()

    def reset(self, seed: str) -> None:
        """A new game; the same seed gives the same luck, and opponents that draw the same choices."""
        self._course = Course(self._game, self.seats, self._variant, SeededChance(derive_secret(seed)))
        self._match_id = f"{self.game}-{seed}"
        self._choices: dict[Seat, int] = {}
        self._asked = dict.fromkeys(range(self.seats), 0)
        self._matches: dict[Seat, Match] = {}
        self._messages: dict[int, Any] = {}
        self._go_on()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._course.outcome is not None

    @property
    def kind(self) -> str:
        """The present decision; empty when the game is over."""
        return self._course.kind

    @property
    def ranks(self) -> tuple[int, ...]:
        """The final ranks, 1 is best."""
        assert self._course.outcome is not None
        return self._course.outcome.ranks

    @property
    def points(self) -> tuple[float, ...]:
        """The game's own points per seat."""
        assert self._course.outcome is not None
        return self._course.outcome.scores

    def option_count(self, seat: int) -> int:
        """How many options the seat has now; 0 if it is not asked, or has answered."""
        return len(self._course.asked[Seat(seat)]) if seat in self.waiting else 0

    def observation(self, seat: int) -> Floats:
        """What the seat may know now, as numbers. What others answered at this moment is not in it."""
        if seat in self.waiting:
            return self.features.observation(self.position(seat), seat)
        return self.features.view(self.view(seat).observation, seat)

    def write_options(self, seat: int, out: Any) -> None:
        """The seat's options as numbers, into zeros with room for `max_options` of them."""
        self.features.write_options(self.position(seat).options, seat, out)

    def question(self, seat: int) -> Question:
        """The seat's question as a bot would get it, without events."""
        return self._question(Seat(seat), self.position(seat).SerializeToString())

    def choose(self, seat: int, index: int) -> None:
        """The seat's answer. It counts when all seats of the moment have answered."""
        if seat not in self.waiting:
            raise ValueError(f"seat {seat} is not asked now; asked are {self.waiting}")
        self.check(seat, index)
        self._choices[Seat(seat)] = index
        self.waiting.remove(seat)
        if not self.waiting:
            self._go_on()

    def check(self, seat: int, index: int) -> None:
        """Refuse an action that is none of the seat's options."""
        count = self.option_count(seat)
        if not 0 <= index < count:
            raise ValueError(
                f"seat {seat} ({self.kind}): action {index} is not legal, expected 0 to {count - 1}, as its mask says"
            )

    def _go_on(self) -> None:
        """Ask opponents, and apply what was chosen, up to the next question for a trained seat."""
        course = self._course
        while course.outcome is None:
            self.waiting = [seat for seat in course.asked if seat not in self._choices and seat not in self._opponents]
            if self.waiting:
                break
            for seat in course.asked:
                if seat in self._opponents:
                    self._choices[seat] = self._ask(seat)
            course.choose(self._choices)
            self._choices = {}
        self._messages.clear()

    def _ask(self, seat: Seat) -> int:
        course = self._course
        actions = course.asked[seat]
        heard = course.take_events(seat)
        question = self._question(seat, self._wire.position(course.kind, course.view(seat), heard, actions))
        return check_answer(self._opponents[seat](question) or 0, len(actions))

    def _question(self, seat: Seat, position: bytes) -> Question:
        self._asked[seat] += 1
        message = referee_pb2.Question(question_id=self._asked[seat], option_count=len(self._course.asked[seat]))
        getattr(message, self.game).ParseFromString(position)
        if seat not in self._matches:
            self._matches[seat] = Match(
                match_id=self._match_id,
                game=self.game,
                seat=seat,
                seat_names=tuple(f"seat {place}" for place in range(self.seats)),
                variant={name: str(value) for name, value in self._variant.items()},
            )
        return Question(self._matches[seat], message)

    def position(self, seat: int) -> Any:
        """The Position of a seat that is asked, as a message. It is read once per moment."""
        if seat not in self._messages:
            place, course = Seat(seat), self._course
            raw = self._wire.situation(course.kind, course.view(place)) + self._wire.options(course.asked[place])
            self._messages[seat] = self._parse(raw)
        return self._messages[seat]

    def view(self, seat: int) -> Any:
        """What a seat may know that is not asked."""
        return self._parse(self._wire.scene(self._course.view(Seat(seat)), ()))

    def _parse(self, raw: bytes) -> Any:
        message = referee_pb2.Question()
        position = getattr(message, self.game)
        position.ParseFromString(raw)
        return position


def find_opponent(opponent: Opponent, game: str) -> Choose:
    """The function behind an opponent."""
    if callable(opponent):
        return opponent
    if opponent == "random":
        return choose_any
    folder = Path(opponent) if (Path(opponent) / "bot.py").is_file() else SAMPLE_BOTS / opponent
    if not (folder / "bot.py").is_file():
        known = sorted(path.parent.name for path in SAMPLE_BOTS.glob("*/bot.py") if path.parent.name != "scaffold")
        raise ConfigError(f"there is no bot {opponent!r}: give a folder with a bot.py, or one of {', '.join(known)}")
    return _load(folder.resolve())


_load: Callable[[Path], Choose] = cache(load_choose)
_features = cache(Features)


def choose_any(question: Question) -> int:
    """Any option, each with the same chance; the same ones in the same match."""
    memory = question.match.memory
    if "dice" not in memory:
        memory["dice"] = random.Random(f"{question.match.match_id}/{question.match.seat}")
    return int(memory["dice"].random() * question.option_count)
