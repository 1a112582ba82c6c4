"""Games played by dice, for tests that want many positions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from referee.chance import SeededChance, derive_secret
from referee.course import Course
from referee.engine import AnyGame, Seat, Variant, WordSetting
from referee.games import GAMES


def cases() -> list[tuple[str, int, tuple[tuple[str, str], ...]]]:
    """Every game with every number of seats, and with every word of every option."""
    found: list[tuple[str, int, tuple[tuple[str, str], ...]]] = []
    for game in GAMES.values():
        found += [(game.info.id, seats, ()) for seats in range(game.info.min_seats, game.info.max_seats + 1)]
        for option in game.info.settings:
            if isinstance(option, WordSetting):
                others = [value for value in option.values if value != option.default]
                found += [(game.info.id, game.info.min_seats, ((option.name, value),)) for value in others]
    return found


def start(game: AnyGame, seats: int, variant: Variant, seed: str) -> Course:
    """A new game under that seed."""
    return Course(game, seats, variant, SeededChance(derive_secret(seed)))


def pick(rng: random.Random, options: tuple[Any, ...]) -> int:
    """Half the time any option, half the time any kind of action first: rare actions are met as well."""
    if rng.random() < 0.5:
        return rng.randrange(len(options))
    kind = rng.choice(sorted({type(option).__name__ for option in options}))
    return rng.choice([index for index, option in enumerate(options) if type(option).__name__ == kind])


def wander(course: Course, rng: random.Random) -> Iterator[dict[Seat, int]]:
    """Yield the choices of each moment before they are made, until the game is over."""
    while course.outcome is None:
        choices = {seat: pick(rng, options) for seat, options in course.asked.items()}
        yield choices
        course.choose(choices)
