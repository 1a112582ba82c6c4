"""The audit log: each change with its caller, its time and its subject. Rows of arena.db that are only ever added.

An interceptor writes it around every call of our services whose name does not sound like a query, so that new calls are
logged automatically. Secrets are left out, and long texts are cut.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from referee.door.tokens import hash_token
from server.arena.errors import RateLimited
from server.arena.interceptor import (
    CallInterceptor,
    Context,
    Handler,
    behaviour_of,
    has_one_answer,
    with_behaviour,
)
from server.arena.people.callers import CALLER, HEADER
from server.arena.rate_limits import RateLimiter
from server.arena.registry import Registry, wall_millis
from server.system.logs import get_logger

ADMIN_DOOR = "admin.sock"
"""The caller at the organiser's door."""
QUESTIONS = ("Get", "List", "Export", "Watch", "Download", "Identify")
"""Prefixes of calls that change nothing."""
ORDERS = "/tortuga.v1.ArenaAdmin/"
SERVICES = ("/tortuga.v1.Arena/", ORDERS)
SUBJECTS = ("name", "names", "bot", "event", "ladder", "label", "team", "teams", "match_id")
"""Fields of requests that name the subject of a change."""
SECRETS = ("token", "secret", "key", "manifest")
"""Endings of fields that are left out. The manifest of an event holds its seed."""
MAX_TEXT = 200
MAX_DETAILS = 4000
CHANGES_PER_HOUR = 300
"""Most changes with one author's token: their log is kept for ever."""

log = get_logger()


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditLine:
    """A change, as the log keeps it."""

    number: int
    millis: int
    who: str
    what: str
    whom: str
    details: str


class AuditLog:
    """The audit log. It may be used from any thread."""

    def __init__(self, registry: Registry, clock: Callable[[], int] = wall_millis) -> None:
        self._registry, self._clock = registry, clock

    def append(self, who: str, what: str, whom: str = "", details: str = "{}") -> None:
        """Add a line."""
        with self._registry.transaction() as db:
            db.execute(
                "INSERT INTO audit (millis, who, what, whom, details) VALUES (?, ?, ?, ?, ?)",
                (self._clock(), who, what, whom, details),
            )

    def lines(self, *, since_millis: int = 0, before: int | None = None, limit: int = 50) -> list[AuditLine]:
        """Return the latest lines, the latest first; with `before`, those below that number."""
        with self._registry.transaction() as db:
            rows = db.execute(
                "SELECT number, millis, who, what, whom, details FROM audit WHERE millis >= ? AND number < ? "
                "ORDER BY number DESC LIMIT ?",
                (since_millis, before if before is not None else 1 << 62, limit),
            ).fetchall()
        names = ("number", "millis", "who", "what", "whom", "details")
        return [AuditLine(**dict(zip(names, row, strict=True))) for row in rows]


class AuditInterceptor(CallInterceptor):
    """Writes every change into the log once it is made.

    A change that began is finished, and logged, even if its caller has gone.
    """

    def __init__(self, audit: AuditLog, who: str = "") -> None:
        """Log calls as made by `who` if nothing else is known of a caller."""
        self._audit, self._who = audit, who
        self._rates = RateLimiter(CHANGES_PER_HOUR / 3600, CHANGES_PER_HOUR)

    def wrap(self, handler: Handler, method: str, details: grpc.HandlerCallDetails) -> Handler:
        """Wrap a call that changes something."""
        name = method.rpartition("/")[2]
        if not method.startswith(SERVICES) or name.startswith(QUESTIONS):
            return handler
        behaviour, is_order = behaviour_of(handler), method.startswith(ORDERS)

        async def answer(request: Any, context: Context) -> Any:
            self._begin(context, is_order)

            async def change() -> Any:
                response = await behaviour(request, context)
                await self._write(name, request, response)
                return response

            task = asyncio.ensure_future(change())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # marks it as retrieved
            return await asyncio.shield(task)

        async def stream(request: Any, context: Context) -> AsyncIterator[Any]:
            self._begin(context, is_order)
            async for message in behaviour(request, context):
                yield message
            await self._write(name, request, None)

        return with_behaviour(handler, answer if has_one_answer(handler) else stream)

    def _begin(self, context: Context, is_order: bool) -> None:
        """Forget the caller of any earlier call, unless it is the organiser whom the public door just identified."""
        if self._who or not is_order:
            CALLER.set(self._who)
        tokens = [str(pair[1]) for pair in context.invocation_metadata() or () if pair[0] == HEADER]
        if tokens and not CALLER.get() and not self._rates.take(hash_token(tokens[0]).hex()):
            raise RateLimited(f"more than {CHANGES_PER_HOUR} changes in an hour came with this token: try again later")

    async def _write(self, name: str, request: Any, response: Any) -> None:
        who = CALLER.get()
        whom = subject_of(request) or subject_of(response)
        try:
            await asyncio.to_thread(self._audit.append, who, name, whom, describe(request))
        except Exception as error:  # the change is made: a full disk must not make it look like a failure
            log.error("audit_failed", who=who, what=name, whom=whom, reason=str(error))


def subject_of(message: Any) -> str:
    """Return whom a change is about: the names in its request."""
    if not isinstance(message, Message):
        return ""
    names: list[str] = []
    for field in message.DESCRIPTOR.fields:
        if field.name == "info" and message.HasField("info"):
            names.append(subject_of(message.info))  # type: ignore[attr-defined]
        elif field.name in SUBJECTS:
            value = getattr(message, field.name)
            for item in value if field.is_repeated else [value]:
                names.append(item if isinstance(item, str) else str(getattr(item, "name", "")))
    return " ".join(filter(None, names))[:MAX_TEXT]


def describe(request: Any) -> str:
    """Return a request as JSON, without secrets, and with long texts cut."""
    if not isinstance(request, Message):
        return "{}"
    text = json.dumps(_clean(MessageToDict(request, preserving_proto_field_name=True)), ensure_ascii=False)
    return text if len(text) <= MAX_DETAILS else json.dumps({"cut": text[:MAX_DETAILS]}, ensure_ascii=False)


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _clean(item) for name, item in value.items() if not name.endswith(SECRETS)}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return f"{value[:MAX_TEXT]}..." if isinstance(value, str) and len(value) > MAX_TEXT else value
