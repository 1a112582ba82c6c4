"""What can be said to a door without being a client at all: HTTP/2 as nobody speaks it, at both doors of an arena."""

from __future__ import annotations

import asyncio
import struct
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from support.bystanders import ATTACKER, Bystanders
from support.raw_http2 import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    PUSH,
    RESET,
    SETTINGS,
    WINDOW,
    Rude,
    call,
    frame,
    header,
    number,
)
from support.sizes import pick

COUNT = pick(ci=2000, full=50_000)
"""How often each connection says what it says."""
MENTIONING = 40
CONNECTIONS = pick(ci=2, full=10)
"""Connections of an attack at each door."""
PATHS = {"bots": "/tortuga.v1.Referee/Play", "public": "/tortuga.v1.Arena/ListLadders"}
HELLO = PREFACE + frame(SETTINGS)

Pieces = Callable[[str], Iterator[bytes]]


def streams(count: int) -> Iterator[int]:
    """Yield numbers of streams that a client opens."""
    return iter(range(1, 2 * count, 2))


def opened(path: str, stream: int, *more: bytes) -> bytes:
    """Return the beginning of a call."""
    return frame(HEADERS, call(path) + b"".join(more), flags=END_HEADERS, stream=stream)


def rapid_reset(path: str) -> Iterator[bytes]:
    """Open streams and reset them at once: none counts as open, and each was begun."""
    yield HELLO
    for stream in streams(COUNT):
        yield opened(path, stream) + frame(RESET, struct.pack(">I", 8), stream=stream)


def many_streams(path: str) -> Iterator[bytes]:
    """Open streams and leave them open."""
    yield HELLO
    for stream in streams(COUNT):
        yield opened(path, stream)


def huge_header(path: str) -> Iterator[bytes]:
    """Send a header of megabytes, in pieces as large as a frame may be."""
    yield HELLO
    block = call(path) + header("x-huge", "x" * (COUNT * 1000))
    pieces = [block[at : at + 16_000] for at in range(0, len(block), 16_000)]
    yield frame(HEADERS, pieces[0], stream=1)
    for piece in pieces[1:]:
        yield frame(CONTINUATION, piece, stream=1)


def endless_headers(path: str) -> Iterator[bytes]:
    """Go on with the same headers for ever."""
    yield HELLO + frame(HEADERS, call(path), stream=1)
    for turn in range(COUNT):
        yield frame(CONTINUATION, header(f"x-{turn}", "y" * 100), stream=1)


def header_bomb(path: str) -> Iterator[bytes]:
    """Name one large remembered header thousands of times: each mention is a byte.

    Not more often in the full size: gRPC keeps some 90 bytes for each mention (docs/security.md).
    """
    yield HELLO
    kept = header("x-bomb", "x" * 3900, kept=True)
    mention = bytes((0x80 | 62,))
    for stream in streams(MENTIONING):
        yield opened(path, stream, kept, mention * 8000)


def endless_integer(path: str) -> Iterator[bytes]:
    """Write a length that does not fit into any number."""
    yield HELLO
    yield frame(HEADERS, b"\x00" + number(127, 7)[:1] + b"\xff" * 10_000, flags=END_HEADERS, stream=1)


def pings(path: str) -> Iterator[bytes]:
    """Ask for sign after sign of life."""
    yield HELLO
    for _ in range(COUNT // 100):
        yield frame(PING, b"12345678") * 100


def settings(path: str) -> Iterator[bytes]:
    """Change the settings again and again, each of which has to be confirmed."""
    yield HELLO
    for turn in range(COUNT // 100):
        yield frame(SETTINGS, struct.pack(">HI", 4, 1000 + turn % 7)) * 100


def priorities(path: str) -> Iterator[bytes]:
    """Arrange streams that there are not."""
    yield HELLO
    for stream in streams(COUNT):
        yield frame(PRIORITY, struct.pack(">IB", stream + 2, 7), stream=stream)


def windows(path: str) -> Iterator[bytes]:
    """Let a window grow beyond its bound."""
    yield HELLO + opened(path, 1)
    for _ in range(3):
        yield frame(WINDOW, struct.pack(">I", 2**31 - 1), stream=1) + frame(WINDOW, struct.pack(">I", 2**31 - 1))


def closed_window(path: str) -> Iterator[bytes]:
    """Call and let nothing of the answer through."""
    yield PREFACE + frame(SETTINGS, struct.pack(">HI", 4, 0))
    for stream in streams(COUNT // 100):
        yield opened(path, stream) + frame(DATA, bytes(5), flags=END_STREAM, stream=stream)


def giant_message(path: str) -> Iterator[bytes]:
    """Announce a message of four gigabytes and begin to send it."""
    yield HELLO + opened(path, 1) + frame(DATA, b"\x00\xff\xff\xff\xff", stream=1)
    for _ in range(COUNT // 10):
        yield frame(DATA, b"x" * 16_000, stream=1)


def empty_data(path: str) -> Iterator[bytes]:
    """Send frames without content."""
    yield HELLO + opened(path, 1)
    for _ in range(COUNT):
        yield frame(DATA, stream=1)


def compressed(path: str) -> Iterator[bytes]:
    """Say that a message is packed, which it is not, by a method that nobody agreed on."""
    yield HELLO + opened(path, 1, header("grpc-encoding", "gzip")) + frame(DATA, b"\x01\0\0\0\x04junk", stream=1)


def wrong_frames(path: str) -> Iterator[bytes]:
    """Send frames that a client never sends, or that nobody does."""
    yield HELLO + opened(path, 1)
    yield frame(PUSH, b"\0\0\0\2" + call(path), flags=END_HEADERS, stream=1)
    yield frame(77, b"?", stream=1) + frame(DATA, b"x", stream=9) + frame(GOAWAY, b"\0" * 8)


def too_long_a_frame(path: str) -> Iterator[bytes]:
    """Announce a frame of sixteen megabytes."""
    yield HELLO + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01"
    for _ in range(COUNT // 10):
        yield b"x" * 16_000


def other_protocols(path: str) -> Iterator[bytes]:
    """Speak TLS, then HTTP/1, then nothing that has a name."""
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    yield b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n"
    yield bytes(range(256)) * 40


ATTACKS: tuple[Pieces, ...] = (
    *(rapid_reset, many_streams, huge_header, endless_headers, header_bomb, endless_integer, pings, settings),
    *(priorities, windows, closed_window, giant_message, empty_data, compressed, wrong_frames, too_long_a_frame),
    *(other_protocols,),
)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: str(attack.__name__))
async def test_no_frame_of_http2_costs_others_anything(attack: Pieces, bystanders: Bystanders) -> None:
    with bystanders.unharmed(attack.__name__):
        for door, path in PATHS.items():
            rude = [Rude(getattr(bystanders.served, door), ATTACKER) for _ in range(CONNECTIONS)]
            ends = await asyncio.gather(*(each.attack(attack(path)) for each in rude))
            sent = sum(each.sent_bytes for each in rude)
            print(f"{attack.__name__} at the door {door}: {sent} bytes, {dict(Counter(ends))}")
            assert "silent" not in ends
