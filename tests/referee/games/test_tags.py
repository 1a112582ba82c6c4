"""Every class that a state may hold has a TAG, and no two classes of a game share one: fingerprints know them by it."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

from referee.games import GAMES
from referee.rules.agenda import AgendaQuestion, Task
from referee.rules.fingerprint import fingerprint
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


def parts_of(kind: type[Any]) -> Iterator[type[Any]]:
    """The dataclasses in the fields of another; events of the step under way are never hashed."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        if field.name != "events":
            yield from dataclasses_in(hints[field.name])


def dataclasses_in(hint: Any) -> Iterator[type[Any]]:
    """The dataclasses that a type hint speaks of."""
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for part in get_args(hint):
        yield from dataclasses_in(part)


@pytest.mark.parametrize("game_id", GAMES)
def test_every_class_that_a_state_may_hold_has_a_tag_of_its_own(game_id: str) -> None:
    """Also those that come up once in a thousand games. A class that others are derived from is never made itself."""
    folder = f"referee.games.{game_id}."
    state = importlib.import_module(f"{folder}state").State
    found = {state, *(kind for kind in classes_of(game_id) if issubclass(kind, Task | AgendaQuestion))}
    queue = list(found)
    while queue:
        new = {kind for kind in parts_of(queue.pop()) if kind.__module__.startswith(folder)} - found
        found |= new
        queue += new
    concrete = [kind for kind in found if not any(kind in other.__mro__[1:] for other in found)]
    assert len(concrete) > 5
    assert [kind.__name__ for kind in concrete if "TAG" not in vars(kind)] == []


@pytest.mark.parametrize(("game_id", "seats", "given_variant"), cases())
def test_every_class_met_in_a_game_has_a_tag(
    game_id: str, seats: int, given_variant: tuple[tuple[str, str], ...]
) -> None:
    """`fingerprint` refuses a class without one."""
    game = GAMES[game_id]
    course = start(game, seats, game.info.read_variant(dict(given_variant)), "tags")
    for _ in wander(course, random.Random(1)):
        fingerprint(course.state)
