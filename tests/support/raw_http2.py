"""HTTP/2 by hand, for saying what no client would: frames, headers, and a connection on which anything is said."""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import Iterable
from contextlib import suppress

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS = 0x1, 0x4
LAST = b"\xfflast!!\xff"
MOST_SECONDS = 60.0
"""An attack that the other side does not end is over after this time."""


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    """Return one frame."""
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def number(value: int, bits: int) -> bytes:
    """Return an integer as HPACK writes it after a prefix of zeros."""
    most = (1 << bits) - 1
    if value < most:
        return bytes((value,))
    value, rest = value - most, bytearray((most,))
    while value >= 128:
        rest.append(value % 128 + 128)
        value //= 128
    rest.append(value)
    return bytes(rest)


def header(name: str, value: str, *, kept: bool = False) -> bytes:
    """Return a header in plain letters; `kept`: the other side has to remember it."""
    words = [number(len(word), 7) + word.encode() for word in (name, value)]
    return b"".join([b"\x40" if kept else b"\x00", *words])


def call(path: str, token: str = "guess") -> bytes:
    """Return the headers of a gRPC call."""
    pairs = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "arena",
        "content-type": "application/grpc",
        "te": "trailers",
        "authorization": f"Bearer {token}",
    }
    return b"".join(header(name, value) for name, value in pairs.items())


class Rude:
    """A connection from an address of its own on which anything is said; answers are read and thrown away."""

    def __init__(self, address: str, source: str) -> None:
        self._host, _, port = address.rpartition(":")
        self._port, self._source = int(port), source
        self.is_closed = False
        """True once the other side has hung up."""
        self.sent_bytes = 0
        self._heard = b""
        self._ended = asyncio.Event()

    async def attack(self, pieces: Iterable[bytes]) -> str:
        """Connect, say all pieces, and ask for a last sign of life.

        Returns how that ended: `answers`, `closed` if the other side has hung up, or `silent`.
        """
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port, local_addr=(self._source, 0))
        listening = asyncio.create_task(self._throw_away())
        try:
            async with asyncio.timeout(MOST_SECONDS):
                await self._say(itertools.chain(pieces, [frame(PING, LAST)]))
                await self._ended.wait()
        except TimeoutError:
            return "silent"
        finally:
            listening.cancel()
            self._writer.transport.abort()
        return "closed" if self.is_closed else "answers"

    async def _throw_away(self) -> None:
        with suppress(OSError):
            while data := await self._reader.read(1 << 16):
                self._heard = self._heard[-len(LAST) :] + data
                if LAST in self._heard:
                    self._ended.set()
        self.is_closed = True
        self._ended.set()

    async def _say(self, pieces: Iterable[bytes]) -> None:
        """Send all pieces, until the other side hangs up."""
        with suppress(OSError):
            for piece in pieces:
                if self.is_closed:
                    return
                self._writer.write(piece)
                self.sent_bytes += len(piece)
                await self._writer.drain()
                await asyncio.sleep(0)  # or nothing would be heard while nothing holds up what is sent
