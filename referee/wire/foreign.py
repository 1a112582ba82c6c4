"""The wire of games without a proto file of ours: their own values as JSON, in the message `Foreign`.

    a dataclass             an object: its fields, and `_type`, its TAG or else the name of its class
    a tuple, a list         an array
    a frozenset, a set      an array, in the order of its items' texts
    a dict                  an object; keys are texts, whole numbers or enum members
    an enum member          its name
    None, a truth value, a whole number, a text, a finite number with a point    as JSON writes them

Keys are sorted, there are no spaces, and texts are written in UTF-8: equal values are the same bytes on every machine.
The text of an immutable part is kept with it, so what recurs is written once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from json.encoder import encode_basestring
from typing import Any

from referee.errors import GameFault
from referee.rules.engine import AnyGame
from referee.rules.parts import Part
from referee.wire.codec import nested
from referee.wire.game import AnyWire, GameWire
from tortuga.v1 import foreign_pb2

FOREIGN = "foreign"
FIELD = 15
"""Name and number of the message in `Question.position`."""
TYPE = "_type"
"""Key of the name of a value's kind."""


def foreign_wire(game: AnyGame, messages_version: int) -> AnyWire:
    """Make the wire of a game of another package."""

    def write(value: Any) -> bytes:
        try:
            return to_json(value).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise GameFault(f"the game {game.info.id} of {game.origin}: it cannot be sent as JSON: {error}") from None

    def option(action: Any) -> bytes:
        return nested(1, write(action)) + nested(2, game.text.action(action).encode())

    return GameWire(
        field=FIELD,
        messages_version=messages_version,
        decisions={},
        observation=write,
        option=option,
        event=lambda event: nested(1, write(event)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignPosition:
    """A `Foreign` that was read: what a drawing gets as the position of a game that is sent as JSON."""

    decision: str
    observation: dict[str, Any]
    events: list[dict[str, Any]]
    options: list[dict[str, Any]]


def read_foreign(message: foreign_pb2.Foreign) -> ForeignPosition:
    """Read the JSON of a position."""
    return ForeignPosition(
        decision=message.decision,
        observation=json.loads(message.observation or "{}"),
        events=[json.loads(event.json) for event in message.events],
        options=[json.loads(option.json) for option in message.options],
    )


def to_json(value: Any) -> str:
    """Return a value of a game as JSON, the same text for equal values. TypeError for what has no place in JSON."""
    writer = _WRITERS.get(type(value))
    if writer is None:
        writer = _WRITERS[type(value)] = _find_writer(type(value))
    return writer(value)


def _find_writer(kind: type) -> Callable[[Any], str]:
    if is_dataclass(kind):
        return _dataclass_writer(kind)
    if issubclass(kind, Enum):
        return lambda member: encode_basestring(member.name)
    if issubclass(kind, tuple | list):
        return _write_row
    raise TypeError(f"a {kind.__name__} is no dataclass, enum member, number, text or container of them")


def _dataclass_writer(kind: Any) -> Callable[[Any], str]:
    """Make a function that writes values of one class. What a Part is written as is kept with it."""
    tag = vars(kind).get("TAG") or kind.__name__
    names = sorted(field.name for field in fields(kind) if field.init)
    # An underscore comes before small letters and after capitals.
    keys = sorted([*names, TYPE])
    heads = [f"{encode_basestring(name)}:" for name in keys]

    def write(value: Any) -> str:
        texts = [encode_basestring(tag) if name == TYPE else to_json(getattr(value, name)) for name in keys]
        return "{" + ",".join([head + text for head, text in zip(heads, texts, strict=True)]) + "}"

    def write_once(part: Any) -> str:
        text: str | None = part.__dict__.get("json")
        if text is None:
            text = part.__dict__["json"] = write(part)
        return text

    return write_once if issubclass(kind, Part) else write


def _write_row(row: Any) -> str:
    return f"[{','.join(map(to_json, row))}]"


def _write_set(items: Any) -> str:
    return f"[{','.join(sorted(map(to_json, items)))}]"


def _write_dict(table: Any) -> str:
    rows = sorted([(_key(key), to_json(item)) for key, item in table.items()])
    return "{" + ",".join([f"{encode_basestring(key)}:{text}" for key, text in rows]) + "}"


def _key(key: Any) -> str:
    if isinstance(key, Enum):
        return key.name
    if type(key) in (str, int):
        return str(key)
    raise TypeError(f"a key of a dict is a {type(key).__name__}, expected a text, a whole number or an enum member")


def _write_float(number: float) -> str:
    if not math.isfinite(number):
        raise ValueError(f"{number} has no place in JSON")
    return repr(number)


_WRITERS: dict[type, Callable[[Any], str]] = {
    int: str,
    str: encode_basestring,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    float: _write_float,
    tuple: _write_row,
    list: _write_row,
    set: _write_set,
    frozenset: _write_set,
    dict: _write_dict,
}
