"""A short hash of any state, the same on every machine, Python version and hash seed.

States are made of dataclasses, enums, numbers, texts and containers of them. They are written as nested tuples of plain
values, as Python's `repr` has shown those since version 3.1; sets and dicts are put in order first. The text of an
immutable part is kept with it, so a fingerprint mostly joins texts that are there already.

Records hold these hashes, so no name in the code may be part of them: a dataclass is known by its `TAG` and the order
of its fields, an enum member by its value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum, IntEnum, StrEnum
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from referee.errors import RulesError
from referee.rules.chance import ScriptedChance, SeededChance
from referee.rules.parts import Part

DIGEST_BYTES = 16

_PLAIN = frozenset({int, str, bool, bytes, type(None)})
_TAGS: dict[type, str] = {SeededChance: "SeededChance", ScriptedChance: "ScriptedChance"}
_GETTERS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    # The secret is in the record's header; what changes during a match is how much luck was drawn.
    SeededChance: lambda chance: tuple(sorted(chance._ordinals.items())),
    ScriptedChance: lambda chance: (chance._draws, chance._orders),
}


def fingerprint(state: Any) -> bytes:
    """Return 16 bytes that differ when anything in the state differs."""
    return blake2b(text(state).encode(), digest_size=DIGEST_BYTES).digest()


def text(value: Any) -> str:
    """Return `repr(plain(value))`, but make the text of a part only once."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind is tuple:
        kinds = set(map(type, value))
        if kinds <= _PLAIN:
            return repr(value)
        if len(kinds) == 1 and issubclass(kinds.pop(), IntEnum | StrEnum):
            return repr(tuple([member._value_ for member in value]))
        return _tuple_text(list(map(text, value)))
    if isinstance(value, Part):
        store = value.__dict__
        cached: str | None = store.get("fingerprint text")
        if cached is None:
            cached = store["fingerprint text"] = _dataclass_text(kind, value)
        return cached
    if isinstance(value, Enum):
        return text(value._value_)
    if kind is SeededChance:
        return repr((_TAGS[kind], *_GETTERS[kind](value)))  # texts and numbers only
    return _dataclass_text(kind, value) if kind in _GETTERS else repr(plain(value))


def _dataclass_text(kind: type, value: Any) -> str:
    if kind not in _GETTERS:
        _learn(kind)
    return _tuple_text([repr(_TAGS[kind]), *map(text, _GETTERS[kind](value))])


def _tuple_text(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def plain(value: Any) -> Any:
    """Return the value as nested tuples of plain values."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return tuple([plain(item) for item in value])
    getter = _GETTERS.get(kind)
    if getter is not None:
        return (_TAGS[kind], *map(plain, getter(value)))
    if kind is dict:
        return tuple(sorted([(plain(key), plain(item)) for key, item in value.items()]))
    if kind is set or kind is frozenset:
        return tuple(sorted([plain(item) for item in value]))
    if isinstance(value, Enum):
        return plain(value.value)
    if is_dataclass(value):
        _learn(kind)
        return plain(value)
    raise RulesError(f"a state may not hold a {kind.__name__}")


def _learn(kind: type) -> None:
    _TAGS[kind] = tag_of(kind)
    _GETTERS[kind] = _getter([field.name for field in fields(kind)])


def tag_of(kind: type) -> str:
    """Return the name of a class in fingerprints. It has to be the class's own: an inherited one would not tell them
    apart."""
    tag = vars(kind).get("TAG")
    if not isinstance(tag, str):
        raise RulesError(f"{kind.__module__}.{kind.__name__} may be part of a state, so it needs a TAG of its own")
    return tag


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)
