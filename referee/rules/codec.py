"""Converts a state to text and back, for the forward model. Records hash a different form.

    None, a truth value, a number, a text   as JSON writes them
    a tuple                                 an array
    a list, a frozenset, a dict             {"list": […]}, {"frozenset": […]}, {"dict": [[key, value], …]}, in order
    an enum member                          {"Card": 3}: the name of its class and its value
    a dataclass                             {"Ship": […]}: its TAG and its fields in their order

The luck of a match is never written: `null` stands in its place. A reader knows the classes of one game by name and
builds nothing else, so the worst a text can do is to be refused. The text of an immutable part is kept with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from referee.errors import ModelError, RulesError
from referee.rules.chance import FillerChance, ScriptedChance, SeededChance
from referee.rules.fingerprint import tag_of
from referee.rules.infos import PLUGINS
from referee.rules.parts import Part
from referee.rules.plugins import package_of

_CONTAINERS: Mapping[str, Callable[[Any], Any]] = {"list": list, "frozenset": frozenset, "dict": dict}
_LUCK = (SeededChance, ScriptedChance, FillerChance)


def encode(value: Any) -> str:
    """Return the value as text, the same for equal values."""
    kind = type(value)
    if kind is tuple:
        return f"[{','.join(map(encode, value))}]"
    if kind is int:
        return str(value)
    if isinstance(value, Part):
        store = value.__dict__
        text: str | None = store.get("model text")
        if text is None:
            text = store["model text"] = _encode_fields(value)
        return text
    if isinstance(value, Enum):
        return _encode_member(value)
    if value is None or kind is str or kind is bool:
        return json.dumps(value)
    if kind in _LUCK:
        return "null"
    if kind is list:
        return f'{{"list":{encode(tuple(value))}}}'
    if kind is frozenset:
        return f'{{"frozenset":[{",".join(sorted(map(encode, value)))}]}}'
    if kind is dict:
        return f'{{"dict":[{",".join(sorted(encode(item) for item in value.items()))}]}}'
    if is_dataclass(kind):
        return _encode_fields(value)
    raise RulesError(f"a state may not hold a {kind.__name__}")


def _encode_fields(value: Any) -> str:
    kind = type(value)
    return f'{{"{tag_of(kind)}":[{",".join([encode(getattr(value, name)) for name in _names(kind)])}]}}'


@lru_cache(None, typed=True)  # members of different enums may be equal
def _encode_member(member: Enum) -> str:
    return json.dumps({type(member).__name__: member.value}, separators=(",", ":"))


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(kind: Any) -> tuple[str, ...]:
    names = _NAMES.get(kind)
    if names is None:
        names = _NAMES[kind] = tuple(field.name for field in fields(kind))
    return names


def decode(game_id: str, text: str) -> Any:
    """Return the value that was encoded, made of the classes of that game."""
    try:
        return _decode(_kinds(game_id), json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelError(f"this is not a state of {game_id}: {error}") from None


def _decode(kinds: Mapping[str, type], raw: Any) -> Any:
    if isinstance(raw, list):
        return tuple([_decode(kinds, item) for item in raw])
    if not isinstance(raw, dict):
        return raw
    [(name, content)] = raw.items()
    if name in _CONTAINERS:
        return _CONTAINERS[name](_decode(kinds, content))
    kind = kinds[name]
    if issubclass(kind, Enum):
        return kind(content)
    built: Any = object.__new__(kind)
    for field, item in zip(_names(kind), content, strict=True):
        setattr(built, field, _decode(kinds, item))
    return built


@cache
def _kinds(game_id: str) -> Mapping[str, type]:
    """Return by name the classes that a state of that game, which has been imported, may be made of."""
    kinds: dict[str, type] = {}
    package = package_of(PLUGINS[game_id])
    for module in sorted(name for name in sys.modules if f"{name}.".startswith(f"{package}.")):
        for kind in vars(sys.modules[module]).values():
            if not isinstance(kind, type) or kind.__module__ != module:
                continue
            name = vars(kind).get("TAG") if is_dataclass(kind) else kind.__name__ if issubclass(kind, Enum) else None
            if name is not None and kinds.setdefault(name, kind) is not kind:
                raise RulesError(f"{kinds[name]} and {kind} are both called {name}")
    return kinds


@cache
def layout(game_id: str) -> str:
    """Return a short hash of how the states of that game are built: texts of another layout cannot be read."""
    parts = []
    for name, kind in sorted(_kinds(game_id).items()):
        members = [member.value for member in kind] if issubclass(kind, Enum) else _names(kind)
        parts.append(f"{name} {members}")
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
