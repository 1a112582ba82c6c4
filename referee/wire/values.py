"""From frozen values to generated messages, by name: an action or event and its message have the same name and the same
fields, so one translation serves every option and event of every game.

It goes through the generated classes and is slow, which does not matter: `GameWire` encodes each value once and keeps
the bytes. Observations are too many for that and are joined by hand, see `codec.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.message import Message

from referee.errors import RulesError


def snake(name: str) -> str:
    """`TurnBegan` is `turn_began`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def numbers(enum: EnumDescriptor) -> Mapping[str, int]:
    """The members of an enum on the wire, without its prefix, in lower case: `section_hull` of Section is `hull`."""
    prefix = f"{snake(enum.name)}_"
    return {value.name.lower().removeprefix(prefix): value.number for value in enum.values if value.number}


def enum_number(enum: EnumDescriptor, value: Enum | str) -> int:
    """The number of an id on the wire: the enum member's name, or the text itself."""
    name = value.name if isinstance(value, Enum) else value
    return numbers(enum)[name.lower()]


def encode_one(union: Message, value: object) -> bytes:
    """A message with one oneof, whose member named after the value's class is filled from the value."""
    field = _member(union.DESCRIPTOR, type(value).__name__)
    message = getattr(union, field)
    message.SetInParent()
    fill(message, value)
    return union.SerializeToString(deterministic=True)


@cache
def _member(union: Descriptor, name: str) -> str:
    for field in union.fields:
        if field.message_type is not None and field.message_type.name == name:
            return str(field.name)
    raise RulesError(f"{union.full_name} has no message {name}")


def fill(message: Message, value: object) -> None:
    """Copy a frozen value into the message of its class, field by field; None stays absent."""
    for one in fields(value):  # type: ignore[arg-type]
        content = getattr(value, one.name)
        if content is None:
            continue
        field = message.DESCRIPTOR.fields_by_name[one.name]
        if field.is_repeated:
            _fill_repeated(getattr(message, one.name), field, content)
        elif field.message_type is not None:
            part = getattr(message, one.name)
            part.SetInParent()
            fill(part, content)
        else:
            setattr(message, one.name, plain(field, content))


def _fill_repeated(target: Any, field: Any, items: Any) -> None:
    for item in items:
        if field.message_type is not None:
            fill(target.add(), item)
        else:
            target.append(plain(field, item))


def plain(field: Any, content: Any) -> Any:
    """A number of the wire for a field: ids are looked up in the field's enum."""
    if field.enum_type is not None and not (isinstance(content, int) and not isinstance(content, Enum)):
        return enum_number(field.enum_type, content)
    if is_dataclass(content):
        raise RulesError(f"{field.full_name} is no message, but {content!r} is one")
    return content.value if isinstance(content, Enum) else content
