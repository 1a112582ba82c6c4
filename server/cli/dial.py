"""Calling an arena from a command line: a channel, a deadline, and errors in one line."""

from __future__ import annotations

import os

# As in referee/door/service.py; before grpc is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from referee.errors import ConfigError, TortugaError
from server.cli.plain import plain

WRONG = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNAUTHENTICATED,
}
"""The caller's doing; all else is the server's or the network's."""


class CallFailed(TortugaError):
    """The call came to nothing, through no fault of the user's."""


@contextmanager
def dial(address: str, *, trust: str = "", timeout_seconds: float) -> Iterator[grpc.Channel]:
    """A channel to a server; whatever goes wrong with it becomes one line."""
    channel = open_channel(address, trust)
    try:
        yield channel
    except grpc.RpcError as error:
        raise explain(address, error, timeout_seconds) from None
    finally:
        channel.close()


def open_channel(address: str, trust: str) -> grpc.Channel:
    """Plain text, or TLS as TORTUGA_TLS says: `system`, or a file with the roots to trust."""
    # A server that is not there yet is the user's business; nobody waits for it behind his back.
    options = [("grpc.enable_retries", 0)]
    if not trust or address.startswith("unix:"):
        return grpc.insecure_channel(address, options)
    path = ssl.get_default_verify_paths().cafile if trust == "system" else trust
    try:
        roots = Path(path).read_bytes() if path else None
    except OSError as error:
        raise ConfigError(f"TORTUGA_TLS is {trust!r}, but its roots cannot be read: {error.strerror}") from None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)


def explain(address: str, error: Any, timeout_seconds: float) -> TortugaError:
    """What became of a call."""
    code, words = error.code(), plain(error.details() or "")
    if code is grpc.StatusCode.UNAVAILABLE:
        hint = "; if it speaks TLS, set TORTUGA_TLS" if "Socket closed" in words else ""
        return CallFailed(f"{address} cannot be reached: {words.rpartition('last error: ')[2]}{hint}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return CallFailed(f"{address} did not answer within {timeout_seconds:g} s; --timeout gives it more")
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return ConfigError(f"{address} is not the address for this: {words or 'it does not know the call'}")
    if code in WRONG:
        return ConfigError(words)
    return CallFailed(f"{address}: {words or code.name.lower()}")
