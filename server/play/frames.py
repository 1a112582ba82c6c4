"""The frames between a worker process and its parent: a length and a pickle. Both sides are ours and of one version."""

from __future__ import annotations

import asyncio
import pickle
import struct
from typing import Any

LENGTH = struct.Struct("<Q")


async def read_frame(reader: asyncio.StreamReader) -> Any:
    """One value from the other side, or None at the end."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def make_frame(value: Any) -> bytes:
    """One value, as bytes for the other side."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(content)) + content
