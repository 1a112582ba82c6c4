"""The key of the organiser's door, in a file that only the arena's user may read.

Rights to the socket are not enough: a hosted bot that runs as the arena's user could open it. The file is hidden from
bots (server/jail), so whoever knows the key is the organiser. Each start of the server makes a new one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc

from referee.errors import ConfigError
from referee.records.files import write_atomically
from server.arena.tokens import new_token

FILE = "admin.key"
HEADER = "admin-key"
"""The call metadata that brings it."""


def write_admin_key(directory: Path) -> str:
    """A new key, written into the arena's folder."""
    key = new_token()
    write_atomically(directory / FILE, f"{key}\n".encode(), private=True)
    return key


def read_admin_key(directory: Path) -> str:
    """The key of the arena that runs in this folder."""
    path = directory / FILE
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        raise ConfigError(
            f"{path} does not exist, so the arena cannot be called as its organiser: restart it, which makes a new key"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the organiser's key cannot be read: {error}; run this as the user who runs the arena"
        ) from None


def with_admin_key(channel: grpc.Channel, key: str) -> grpc.Channel:
    """The same channel, with the key in every call of our services."""
    return grpc.intercept_channel(channel, _KeyInEveryCall(key))


class _KeyInEveryCall(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, key: str) -> None:
        self._pair = (HEADER, key)

    def _intercept(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        metadata = [*(client_call_details.metadata or ()), self._pair]
        return continuation(client_call_details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = _intercept
