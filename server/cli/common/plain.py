"""Messages from far away, made fit for JSON."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message


def as_plain(message: Message) -> dict[str, Any]:
    """A message as JSON can say it: every field by its name, hashes in hexadecimal, enum values as words, and null for
    what is not known."""
    found: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof and field.containing_oneof.name[:1] != "_" and not message.HasField(field.name):
            continue  # of several kinds of content only the one that is there
        value = getattr(message, field.name)
        if field.is_repeated:
            found[field.name] = [_value(field, one) for one in value]
        elif field.has_presence and not message.HasField(field.name):
            found[field.name] = None
        else:
            found[field.name] = _value(field, value)
    return found


def _value(field: Any, value: Any) -> Any:
    if isinstance(value, Message):
        return as_plain(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        return enum_word(field.enum_type, value)
    return value


def enum_word(kind: Any, number: int) -> str:
    """An enum's value as a word: EVENT_STATE_CHECK_IN is "check_in"."""
    known = kind.values_by_number.get(number)
    if known is None:
        return str(number)  # of a newer server
    prefix = kind.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(known.name.removeprefix(prefix).lower())
