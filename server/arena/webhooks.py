"""Webhooks: sends news to other programs by signed HTTP POST. `[[webhooks]]` in arena.toml lists the addresses.

Each address has its own thread and a short queue, so that a slow receiver delays no match and no other receiver. A
message that does not fit, or is not accepted after three tries, is dropped and logged. An address may be a secret by
itself (chat services put a key into it), so logs name the host only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import ConfigError
from server import __version__
from server.arena.outgoing import AddressRefused, DeliveryFailed, post, read_network, read_url
from server.system.logs import get_logger
from server.system.setting_files import Key, check, readable

TRY_SECONDS = 5.0
PAUSES_SECONDS = (1.0, 10.0)
"""Pauses before the second and the third try."""
MOST_WAITING = 100
LEAST_SECRET = 16

KEYS = {
    "url": Key((str,), "https://HOST/PATH", "where to", readable(read_url)),
    "secret": Key((str,), f"{LEAST_SECRET} characters or more", "signs", lambda value: len(value) >= LEAST_SECRET),
    "events": Key((list,), "a list of kinds of news; empty: all", "which", lambda value: _texts(value)),
    "allow_private": Key(
        (list,),
        "a list of addresses or networks, e.g. 127.0.0.1",
        "private addresses that it may have",
        lambda value: _texts(value) and all(map(readable(read_network), value)),
    ),
}

log = get_logger()


def _texts(value: Any) -> bool:
    return all(isinstance(item, str) for item in value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """One receiver."""

    url: str
    secret: str
    events: tuple[str, ...] = ()
    """Kinds of news it gets. Empty: all."""
    allow_private: tuple[str, ...] = ()
    """Private addresses and networks where it is allowed to be."""

    @property
    def host(self) -> str:
        """Return its host, for logs."""
        return str(read_url(self.url).hostname)


def read_webhooks(tables: Any, kinds: Sequence[str]) -> tuple[Webhook, ...]:
    """Parse the tables [[webhooks]] of arena.toml. Raises ConfigError with everything that is wrong."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError("webhooks is a list of tables: [[webhooks]]")
    problems: list[str] = []
    for number, table in enumerate(tables, start=1):
        issues = check(table, KEYS, needed=("url", "secret"))
        if not issues:
            issues = [f"'events' has {kind!r}; there is {', '.join(kinds)}" for kind in _unknown(table, kinds)]
        if "secret" in table:  # a message about the secret must not repeat it
            issues = ["'secret' is too short or no text" if "'secret' is" in issue else issue for issue in issues]
        problems += [f"webhook {number}: {issue}" for issue in issues]
    if problems:
        raise ConfigError("; ".join(problems))
    return tuple(
        Webhook(
            url=table["url"],
            secret=table["secret"],
            events=tuple(table.get("events", ())),
            allow_private=tuple(table.get("allow_private", ())),
        )
        for table in tables
    )


def _unknown(table: Mapping[str, Any], kinds: Sequence[str]) -> list[str]:
    return [kind for kind in table.get("events", ()) if kind not in kinds]


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature that a receiver compares with: HMAC-SHA256 of the timestamp, a dot and the body."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


class Webhooks:
    """All receivers. `send` never waits."""

    def __init__(
        self,
        hooks: Sequence[Webhook],
        *,
        try_seconds: float = TRY_SECONDS,
        pauses_seconds: Sequence[float] = PAUSES_SECONDS,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._receivers = [_Receiver(hook, try_seconds, pauses_seconds, now) for hook in hooks]

    def send(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Send a piece of news to every receiver of its kind."""
        body = json.dumps({"v": 1, "kind": kind, **facts}).encode()
        for receiver in self._receivers:
            if not receiver.hook.events or kind in receiver.hook.events:
                receiver.put(kind, str(facts.get("id", "")), body)

    def close(self, seconds: float = 0.0) -> None:
        """Deliver what is queued for at most this long, then drop the rest."""
        until = time.monotonic() + seconds
        for receiver in self._receivers:
            receiver.close(max(0.0, until - time.monotonic()))


_Job = tuple[str, str, bytes]


class _Receiver:
    """One receiver with its queue and its thread."""

    def __init__(
        self, hook: Webhook, try_seconds: float, pauses_seconds: Sequence[float], now: Callable[[], float]
    ) -> None:
        self.hook = hook
        self._try_seconds, self._pauses_seconds, self._now = try_seconds, pauses_seconds, now
        self._allowed = [read_network(text) for text in hook.allow_private]
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def put(self, kind: str, identity: str, body: bytes) -> None:
        """Queue a message, or drop it if the queue is full."""
        try:
            self._jobs.put_nowait((kind, identity, body))
        except queue.Full:
            log.error("webhook_dropped", host=self.hook.host, kind=kind, reason=f"{MOST_WAITING} are waiting already")

    def close(self, seconds: float) -> None:
        try:
            self._jobs.put_nowait(None)
            self._thread.join(seconds)
        except queue.Full:
            pass
        self._stop.set()
        undelivered = sum(job is not None for job in self._jobs.queue)
        if undelivered:
            log.error("webhook_dropped", host=self.hook.host, count=undelivered, reason="the server stopped")

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None and not self._stop.is_set():
            try:
                self._deliver(*job)
            except Exception:  # our bug: the next piece of news may get through
                log.exception("webhook_failed", host=self.hook.host, kind=job[0])

    def _deliver(self, kind: str, identity: str, body: bytes) -> None:
        reason = ""
        for pause in (0.0, *self._pauses_seconds):
            if pause and self._stop.wait(pause):
                reason += "; the server stopped"
                break
            try:
                status = self._post(kind, identity, body)
            except AddressRefused as error:
                reason = str(error)
                break
            except DeliveryFailed as error:
                reason = str(error)
            else:
                if 200 <= status < 300:
                    log.info("webhook_sent", host=self.hook.host, kind=kind)
                    return
                reason = f"it answered {status}" + (", and redirects are not followed" if 300 <= status < 400 else "")
        log.error("webhook_dropped", host=self.hook.host, kind=kind, reason=reason)

    def _post(self, kind: str, identity: str, body: bytes) -> int:
        timestamp = str(int(self._now()))
        headers = {
            "User-Agent": f"tortuga/{__version__}",
            "Tortuga-Kind": kind,
            "Tortuga-Id": identity,
            "Tortuga-Timestamp": timestamp,
            "Tortuga-Signature": sign(self.hook.secret, timestamp, body),
        }
        return post(self.hook.url, body, headers, allowed=self._allowed, seconds=self._try_seconds)
