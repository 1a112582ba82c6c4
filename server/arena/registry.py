"""arena.db: the bots, the calendar of events, and the paused ladders.

Only the process that holds the arena's lock writes. Everything is in memory too: a look-up costs no SQL, and a remote
bot is found by the hash of its token in a dict. A change is durable before it is visible. Every method that changes
something is one transaction and may be called from any thread.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any, Self

from server.arena.caller_input import check_name, check_text, list_names, quote
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound
from server.arena.registry_schema import BEFORE_START, MIGRATIONS, CalendarEvent, EventState, KnownBot
from server.system.database import open_to_write

_BOT = tuple(column.name for column in fields(KnownBot))
_EVENT = tuple(column.name for column in fields(CalendarEvent))[:-1]


def wall_millis() -> int:
    """Return the milliseconds since 1970, for dates. Matches are timed by `referee.match.clock`."""
    return time.time_ns() // 1_000_000


class Registry:
    """The open registry. `with Registry.open(path) as registry`."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], int]) -> None:
        self._db = connection
        self._clock = clock
        self._writing = threading.Lock()
        self._bots = {bot.name: bot for bot in map(_read_bot, self._db.execute("SELECT * FROM bot"))}
        self._tokens = {bot.token_hash: bot.name for bot in self._bots.values() if bot.token_hash}
        self._paused = {ladder for (ladder,) in self._db.execute("SELECT ladder FROM paused")}
        entries: dict[str, dict[str, bool]] = {}
        for event, bot, checked_in in self._db.execute("SELECT event, bot, checked_in FROM entry ORDER BY number"):
            entries.setdefault(event, {})[bot] = bool(checked_in)
        self._events: dict[str, CalendarEvent] = {}
        for row in self._db.execute("SELECT * FROM event ORDER BY number"):
            values = dict(zip(_EVENT, row, strict=True))
            values["state"] = EventState(values["state"])
            self._events[row[0]] = CalendarEvent(**values, entries=entries.get(row[0], {}))

    @classmethod
    def open(cls, path: Path, clock: Callable[[], int] = wall_millis) -> Self:
        """Open the file. Create it if it is missing, and bring an old one up to date."""
        return cls(open_to_write(path, MIGRATIONS, cure="put the last backup of it in its place"), clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file once a change in progress is complete."""
        with self._writing:
            self._db.close()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction. The caller makes the same change in memory afterwards, within the lock."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            yield self._db

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction for a module that keeps tables of its own in this file, e.g. teams.py."""
        with self._writing, self._change() as db:
            yield db

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Return the rows of such a table by its first column.

        Returns none if the file is of an older version and was opened to read.
        """
        with self._writing:
            if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
                return []
            cursor = self._db.execute(f"SELECT * FROM {table} ORDER BY 1")
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    # Bots

    def bots(self) -> list[KnownBot]:
        """Return all bots, by name."""
        return sorted(self._bots.values(), key=lambda bot: bot.name.lower())

    def bot(self, name: str) -> KnownBot:
        """Return the bot of this name."""
        bot = self._bots.get(name)
        if bot is None:
            raise NotFound(f"there is no bot {quote(name)}; `tortuga client bots` lists them")
        return bot

    def banned(self) -> dict[str, str]:
        """Return the hosted bots that may not play, and the reasons."""
        return {bot.name: bot.ban for bot in self._bots.values() if bot.hosted and bot.ban}

    def find(self, token_hash: bytes) -> str | None:
        """Return the bot with this token. It is looked up by hash, so the time this takes reveals nothing about any
        token."""
        return self._tokens.get(token_hash)

    def add(self, name: str, owner: str, token_hash: bytes) -> KnownBot:
        """Add a remote bot."""
        with self._writing:
            self._check_new(name, self._bots, "bot")
            bot = KnownBot(
                name=name, owner=check_text(owner, "owner"), token_hash=token_hash, added_millis=self._clock()
            )
            return self._put(bot)

    def host(
        self,
        name: str,
        owner: str,
        spec: str,
        *,
        version: str = "",
        language: str = "",
        games: Sequence[str] = (),
        slots: int = 1,
        submitted: bool = False,
    ) -> KnownBot:
        """Add a hosted bot, or a new version of one.

        `submitted`: its own author submitted it, which is also allowed if the bot connected by itself before. It keeps
        its token.
        """
        with self._writing:
            self.check_may_host(name, submitted=submitted)
            old = self._bots.get(name) or KnownBot(name=name, added_millis=self._clock())
            return self._put(
                replace(
                    old,
                    owner=check_text(owner, "owner") or old.owner,
                    spec=spec,
                    version=version,
                    language=language,
                    games=tuple(games),
                    slots=slots,
                )
            )

    def check_may_host(self, name: str, *, submitted: bool = False) -> None:
        """Refuse a name that no bot can be hosted under."""
        old = self._bots.get(name)
        if old is None:
            self._check_new(name, self._bots, "bot")
        elif not (old.hosted or submitted):
            raise AlreadyExists(f"the bot {name} is a remote bot; host this one under another name")
        elif old.revoked:
            raise FailedPrecondition(f"the bot {name} was revoked; host this one under another name")

    def rotate(self, name: str, token_hash: bytes) -> KnownBot:
        """Replace the token of a bot."""
        with self._writing:
            bot = self.bot(name)
            if bot.hosted and not bot.token_hash:
                raise FailedPrecondition(f"the bot {name} is started by the server and has no token")
            if bot.revoked:
                raise FailedPrecondition(f"the bot {name} was revoked; its author needs a new bot")
            return self._put(replace(bot, token_hash=token_hash))

    def revoke(self, name: str) -> KnownBot:
        """Revoke a bot. Its name remains taken."""
        with self._writing:
            return self._put(replace(self.bot(name), revoked=True, token_hash=b""))

    def give_away(self, names: Sequence[str], owner: str) -> None:
        """Transfer bots to another owner."""
        with self._writing:
            for name in names:
                self._put(replace(self.bot(name), owner=owner))

    def suspend(self, name: str, reason: str) -> KnownBot:
        """Suspend a bot."""
        with self._writing:
            return self._put(replace(self.bot(name), suspended=check_text(reason, "reason") or "by the organiser"))

    def lift(self, name: str) -> KnownBot:
        """Lift a suspension."""
        with self._writing:
            return self._put(replace(self.bot(name), suspended=""))

    def note_hello(
        self,
        name: str,
        *,
        version: str,
        language: str,
        games: Sequence[str],
        seat_counts: Sequence[int],
        slots: int,
    ) -> KnownBot:
        """Store what a bot said about itself in its Hello."""
        with self._writing:
            return self._put(
                replace(
                    self.bot(name),
                    seen_millis=self._clock(),
                    version=version,
                    language=language,
                    games=tuple(games),
                    seat_counts=tuple(seat_counts),
                    slots=slots,
                )
            )

    def note_seen(self, name: str) -> KnownBot:
        """Note that a bot was connected until now."""
        with self._writing:
            return self._put(replace(self.bot(name), seen_millis=self._clock()))

    def _check_new(self, name: str, taken: Mapping[str, object], what: str) -> None:
        check_name(name, what)
        like = next((other for other in taken if other.lower() == name.lower()), None)
        if like is not None:
            raise AlreadyExists(f"the {what} {like} exists already; names must differ by more than case")

    def _put(self, bot: KnownBot) -> KnownBot:
        row = replace(bot, games=(), seat_counts=())
        values = dict(zip(_BOT, astuple(row), strict=True))
        values |= {"games": json.dumps(bot.games), "seat_counts": json.dumps(bot.seat_counts)}
        with self._change() as db:
            _upsert(db, "bot", values)
        old = self._bots.get(bot.name)
        self._bots[bot.name] = bot
        if bot.token_hash:
            self._tokens[bot.token_hash] = bot.name
        if old is not None and old.token_hash != bot.token_hash:
            self._tokens.pop(old.token_hash, None)
        return bot

    # Events

    def events(self) -> list[CalendarEvent]:
        """Return all events, the latest first."""
        return sorted(self._events.values(), key=lambda event: -event.number)

    def event(self, name: str) -> CalendarEvent:
        """Return the event of this name."""
        event = self._events.get(name)
        if event is None:
            raise NotFound(f"there is no event {quote(name)}; there is {list_names(e.name for e in self.events())}")
        return event

    def create_event(
        self,
        name: str,
        manifest: str,
        *,
        registration_millis: int = 0,
        check_in_millis: int = 0,
        start_millis: int = 0,
        bots: Sequence[str] = (),
    ) -> CalendarEvent:
        """Add an event, with the bots that are entered from the start."""
        with self._writing:
            self._check_new(name, self._events, "event")
            names = [self.bot(bot).name for bot in bots]
            event = CalendarEvent(
                name=name,
                number=max((event.number for event in self._events.values()), default=0) + 1,
                manifest=manifest,
                registration_millis=registration_millis,
                check_in_millis=check_in_millis,
                start_millis=start_millis,
                state=EventState.ANNOUNCED,
                entries=dict.fromkeys(names, False),
            )
            return self._put_event(event)

    def set_state(self, name: str, state: EventState, reason: str = "") -> CalendarEvent:
        """Set the state of an event."""
        with self._writing:
            return self._put_event(replace(self.event(name), state=state, reason=check_text(reason, "reason")))

    def enter(self, event: str, bot: str) -> CalendarEvent:
        """Enter a bot in an event that has not started. The caller decides whether registration is open."""
        with self._writing:
            entered = self._open_event(event)
            self.bot(bot)
            return self._put_event(replace(entered, entries={**entered.entries, bot: entered.entries.get(bot, False)}))

    def leave(self, event: str, bot: str) -> CalendarEvent:
        """Withdraw a bot from an event that has not started."""
        with self._writing:
            entered = self._open_event(event)
            if bot not in entered.entries:
                raise FailedPrecondition(f"the bot {quote(bot)} has not entered {event}")
            return self._put_event(
                replace(entered, entries={name: there for name, there in entered.entries.items() if name != bot})
            )

    def check_in(self, event: str, bots: Sequence[str]) -> CalendarEvent:
        """Check in these entered bots, and no others."""
        with self._writing:
            entered = self.event(event)
            return self._put_event(replace(entered, entries={name: name in bots for name in entered.entries}))

    def _open_event(self, name: str) -> CalendarEvent:
        event = self.event(name)
        if event.state not in BEFORE_START:
            raise FailedPrecondition(f"the event {name} is {event.state}: nobody enters or leaves it any more")
        return event

    def _put_event(self, event: CalendarEvent) -> CalendarEvent:
        with self._change() as db:
            _upsert(db, "event", {name: getattr(event, name) for name in _EVENT})
            db.execute("DELETE FROM entry WHERE event = ?", (event.name,))
            db.executemany(
                "INSERT INTO entry (event, bot, number, checked_in) VALUES (?, ?, ?, ?)",
                [(event.name, bot, number, there) for number, (bot, there) in enumerate(event.entries.items())],
            )
        self._events[event.name] = event
        return event

    # Ladders

    def paused(self) -> frozenset[str]:
        """Return the paused ladders."""
        return frozenset(self._paused)

    def pause(self, ladders: Sequence[str]) -> None:
        """Pause these ladders."""
        with self._writing:
            with self._change() as db:
                db.executemany("INSERT OR IGNORE INTO paused VALUES (?)", [(ladder,) for ladder in ladders])
            self._paused |= set(ladders)

    def resume(self, ladders: Sequence[str]) -> None:
        """Resume these ladders."""
        with self._writing:
            with self._change() as db:
                db.executemany("DELETE FROM paused WHERE ladder = ?", [(ladder,) for ladder in ladders])
            self._paused -= set(ladders)


def _upsert(db: sqlite3.Connection, table: str, values: Mapping[str, Any]) -> None:
    """Insert or update a row. (REPLACE would delete the rows that refer to it.)"""
    db.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))}) "
        f"ON CONFLICT (name) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in values)}",
        tuple(values.values()),
    )


def _read_bot(row: Sequence[Any]) -> KnownBot:
    values = dict(zip(_BOT, row, strict=True))
    lists = {name: tuple(json.loads(values[name])) for name in ("games", "seat_counts")}
    return KnownBot(**{**values, **lists, "revoked": bool(values["revoked"])})
