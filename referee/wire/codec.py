"""Protobuf by the piece: serialized fields put side by side are a valid message.

Building a message object costs ten times its encoding, so what is the same from question to question (an option, a
ship, a card pile) is encoded once, cached as bytes, and joined. Only the shapes our hot messages use are here;
everything else goes through the generated classes.
"""

from __future__ import annotations

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """A whole number >= 0 as protobuf writes it."""
    if value < 0x80:
        return _SMALL[value]
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_SMALL = [bytes([value]) for value in range(0x80)]


def number(field: int, value: int) -> bytes:
    """An integer, bool or enum field; nothing at all if it is 0, as proto3 has it. Not for negative values."""
    return varint(field << 3) + varint(value) if value else b""


def nested(field: int, payload: bytes) -> bytes:
    """A message, string or bytes field."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def packed(field: int, values: Iterable[int]) -> bytes:
    """A repeated integer or enum field; nothing at all if it is empty."""
    payload = b"".join(map(varint, values))
    return nested(field, payload) if payload else b""
