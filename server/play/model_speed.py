"""How fast a bot can look ahead: clones, choices and whole games per second, in worlds of the forward model.

A game is played by random bots; at moments spread over it, a model is made, read and played on. Processor time of one
core, so that a busy machine changes little.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from referee.games import GAMES
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat
from referee.rules.model import World, encode_model, open_model

T = TypeVar("T")

CLONES_AT_ONCE = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSpeed:
    """The figures of one game."""

    game: str
    seats: int
    model_bytes: int
    encode_micros: float
    decode_micros: float
    worlds_per_second: float
    clones_per_second: float
    choices_per_second: float
    playouts_per_second: float
    """From a moment of the game to its end, all seats choosing at random."""


def measure_model(game: AnyGame, seats: int, moments: int = 30) -> ModelSpeed:
    """Measure at that many moments of random games."""
    rng = random.Random(f"{game.info.id} {seats}")
    encode, decode, deal, clone, play = (Stopwatch() for _ in range(5))
    size = playouts = 0
    for number in range(moments):
        course, seat = some_moment(game, seats, rng, number)
        data = encode.time(partial(encode_model, game, course.state, seat))
        size += len(data)
        model = decode.time(partial(open_model, data, GAMES, "speed", World))
        [world] = deal.time(partial(model.worlds, 1))
        clone.time(partial(clone_often, world), CLONES_AT_ONCE)
        began = time.process_time()
        play.count += world.play_out(rng)
        play.seconds += time.process_time() - began
        playouts += 1
    return ModelSpeed(
        game=game.info.id,
        seats=seats,
        model_bytes=round(size / moments),
        encode_micros=1e6 / encode.per_second,
        decode_micros=1e6 / decode.per_second,
        worlds_per_second=deal.per_second,
        clones_per_second=clone.per_second,
        choices_per_second=play.per_second,
        playouts_per_second=playouts / play.seconds,
    )


class Stopwatch:
    """Adds up the processor time of something that is done again and again."""

    def __init__(self) -> None:
        self.count, self.seconds = 0, 0.0

    def time(self, work: Callable[[], T], count: int = 1) -> T:
        """Do it, and count it."""
        began = time.process_time()
        done = work()
        self.seconds += time.process_time() - began
        self.count += count
        return done

    @property
    def per_second(self) -> float:
        """Return how often in a second."""
        return self.count / max(self.seconds, 1e-9)


def clone_often(world: World) -> None:
    """Make clones, and forget them."""
    for _ in range(CLONES_AT_ONCE):
        world.clone()


def some_moment(game: AnyGame, seats: int, rng: random.Random, number: int) -> tuple[Course, Seat]:
    """Play a game to somewhere in its first hundred moments; return it, and a seat that is asked there."""
    while True:
        chance = SeededChance(derive_secret(f"speed {number} {rng.random()}"))
        course = Course(game, seats, game.info.read_variant({}), chance)
        for _ in range(rng.randrange(100)):
            if course.outcome is not None:
                break
            course.choose({seat: rng.randrange(len(options)) for seat, options in course.asked.items()})
        if course.asked:
            return course, rng.choice(list(course.asked))
