"""From frozen values to generated messages, by name: an action or event and its message have the same name and the same
fields, so one translation serves every option and event of every game.

It goes through the generated classes and is slow, which does not matter: `GameWire` encodes each value once and keeps
the bytes. Observations are too many for that and are joined by hand, see `codec.py`.

    a dataclass             the message with its field names; None stays absent, `init=False` fields are not sent
    a tuple, repeated       its items in a row
    a tuple, one message    its items in the order of the message's fields: (x, y) is a Point
    an enum member, an id   the member of the field's enum that has its name
    a bare value            for a message with a oneof of two: an enum member is one alternative, a number the other
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from referee.errors import RulesError


def snake(name: str) -> str:
    """`TurnBegan` is `turn_began`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def numbers(enum: EnumDescriptor) -> Mapping[str, int]:
    """The members of an enum on the wire, without its prefix, in lower case: `SECTION_HULL` of Section is `hull`."""
    prefix = f"{snake(enum.name)}_"
    return {value.name.lower().removeprefix(prefix): value.number for value in enum.values if value.number}


def enum_number(enum: EnumDescriptor, value: Enum | str) -> int:
    """The number of an id on the wire: the enum member's name, or the text itself."""
    name = value.name if isinstance(value, Enum) else value
    return numbers(enum)[name.lower()]


def encode_one(union: Message, value: object) -> bytes:
    """A message with one oneof, whose member named after the value's class is filled from the value."""
    field = member(union.DESCRIPTOR, type(value).__name__)
    if field.message_type is None:  # the value has one field, which is sent bare
        [content] = _contents(value).values()
        setattr(union, field.name, _plain(field, content))
    else:
        _fill_message(getattr(union, field.name), value)
    return union.SerializeToString(deterministic=True)


@cache
def member(union: Descriptor, name: str) -> FieldDescriptor:
    """The alternative that holds values of that class: by its own name, else by the name of its message."""
    if snake(name) in union.fields_by_name:
        return union.fields_by_name[snake(name)]
    for field in union.fields:
        if field.message_type is not None and field.message_type.name == name:
            return field
    raise RulesError(f"{union.full_name} has no member for {name}")


def fill(message: Message, value: object) -> None:
    """Copy a frozen value into a message, field by field; None stays absent."""
    for name, content in _contents(value).items():
        if content is not None:
            _fill_field(message, _field(message.DESCRIPTOR, name), content)


@cache
def _field(message: Descriptor, name: str) -> FieldDescriptor:
    if name not in message.fields_by_name:
        raise RulesError(f"{message.full_name} has no field {name}")
    field: FieldDescriptor = message.fields_by_name[name]
    return field


def _contents(value: object) -> dict[str, object]:
    """The fields of a frozen value that travel."""
    assert is_dataclass(value)
    assert not isinstance(value, type)
    return {field.name: getattr(value, field.name) for field in fields(value) if field.init}


def _fill_field(message: Message, field: FieldDescriptor, content: object) -> None:
    if not field.is_repeated:
        if field.message_type is None:
            setattr(message, field.name, _plain(field, content))
        else:
            _fill_message(getattr(message, field.name), content)
        return
    assert isinstance(content, Iterable)
    target = getattr(message, field.name)
    for item in content:
        if field.message_type is None:
            target.append(_plain(field, item))
        else:
            _fill_message(target.add(), item)


def _fill_message(message: Message, content: object) -> None:
    """A message inside another: see the table at the top of this file."""
    message.SetInParent()
    if is_dataclass(content):
        fill(message, content)
    elif isinstance(content, tuple):
        for name, item in zip(message.DESCRIPTOR.fields_by_name, content, strict=True):
            _fill_field(message, _field(message.DESCRIPTOR, name), item)
    else:
        field = _alternative(message.DESCRIPTOR, isinstance(content, Enum))
        setattr(message, field.name, _plain(field, content))


@cache
def _alternative(union: Descriptor, for_enum: bool) -> FieldDescriptor:
    """The one member of a oneof of two that holds an enum, or the one that does not."""
    [field] = [field for field in union.fields if (field.enum_type is not None) is for_enum]
    return field


def _plain(field: FieldDescriptor, content: object) -> object:
    """What a field takes that is no message: ids are looked up in the field's enum, numbers stay as they are."""
    if is_dataclass(content) or isinstance(content, tuple):
        raise RulesError(f"{field.full_name} is no message, but {content!r} needs one")
    if field.enum_type is not None and isinstance(content, Enum | str):
        return enum_number(field.enum_type, content)
    return content.value if isinstance(content, Enum) else content
