"""One line to an arena: where it goes, how long to wait, and whether the answer is for people or for programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from referee.errors import ConfigError

_SPAN = re.compile(r"([+-])(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, slots=True)
class Line:
    """Where to call and how to answer. Nothing is dialled, and gRPC not even imported, before a call is made."""

    address: str
    timeout_seconds: float
    as_json: bool
    trust: str = ""
    service: str = "Arena"

    def call(self, method: str, request: Any, *, token: str = "") -> Any:
        """One question, one answer."""
        from server.cli.dial import dial

        with dial(self.address, trust=self.trust, timeout_seconds=self.timeout_seconds) as channel:
            metadata = [("authorization", f"Bearer {token}")] if token else []
            stub = getattr(self._stub(channel), method)
            return stub(request, timeout=self.timeout_seconds, metadata=metadata)

    def stream(self, method: str, request: Any, *, endless: bool = False) -> Iterator[Any]:
        """One question, many answers; endless: however long that takes."""
        from server.cli.dial import dial

        with dial(self.address, trust=self.trust, timeout_seconds=self.timeout_seconds) as channel:
            stub = getattr(self._stub(channel), method)
            yield from stub(request, timeout=None if endless else self.timeout_seconds)

    def _stub(self, channel: Any) -> Any:
        from tortuga.v1 import arena_pb2_grpc

        return getattr(arena_pb2_grpc, f"{self.service}Stub")(channel)

    def say(self, for_programs: Any, for_people: str) -> None:
        """The answer."""
        from server.cli.output import print_json

        if self.as_json:
            print_json(for_programs)
        else:
            click.echo(for_people)


def read_time(text: str, now: datetime | None = None) -> int:
    """`2026-11-20T18:00` (here, unless it says where), or `+2h`, `-30m` from now; in milliseconds. Empty: 0."""
    now = now or datetime.now(UTC)
    if not text:
        return 0
    span = _SPAN.fullmatch(text)
    try:
        if span:
            sign, count, unit = span.groups()
            moment = now + timedelta(**{_UNITS[unit]: int(f"{sign}{count}")})
        else:
            moment = datetime.fromisoformat(text).astimezone()
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise ConfigError(f"{text!a} is no time: expected 2026-11-20T18:00, +2h, +30m or +1d") from None
