"""Calling a far arena from the command line: a channel, a deadline, errors in one line, and how to print the answer."""

from __future__ import annotations

import os

# As in referee/door/service.py; before grpc is imported.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import ssl
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import grpc
from google.protobuf.message import Message

from referee.errors import ConfigError, TortugaError
from referee.text import harmless
from server.arena.keys import HEADER
from server.arena.zones import read_time, zone_of
from server.cli.common.output import print_json
from server.system.invites import Invite
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import arena_pb2_grpc

CALLER_ERRORS = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
}
"""Codes for mistakes of the caller; all others are failures of the server or of the network."""

TLS_HINTS = {
    "Socket closed": "if it speaks TLS, set TORTUGA_TLS",
    "WRONG_VERSION_NUMBER": "it speaks plain text, and your invite or TORTUGA_TLS says TLS: ask the organiser",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is none that your invite or TORTUGA_TLS trusts: ask the organiser",
}
"""Hints about a broken connection, by the message of gRPC."""


class CallFailed(TortugaError):
    """The call failed, and not because of the user."""


class TooManyCalls(CallFailed):
    """The server asked us to slow down."""


@dataclass(frozen=True, slots=True)
class ArenaClient:
    """A service of an arena: its address, how long to wait, and whether answers are for people or for programs."""

    address: str
    timeout_seconds: float
    as_json: bool
    trust: str = ""
    """The value of TORTUGA_TLS: `system`, a file, or nothing."""
    service: str = "Arena"
    key: str = field(default="", repr=False)
    """The organiser's key."""
    invite: Invite | None = None
    """The invite of its user."""

    def call(self, method: str, request: Any, *, token: str = "") -> Any:
        """Send one request and return the answer."""
        with self._dial() as channel:
            metadata = [("authorization", f"Bearer {token}")] if token else self._orders()
            return self._method(channel, method)(request, timeout=self.timeout_seconds, metadata=metadata)

    def stream(self, method: str, request: Any, *, endless: bool = False) -> Iterator[Any]:
        """Send one request and yield the answers. `endless`: without a deadline."""
        timeout = None if endless else self.timeout_seconds
        with self._dial() as channel:
            yield from self._method(channel, method)(request, timeout=timeout, metadata=self._orders())

    def _dial(self) -> AbstractContextManager[grpc.Channel]:
        roots = self.invite.ca.encode() if self.invite and self.invite.ca else None
        return dial(self.address, trust=self.trust, timeout_seconds=self.timeout_seconds, roots=roots)

    def _orders(self) -> list[tuple[str, str]]:
        """Return what proves that a distant organiser gives an order. Other calls get a token only where they need
        one."""
        far = self.invite if self.service == "ArenaAdmin" else None
        return [("authorization", f"Bearer {far.token}")] if far else []

    def _method(self, channel: grpc.Channel, method: str) -> Any:
        channel = with_admin_key(channel, self.key) if self.key else channel
        return getattr(getattr(arena_pb2_grpc, f"{self.service}Stub")(channel), method)

    def answer(self, for_programs: Any, for_people: str) -> None:
        """Print the answer for people or for programs, as asked."""
        if self.as_json:
            print_json(for_programs)
        else:
            click.echo(for_people)


@contextmanager
def dial(
    address: str, *, trust: str = "", timeout_seconds: float, roots: bytes | None = None
) -> Iterator[grpc.Channel]:
    """Open a channel to a server. Whatever goes wrong with it becomes an error of one line."""
    channel = open_channel(address, trust, roots)
    try:
        yield channel
    except grpc.RpcError as error:
        raise call_error(address, error, timeout_seconds) from None
    finally:
        channel.close()


def open_channel(address: str, trust: str, roots: bytes | None = None) -> grpc.Channel:
    """Open a channel in plain text, or with TLS as TORTUGA_TLS says: `system`, or a file with the roots to trust.

    `roots` are the roots themselves.
    """
    # No hidden retries: whether to wait for a server that does not run yet is the user's decision.
    options = [("grpc.enable_retries", 0)]
    if roots is not None:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)
    if not trust or address.startswith("unix:"):
        return grpc.insecure_channel(address, options)
    path = ssl.get_default_verify_paths().cafile if trust == "system" else trust
    try:
        roots = Path(path).read_bytes() if path else None
    except OSError as error:
        raise ConfigError(f"TORTUGA_TLS is {trust!r}, but its roots cannot be read: {error.strerror}") from None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(roots), options)


def call_error(address: str, error: Any, timeout_seconds: float) -> TortugaError:
    """Return the error that says in words why a call failed."""
    code, details = error.code(), harmless(error.details() or "")
    if code is grpc.StatusCode.UNAVAILABLE:
        hint = next((f"; {hint}" for sign, hint in TLS_HINTS.items() if sign in details), "")
        return CallFailed(f"{address} cannot be reached: {details.rpartition('last error: ')[2]}{hint}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return CallFailed(f"{address} did not answer within {timeout_seconds:g} s; --timeout gives it more")
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return ConfigError(f"{address} is not the address for this: {details or 'it does not know the call'}")
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return TooManyCalls(f"{address}: {details}")
    if code in CALLER_ERRORS:
        return ConfigError(details)
    return CallFailed(f"{address}: {details or code.name.lower()}")


def with_admin_key(channel: grpc.Channel, key: str) -> grpc.Channel:
    """Return the same channel, which now sends the organiser's key with every call of our services."""
    return grpc.intercept_channel(channel, _KeyInEveryCall(key))


class _KeyInEveryCall(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def __init__(self, key: str) -> None:
        self._pair = (HEADER, key)

    def _intercept(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        metadata = [*(client_call_details.metadata or ()), self._pair]
        return continuation(client_call_details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = _intercept


def as_plain(message: Message) -> dict[str, Any]:
    """Return a message in the form that JSON has for it.

    Every field stands under its name, hashes in hexadecimal, enum values as words, and null for what is not known.
    """
    plain: dict[str, Any] = {}
    for known in message.DESCRIPTOR.fields:
        if known.containing_oneof and known.containing_oneof.name[:1] != "_" and not message.HasField(known.name):
            continue  # of several kinds of content, print only the one that is set
        value = getattr(message, known.name)
        if known.is_repeated:
            plain[known.name] = [_value(known, item) for item in value]
        elif known.has_presence and not message.HasField(known.name):
            plain[known.name] = None
        else:
            plain[known.name] = _value(known, value)
    return plain


def _value(field: Any, value: Any) -> Any:
    if isinstance(value, Message):
        return as_plain(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        return enum_word(field.enum_type, value)
    return value


def enum_word(kind: Any, number: int) -> str:
    """Return an enum's value as a word: EVENT_STATE_CHECK_IN is "check_in"."""
    known = kind.values_by_number.get(number)
    if known is None:
        return str(number)  # from a newer server
    prefix = kind.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(known.name.removeprefix(prefix).lower())


def arena_zone(arena: ArenaClient) -> str:
    """Return the time zone of an arena's calendar."""
    return str(replace(arena, service="Arena").call("GetArena", pb.GetArenaRequest()).zone) or "UTC"


def read_moment(arena: ArenaClient, text: str) -> int:
    """Parse a time and return it in milliseconds since 1970. Empty: 0. Without a zone it is in the arena's."""
    return read_time(text, arena_zone(arena) if text and not zone_of(text, "") else "UTC")
