"""Protobuf by the piece: serialized fields put side by side are a valid message.

Building a message object costs ten times its encoding, so what is the same from question to question (an option, a
ship, a card pile) is encoded once, cached as bytes, and joined. Only the shapes our hot messages use are here;
everything else goes through the generated classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

PIECES = 1 << 14
"""Number of encoded pieces of one kind that are cached: the size for `lru_cache`."""


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_KNOWN = 1 << 12
_VARINTS = [_varint(value) for value in range(_KNOWN)]
"""Varints of tags, counts and the lengths of nearly all messages."""


def varint(value: int) -> bytes:
    """Encode a whole number >= 0 as protobuf writes it."""
    return _VARINTS[value] if value < _KNOWN else _varint(value)


@lru_cache(PIECES)
def number(field: int, value: int) -> bytes:
    """Encode an integer, bool or enum field; nothing at all if it is 0, as proto3 has it. Not for negative values."""
    return varint(field << 3) + varint(value) if value else b""


def present(field: int, value: int) -> bytes:
    """Encode a number that is written even if it is 0: an `optional` field, or a member of a oneof."""
    return varint(field << 3) + varint(value)


def zigzag(value: int) -> int:
    """Map a sint32 to the number that is written, so that small numbers of either sign stay short."""
    return 2 * value if value >= 0 else -2 * value - 1


def signed(field: int, value: int) -> bytes:
    """Encode a sint32 field; nothing at all if it is 0."""
    return number(field, zigzag(value))


def nested(field: int, payload: bytes) -> bytes:
    """Encode a message, string or bytes field."""
    return varint(field << 3 | 2) + varint(len(payload)) + payload


def packed(field: int, values: Iterable[int]) -> bytes:
    """Encode a repeated integer or enum field; nothing at all if it is empty."""
    payload = b"".join(map(varint, values))
    return nested(field, payload) if payload else b""


def pair(field: int, first: int, second: int) -> bytes:
    """Encode a message of two numbers, its fields 1 and 2."""
    return nested(field, number(1, first) + number(2, second))
