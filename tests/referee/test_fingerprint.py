"""Fingerprints of states: what changes them, and what must not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Any, ClassVar

import pytest

from referee.errors import RulesError
from referee.rules.chance import ScriptedChance, SeededChance, derive_secret
from referee.rules.fingerprint import fingerprint, plain


@dataclass
class Ship:
    TAG: ClassVar[str] = "Ship"
    hull: int
    crew: tuple[str, ...] = ()


@dataclass
class Vessel:
    """The same class under another name, with other names of fields."""

    TAG: ClassVar[str] = "Ship"
    body: int
    people: tuple[str, ...] = ()


@dataclass
class Raft:
    TAG: ClassVar[str] = "Raft"
    hull: int
    crew: tuple[str, ...] = ()


class Wind(StrEnum):
    NORTH = "n"


class Breeze(StrEnum):
    NORTHERLY = "n"


class Sail(IntEnum):
    MAIN = 1


class Flag(Enum):
    BLACK = ("black", 1)


def test_the_name_of_a_class_and_of_its_fields_does_not_matter_but_the_tag_does() -> None:
    assert fingerprint(Ship(3, ("a",))) == fingerprint(Vessel(3, ("a",)))
    assert fingerprint(Ship(3, ("a",))) != fingerprint(Raft(3, ("a",)))


def test_an_enum_member_counts_by_its_value() -> None:
    assert plain([Wind.NORTH, Breeze.NORTHERLY, Sail.MAIN, Flag.BLACK]) == ("n", "n", 1, ("black", 1))
    assert fingerprint({Wind.NORTH: 1}) == fingerprint({Breeze.NORTHERLY: 1})


def test_a_class_without_a_tag_of_its_own_is_refused_by_name() -> None:
    @dataclass
    class Wreck:
        hull: int

    @dataclass
    class Galleon(Ship):
        """Inherits a tag."""

    for state in (Wreck(0), Galleon(1)):
        with pytest.raises(RulesError, match=f"{type(state).__name__} .*TAG"):
            fingerprint([state])


@pytest.mark.parametrize(
    "state", [Ship(1), [Ship(2)], {"a": Ship(1)}, {1, 2}, {2, 3}, SeededChance(derive_secret("s")), ScriptedChance([1])]
)
def test_every_difference_counts_and_no_order_of_a_set_does(state: Any) -> None:
    assert fingerprint(state) != fingerprint([Ship(1)])
    assert fingerprint({1, 2, 3}) == fingerprint({3, 2, 1})
    assert fingerprint({"b": 1, "a": 2}) == fingerprint({"a": 2, "b": 1})


def test_the_hash_itself_never_changes() -> None:
    """Records hold it."""
    assert fingerprint(Ship(3, ("a", "b"))).hex() == "724ad67b3c870c72ed7c17b68200310f"
