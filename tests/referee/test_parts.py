"""Immutable parts: changed by replacement, and keeping what was worked out from them."""

from __future__ import annotations

import pickle
from functools import cached_property
from typing import ClassVar

from referee.games.broadsides.actions import Fire
from referee.games.broadsides.terms import Section
from referee.rules.fingerprint import fingerprint, plain, text
from referee.rules.parts import Part, Row, immutable, interned, kept, put, replace, shallow_copy
from referee.wire.broadsides import WIRE


@immutable(frozen=True, kw_only=True, slots=True)
class Hull(Part):
    TAG: ClassVar[str] = "Hull"
    planks: tuple[int, ...]
    name: str = "Fancy"

    @cached_property
    def left(self) -> int:
        return sum(self.planks)


def test_a_replaced_part_is_a_new_one_and_the_old_one_is_as_before() -> None:
    old = Hull(planks=(3, 2))
    new = replace(old, planks=put(old.planks, 1, 0))
    assert (old.planks, new.planks, new.name) == ((3, 2), (3, 0), "Fancy")
    assert old != new
    assert replace(new, planks=(3, 2)) == old
    assert hash(replace(new, planks=(3, 2))) == hash(old)


def test_what_was_worked_out_is_kept_with_the_part_and_not_with_its_successor() -> None:
    calls = []

    @kept
    def describe(hull: Hull) -> str:
        calls.append(hull)
        return f"{hull.name}: {hull.left}"

    old = Hull(planks=(3, 2))
    assert [describe(old), describe(old)] == ["Fancy: 5"] * 2
    assert len(calls) == 1
    assert describe(replace(old, planks=(1, 1))) == "Fancy: 2"
    assert describe(shallow_copy(old)) == "Fancy: 5"
    assert len(calls) == 3


def test_interned_values_are_one_object_per_value() -> None:
    make = interned(Hull)
    assert make(planks=(3, 2)) is make(planks=(3, 2))
    assert make(planks=(3, 2)) == Hull(planks=(3, 2))
    assert make(planks=(3, 2)) is not make(planks=(3, 1))


def test_a_row_is_the_tuple_of_its_items_and_keeps_its_bytes() -> None:
    options = Row([Fire(section) for section in Section])
    assert options == tuple(map(Fire, Section))
    first = WIRE.options(options)
    assert first == WIRE.options(tuple(options))
    assert WIRE.options(options) is first


def test_kept_results_are_no_part_of_equality_or_fingerprint() -> None:
    old, same = Hull(planks=(3,)), Hull(planks=(3,))
    before = fingerprint(old)
    assert old.left == 3
    assert old == same
    assert fingerprint(old) == before == fingerprint(same)


def test_the_text_of_a_part_in_a_fingerprint_is_the_repr_of_its_plain_values() -> None:
    for value in (
        Hull(planks=(3,)),
        Hull(planks=()),
        (Hull(planks=(1, 2)),),
        [Hull(planks=(1,))],
        {1: Hull(planks=())},
    ):
        assert text(value) == text(value) == repr(plain(value))


def test_a_part_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Hull(planks=(1, 2)))) == Hull(planks=(1, 2))


def test_equal_arguments_of_different_types_are_not_interned_together() -> None:
    """An IntEnum's member and its number are equal, but are sent differently."""
    make = interned(lambda content: (content,))
    assert [type(make(content)[0]) for content in (1, True, 1)] == [int, bool, int]
