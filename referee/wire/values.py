"""From frozen values to generated messages, by name: an action or event and its message have the same name and the same
fields, so one translation serves every option and event of every game.

How a class becomes a message is worked out once, from the descriptors; then its values are written with the pieces of
`codec.py`. Observations are larger and are joined by hand.

    a dataclass             the message with its field names; None stays absent, `init=False` fields are not sent
    a tuple, repeated       its items in a row
    a tuple, one message    its items in the order of the message's fields: (x, y) is a Point
    an enum member, an id   the member of the field's enum that has its name
    a bare value            for a message with a oneof of two: an enum member is one alternative, a number the other
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from typing import Any, TypeAlias

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message

from referee.errors import RulesError
from referee.wire.codec import PIECES, nested, number, packed, present, zigzag

Encoder: TypeAlias = Callable[[Any], bytes]
"""Function from what a field holds to its serialized bytes, tag included; or from a value to the bytes inside a
message."""


def snake(name: str) -> str:
    """Convert a class name to a field name: `TurnBegan` to `turn_began`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@cache
def numbers(enum: EnumDescriptor) -> Mapping[str, int]:
    """Return the members of an enum on the wire, without its prefix, in lower case: `SECTION_HULL` of Section is
    `hull`."""
    prefix = f"{snake(enum.name)}_"
    return {value.name.lower().removeprefix(prefix): value.number for value in enum.values if value.number}


@lru_cache(PIECES, typed=True)
def enum_number(enum: EnumDescriptor, value: Enum | str) -> int:
    """Return the number of an id on the wire: the enum member's name, or the text itself."""
    name = value.name if isinstance(value, Enum) else value
    return numbers(enum)[name.lower()]


def encode_one(union: Message, value: object) -> bytes:
    """Encode a message with one oneof, whose member named after the value's class is filled from the value."""
    kind: type = type(value)
    return _member_encoder(union.DESCRIPTOR, kind)(value)


def fill(message: Message, value: object) -> None:
    """Copy a frozen value into a message, field by field; None stays absent."""
    kind: type = type(value)
    message.MergeFromString(_message_encoder(message.DESCRIPTOR, kind)(value))


@cache
def member(union: Descriptor, name: str) -> FieldDescriptor:
    """Find the alternative that holds values of that class: by its own name, else by the name of its message."""
    if snake(name) in union.fields_by_name:
        return union.fields_by_name[snake(name)]
    for field in union.fields:
        if field.message_type is not None and field.message_type.name == name:
            return field
    raise RulesError(f"{union.full_name} has no member for {name}")


@cache
def _member_encoder(union: Descriptor, kind: type) -> Encoder:
    """Make an encoder of values of that class as a member of a oneof."""
    field = member(union, kind.__name__)
    encode = _field_encoder(field)
    if field.message_type is not None:
        return encode
    [name] = _sent_names(kind)  # the value has one field, which is sent bare
    return lambda value: encode(getattr(value, name))


@cache
def _message_encoder(message: Descriptor, kind: type) -> Encoder:
    """Make an encoder of values of that class as a message: see the table at the top of this file."""
    if is_dataclass(kind):
        known = message.fields_by_name
        names = sorted(_sent_names(kind), key=lambda name: known[name].number if name in known else 0)
        encoders = [(name, _field_encoder(known[name]) if name in known else _refuser(message, name)) for name in names]
        return lambda value: b"".join(
            [encode(content) for name, encode in encoders if (content := getattr(value, name)) is not None]
        )
    if issubclass(kind, tuple):
        row = [_field_encoder(field) for field in message.fields]
        return lambda value: b"".join([encode(content) for encode, content in zip(row, value, strict=True)])
    for_enum = issubclass(kind, Enum)
    [alternative] = [field for field in message.fields if (field.enum_type is not None) is for_enum]
    return _field_encoder(alternative)


def _sent_names(kind: type) -> list[str]:
    """Return the fields of a frozen value that are sent."""
    return [field.name for field in fields(kind) if field.init]


def _refuser(message: Descriptor, name: str) -> Encoder:
    """Make an encoder for a field the message does not have: it may only be None."""

    def refuse(content: object) -> bytes:
        raise RulesError(f"{message.full_name} has no field {name} for {content!r}")

    return refuse


@cache
def _field_encoder(field: FieldDescriptor) -> Encoder:
    """Make an encoder of what a field holds, with its tag."""
    tag, message = field.number, field.message_type
    if message is None:
        plain = _plain(field)
        if field.is_repeated:
            return lambda items: packed(tag, map(plain, items))
        write = present if field.has_presence else number
        return lambda content: write(tag, plain(content))

    def encode(content: object) -> bytes:
        kind: type = type(content)
        return nested(tag, _message_encoder(message, kind)(content))

    def encode_all(items: Iterable[object]) -> bytes:
        return b"".join(map(encode, items))

    return encode_all if field.is_repeated else encode


def _plain(field: FieldDescriptor) -> Callable[[Any], int]:
    """Make a function from what a field holds that is no message to the number on the wire."""
    enum = field.enum_type
    if enum is not None:  # ids are looked up in it, numbers are its own
        return lambda content: enum_number(enum, content) if isinstance(content, Enum | str) else content
    if field.type == FieldDescriptor.TYPE_SINT32:
        return zigzag
    if field.type in (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_BOOL):
        return int
    raise RulesError(f"{field.full_name} has a type that no option or event has had so far")
