"""News about an arena, for its feed and for webhooks. All news goes through `News.publish`.

News is published from the referee's loop, so publishing never waits: a thread writes the rows, and webhooks have their
own threads. The latest items are kept in arena.db, so that a feed reader misses nothing after a restart.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from server.arena.caller_input import one_line
from server.arena.registry import Registry, wall_millis
from server.arena.webhooks import Webhook, Webhooks
from server.system.logs import get_logger

KEPT = 500
CLOSE_SECONDS = 2.0
"""Time that webhooks have to finish when the server stops."""

log = get_logger()

Publish = Callable[[str, str, str], None]
"""Kind, subject, text: as `News.publish`."""


class NewsKind(NamedTuple):
    """A kind of news."""

    public: bool
    """Whether it appears in the feed, which everybody can read. Webhooks get all news."""
    meaning: str


KINDS = {
    "event_opened": NewsKind(True, "bots can enter an event"),
    "event_started": NewsKind(True, "an event has started"),
    "event_finished": NewsKind(True, "an event is over"),
    "event_cancelled": NewsKind(True, "an event was cancelled, could not start or was missed"),
    "bot_suspended": NewsKind(True, "a bot may not play for now"),
    "submission_failed": NewsKind(False, "a submitted bot did not build or did not pass its check; for its author"),
    "ladder_frozen": NewsKind(True, "the last matches of a ladder's season are being played"),
    "season_archived": NewsKind(True, "a season's final tables and records are kept"),
    "season_started": NewsKind(True, "the next season has started"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class NewsItem:
    """An event in the life of the arena, as readers see it."""

    number: int
    at_millis: int
    kind: str
    subject: str
    """Name of the event, the bot, the ladder or the season."""
    text: str
    """A sentence for people."""


def discard_news(kind: str, subject: str, text: str) -> None:
    """Ignore a piece of news. The default where nobody listens."""


class News:
    """The news of an arena. Call `close` at the end, before the registry is closed."""

    def __init__(
        self, registry: Registry, hooks: Sequence[Webhook] | Webhooks = (), clock: Callable[[], int] = wall_millis
    ) -> None:
        self._registry, self._clock = registry, clock
        self._hooks = hooks if isinstance(hooks, Webhooks) else Webhooks(hooks)
        self._lock = threading.Lock()
        items = sorted((NewsItem(**row) for row in registry.rows("news")), key=lambda item: item.number)
        self._items = deque(items, maxlen=KEPT)
        self._number = items[-1].number if items else 0
        self._writer = ThreadPoolExecutor(1, "news")

    def publish(self, kind: str, subject: str, text: str) -> None:
        """Publish a piece of news. May be called from any thread; never waits, and fails only for an unknown kind."""
        public = KINDS[kind].public
        with self._lock:
            self._number += public
            item = NewsItem(
                number=self._number, at_millis=self._clock(), kind=kind, subject=subject, text=one_line(text)
            )
            if public:
                self._items.append(item)
        at = datetime.fromtimestamp(item.at_millis / 1000, UTC).isoformat(timespec="milliseconds")
        log.info("news", kind=kind, subject=subject, text=item.text)
        self._hooks.send(kind, {"id": secrets.token_hex(8), "at": at, "subject": subject, "text": item.text})
        if public:
            self._writer.submit(self._write, item)

    def latest(self) -> list[NewsItem]:
        """Return the public news that is kept, the latest first."""
        with self._lock:
            return [*reversed(self._items)]

    def close(self) -> None:
        """Write what is queued, and give webhooks a moment to finish."""
        self._writer.shutdown()
        self._hooks.close(CLOSE_SECONDS)

    def _write(self, item: NewsItem) -> None:
        try:
            with self._registry.transaction() as db:
                db.execute(
                    "INSERT INTO news VALUES (?, ?, ?, ?, ?)",
                    (item.number, item.at_millis, item.kind, item.subject, item.text),
                )
                db.execute("DELETE FROM news WHERE number <= ?", (item.number - KEPT,))
        except sqlite3.Error as error:  # it stays in memory; a restart forgets it
            log.error("news_not_kept", kind=item.kind, reason=str(error))
