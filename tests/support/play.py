"""Games played by dice, for tests that want many positions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from referee.games import GAMES
from referee.rules.chance import SeededChance, derive_secret
from referee.rules.course import Course
from referee.rules.engine import AnyGame, Seat, Variant, WordSetting
from support import sizes

GivenVariant = tuple[tuple[str, str], ...]
"""Settings of a game as a user gives them."""


def cases() -> list[tuple[str, int, GivenVariant]]:
    """Every game with every number of seats, and with every word of every setting."""
    found: list[tuple[str, int, GivenVariant]] = []
    for game in GAMES.values():
        found += [(game.info.id, seats, ()) for seats in range(game.info.min_seats, game.info.max_seats + 1)]
        for setting in game.info.settings:
            if isinstance(setting, WordSetting):
                others = [value for value in setting.values if value != setting.default]
                found += [(game.info.id, game.info.min_seats, ((setting.name, value),)) for value in others]
    return found


def name_case(game_id: str, seats: int, given_variant: GivenVariant) -> str:
    """A case in the name of a test."""
    return "-".join([game_id, str(seats), *(value for _, value in given_variant)])


def is_end_of_range(game_id: str, seats: int, given_variant: GivenVariant) -> bool:
    """Whether a case is a game's smallest or largest table, with its usual settings."""
    info = GAMES[game_id].info
    return not given_variant and seats in (info.min_seats, info.max_seats)


def over(chosen: list[tuple[str, int, GivenVariant]]) -> pytest.MarkDecorator:
    """Try a test with each of these cases."""
    parameters = [pytest.param(*case, id=name_case(*case)) for case in chosen]
    return pytest.mark.parametrize(("game_id", "seats", "given_variant"), parameters)


every_case = over(cases())
sized_cases = over(sizes.pick(quick=[case for case in cases() if is_end_of_range(*case)], ci=cases()))
"""Every case, or when TORTUGA_TESTS is quick the smallest and the largest tables."""


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
