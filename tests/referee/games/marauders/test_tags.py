"""Everything that can lie in a state has a tag of its own, so that no rename changes a fingerprint."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

from referee.agenda import Question, Task
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import State

ABSTRACT: set[type[Any]] = {Task, Question, Window}


def frames(base: type[Any]) -> Iterator[type[Any]]:
    """The tasks and questions of the game, below that class."""
    for cls in base.__subclasses__():
        # A dataclass with slots is a second class: the one that was written stays among the subclasses for a while.
        if getattr(sys.modules[cls.__module__], cls.__name__) is cls:
            if cls.__module__.startswith("referee.games.marauders.rules."):
                yield cls
            yield from frames(cls)


def classes_in(hint: Any) -> Iterator[type[Any]]:
    """The dataclasses that a type hint speaks of."""
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for part in get_args(hint):
        yield from classes_in(part)


def parts_of(cls: type[Any]) -> Iterator[type[Any]]:
    """The dataclasses in the fields of another; events of the step under way are never hashed."""
    hints = get_type_hints(cls)
    for field in fields(cls):
        if field.name != "events":
            yield from classes_in(hints[field.name])


def test_every_class_of_a_state_has_a_tag_of_its_own() -> None:
    """Also those that inherit from a class with a tag."""
    found: set[type[Any]] = {State}
    found.update(frames(Task), frames(Question))
    found -= ABSTRACT
    queue = list(found)
    while queue:
        fresh = set(parts_of(queue.pop())) - found - ABSTRACT
        found |= fresh
        queue += fresh
    names = {cls.__name__ for cls in found}
    assert {"Ship", "Side", "Combat", "AskPort", "ScoutNpc", "Assault", "HireSpecialist"} <= names
    assert [cls for cls in found if "TAG" not in vars(cls)] == []
    assert len({cls.TAG for cls in found}) == len(found)
