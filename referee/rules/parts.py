"""Immutable values, and the parts of a state, which cache what is computed from them.

A rule never changes a part. It makes a changed copy with `replace` and puts it in the old one's place; everything else
stays the same object from one state to the next. So copying a state copies one level, and whatever was computed from a
part (how a seat sees it, its bytes on the wire, its text in a fingerprint) stays cached with the part.

    @immutable(frozen=True, kw_only=True, slots=True)
    class Ship(Part):
        hull: tuple[int, ...]

    draft.ships = put(draft.ships, seat, replace(ship, hull=put(ship.hull, place, 0)))

To the type checkers `immutable` is `dataclasses.dataclass` and `replace` is `dataclasses.replace`: they see frozen
dataclasses and refuse every change. At run time the fields are not locked: that would make a value cost three times as
much.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

__all__ = ["Part", "Row", "immutable", "interned", "kept", "put", "replace", "shallow_copy"]

A = ParamSpec("A")
P = TypeVar("P", bound="Part")
R = TypeVar("R")
T = TypeVar("T")

INTERNED_VALUES = 1 << 14
"""Number of values of one kind that are interned: far more than a game has in one match."""

if TYPE_CHECKING:
    from dataclasses import dataclass as immutable
    from dataclasses import replace
else:

    def immutable(*, frozen: bool, kw_only: bool = False, slots: bool = False):
        """Make a dataclass of values that never change, compared and hashed by what they hold."""
        assert frozen, "a value is never changed"

        def decorate(kind):
            return dataclasses.dataclass(kw_only=kw_only, slots=slots, unsafe_hash="__hash__" not in vars(kind))(kind)

        return decorate

    def replace(old, /, **changes):
        """Return the same value with some fields changed, five times as fast as `dataclasses.replace`."""
        new = _COPIERS[type(old)](old)
        for name, content in changes.items():
            setattr(new, name, content)
        return new


class Part:
    """Something a state consists of. What `kept` functions work out from it stays in its `__dict__`, which is no field:
    it is neither compared nor copied. `functools.cached_property` works, too."""

    __slots__ = ("__dict__",)


class Row(tuple[T, ...]):
    """A row that recurs, such as a list of options that is always the same: it keeps its bytes on the wire."""


def kept(make: Callable[[P], R]) -> Callable[[P], R]:
    """Let a pure function of a part work out its result once per part."""

    @wraps(make)
    def get(part: P) -> R:
        store = part.__dict__
        if make in store:  # type: ignore[comparison-overlap]  # the key is the function: its name need not be unique
            return store[make]  # type: ignore[index, no-any-return]
        result = store[make] = make(part)  # type: ignore[index]
        return result

    return get


def interned(make: Callable[A, R]) -> Callable[A, R]:
    """Let a constructor of values that recur give the same object for the same arguments: whatever was kept with it is
    there again. Arguments that are equal but of different types, such as 1 and an IntEnum's member, are different."""
    cache = lru_cache(INTERNED_VALUES, typed=True)
    return cache(make)  # type: ignore[return-value]  # a cache forgets the parameters' types


def put(row: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    """Return the same row with one item replaced."""
    items = list(row)  # faster than joining slices
    items[place] = item
    return tuple(items)


def shallow_copy(old: T) -> T:
    """Make a new object of the same dataclass with the same fields."""
    copied: T = _COPIERS[type(old)](old)
    return copied


class _Copiers(dict[type, Callable[[Any], Any]]):
    """Per dataclass the function that copies its objects, made when it is first needed."""

    def __missing__(self, kind: type) -> Callable[[Any], Any]:
        copier = self[kind] = _make_copier(kind)
        return copier


_COPIERS = _Copiers()


def _make_copier(kind: type) -> Callable[[Any], Any]:
    """Make `lambda old: new` with one assignment per field, as dataclasses write their own `__init__`."""
    names = [field.name for field in dataclasses.fields(kind)]
    lines = [f"    new.{name} = old.{name}" for name in names]
    source = "\n".join(["def copier(old):", "    new = make(kind)", *lines, "    return new"])
    scope: dict[str, Any] = {"make": object.__new__, "kind": kind}
    exec(source, scope)
    copier: Callable[[Any], Any] = scope["copier"]
    return copier
