"""Every class that a state may hold has a TAG, and no two classes of a game share one: fingerprints know them by it."""

from __future__ import annotations

import importlib
import pkgutil
import random
from dataclasses import is_dataclass
from types import ModuleType

import pytest

from referee.agenda import Question, Task
from referee.fingerprint import fingerprint
from referee.games import GAMES
from support.play import cases, start, wander


def modules_of(game_id: str) -> list[ModuleType]:
    package = importlib.import_module(f"referee.games.{game_id}")
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(importlib.import_module(one.name) for one in found)]


def classes_of(game_id: str) -> list[type]:
    """The dataclasses that are defined in the game's folder."""
    return [
        value
        for module in modules_of(game_id)
        for value in vars(module).values()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("game_id", GAMES)
def test_no_two_classes_of_a_game_share_a_tag(game_id: str) -> None:
    tagged = [(vars(kind)["TAG"], kind) for kind in classes_of(game_id) if "TAG" in vars(kind)]
    assert tagged, f"{game_id} has no TAG at all"
    for tag, kind in tagged:
        assert isinstance(tag, str), kind
        assert tag, kind
        same = [other.__name__ for its, other in tagged if its == tag and other is not kind]
        assert not same, f"{kind.__name__} and {same} share the TAG {tag!r}"


@pytest.mark.parametrize("game_id", GAMES)
def test_every_state_class_task_and_question_has_a_tag_of_its_own(game_id: str) -> None:
    """Also those that come up once in a thousand games. A class that others are derived from is never made itself."""
    for kind in classes_of(game_id):
        is_state = kind.__module__.startswith(f"referee.games.{game_id}.state")
        if (is_state or issubclass(kind, Task | Question)) and not kind.__subclasses__():
            assert "TAG" in vars(kind), f"{kind.__module__}.{kind.__name__} needs a TAG"


@pytest.mark.parametrize(("game_id", "seats", "given_variant"), cases())
def test_every_class_met_in_a_game_has_a_tag(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...]
) -> None:
    """`fingerprint` refuses a class without one."""
    game = GAMES[game_id]
    course = start(game, seats, game.info.read_variant(dict(given_variant)), "tags")
    for _ in wander(course, random.Random(1)):
        fingerprint(course.state)
