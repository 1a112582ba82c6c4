"""Messages of a referee that is newer than the bot: the protocol grows, and a bot of today has to cope with it."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.wire.codec import nested, number, varint
from tortuga.v1 import referee_pb2 as pb

UNKNOWN_FIELDS = (
    number(3000, 7)
    + nested(3001, b"a text of tomorrow")
    + varint(3002 << 3 | 5)
    + b"\1\2\3\4"  # fixed32
    + varint(3003 << 3 | 1)
    + b"\1\2\3\4\5\6\7\x08"  # fixed64
    + nested(3004, nested(1, number(1, 1)))
)
"""One of each shape, with numbers no message uses."""
UNKNOWN_VALUE = 3000
"""A value no enum has."""


def with_unknown_fields(raw: bytes) -> bytes:
    """Return a ToBot with unknown fields in each of its messages."""
    message = pb.ToBot.FromString(raw)
    for part in parts(message):
        part.MergeFromString(UNKNOWN_FIELDS)
    return message.SerializeToString()


def of_unknown_kind(table: int) -> list[bytes]:
    """Return messages of kinds that do not exist: one with a body, and one that is empty altogether."""
    return [number(1, table) + nested(100, UNKNOWN_FIELDS), number(1, table), b""]


def with_unknown_values(raw: bytes) -> bytes:
    """A question of a kind that is not known, with an unknown event and an unknown option, and events whose enums have
    unknown values."""
    message = pb.ToBot.FromString(raw)
    position = getattr(message.question, message.question.WhichOneof("position") or "")
    for event in list(position.events):
        strange = position.events.add()
        strange.CopyFrom(event)
        for part in parts(strange):
            set_unknown_values(part)
    position.events.add().MergeFromString(UNKNOWN_FIELDS)
    if position.options:
        position.options.add().MergeFromString(UNKNOWN_FIELDS)
        message.question.option_count += 1
    position.decision = "DECISION_OF_TOMORROW" if isinstance(position.decision, str) else UNKNOWN_VALUE
    return message.SerializeToString()


def set_unknown_values(message: Message) -> None:
    """Give every enum field that is set an unknown value."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_ENUM:
            if isinstance(value, int):
                setattr(message, field.name, UNKNOWN_VALUE)
            else:
                value[0] = UNKNOWN_VALUE


def parts(message: Message) -> Iterator[Message]:
    """Yield a message and all messages in it. No message of ours has maps."""
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in [value] if isinstance(value, Message) else list(value):
                yield from parts(part)
