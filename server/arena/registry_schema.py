"""The content of arena.db: bots and events as the registry knows them, and the tables of the file by version.

registry.py reads and writes the first tables; the modules named below keep tables of their own in the same file.
Migrations are only ever added: an arena that is years old is brought up to date by those it lacks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class EventState(StrEnum):
    """The state of an event."""

    ANNOUNCED = "announced"
    REGISTRATION = "registration"
    CHECK_IN = "check_in"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


BEFORE_START = (EventState.ANNOUNCED, EventState.REGISTRATION, EventState.CHECK_IN)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownBot:
    """A bot as it was last seen. The fields are the columns of its table."""

    name: str
    owner: str = ""
    spec: str = ""
    """How to start a hosted bot. Empty: the bot is remote."""
    token_hash: bytes = b""
    added_millis: int = 0
    seen_millis: int = 0
    version: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """Games it plays. Empty: all."""
    seat_counts: tuple[int, ...] = ()
    """Numbers of seats it plays with. Empty: any."""
    slots: int = 1
    suspended: str = ""
    """Reason for its suspension. Empty: not suspended."""
    revoked: bool = False

    @property
    def hosted(self) -> bool:
        """Return whether the server starts it itself."""
        return bool(self.spec)

    @property
    def ban(self) -> str:
        """Return why it may not play, or an empty string if it may."""
        if self.revoked:
            return "this bot was revoked"
        return f"this bot is suspended: {self.suspended}" if self.suspended else ""

    @property
    def may_play(self) -> bool:
        """Return whether it is neither suspended nor revoked."""
        return not self.ban


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarEvent:
    """An event on the calendar. A time of 0: registration at once, check-in with the start, start by the organiser."""

    name: str
    number: int
    manifest: str
    """Text of its tournament.toml."""
    registration_millis: int
    check_in_millis: int
    start_millis: int
    state: EventState
    reason: str = ""
    """Reason for its cancellation."""
    entries: Mapping[str, bool] = field(default_factory=dict)
    """The entered bots in order of entry, and whether each was checked in."""


MIGRATIONS = (
    """
    CREATE TABLE bot (
        name TEXT PRIMARY KEY COLLATE NOCASE,  -- no two names differ by case alone
        owner TEXT NOT NULL,
        spec TEXT NOT NULL,                    -- of a hosted bot; empty: the bot connects by itself
        token_hash BLOB NOT NULL,              -- SHA-256; empty: hosted, or revoked
        added_millis INTEGER NOT NULL,
        seen_millis INTEGER NOT NULL,
        version TEXT NOT NULL,
        language TEXT NOT NULL,
        games TEXT NOT NULL,                   -- a list, as JSON
        seat_counts TEXT NOT NULL,             -- a list, as JSON
        slots INTEGER NOT NULL,
        suspended TEXT NOT NULL,               -- the reason; empty: not suspended
        revoked INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX bot_of_token ON bot (token_hash) WHERE token_hash <> x'';
    CREATE TABLE event (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        number INTEGER NOT NULL UNIQUE,        -- in the order in which they were announced
        manifest TEXT NOT NULL,
        registration_millis INTEGER NOT NULL,
        check_in_millis INTEGER NOT NULL,
        start_millis INTEGER NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE entry (
        event TEXT NOT NULL REFERENCES event ON DELETE CASCADE,
        bot TEXT NOT NULL REFERENCES bot,
        number INTEGER NOT NULL,               -- in the order of entry, which is also that of seeding
        checked_in INTEGER NOT NULL,
        PRIMARY KEY (event, bot)
    ) WITHOUT ROWID;
    CREATE TABLE paused (ladder TEXT PRIMARY KEY) WITHOUT ROWID;
    """,
    """
    CREATE TABLE team (                        -- teams.py
        name TEXT PRIMARY KEY COLLATE NOCASE,  -- the owner of its bots
        members TEXT NOT NULL,                 -- a list, as JSON
        email TEXT NOT NULL,
        bots_cap INTEGER NOT NULL,             -- 0: the setting bots_per_team
        added_millis INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE token (
        hash BLOB PRIMARY KEY,                 -- SHA-256
        kind TEXT NOT NULL,                    -- author, commentator or organiser
        team TEXT NOT NULL,                    -- of an author's token; empty for the other kinds
        label TEXT NOT NULL UNIQUE,
        made_millis INTEGER NOT NULL,
        revoked_millis INTEGER NOT NULL        -- 0: valid
    ) WITHOUT ROWID;
    CREATE TABLE audit (                       -- audit.py; rows are only added
        number INTEGER PRIMARY KEY,
        millis INTEGER NOT NULL,
        who TEXT NOT NULL,                     -- the label of a token, or admin.sock
        what TEXT NOT NULL,                    -- the call
        whom TEXT NOT NULL,                    -- the bot, team, event, ladder or token
        details TEXT NOT NULL                  -- the request without secrets, as JSON
    );
    CREATE TABLE neutral (                     -- names of deleted teams' bots
        name TEXT PRIMARY KEY COLLATE NOCASE,
        shown TEXT NOT NULL UNIQUE
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE submission (                  -- submission_store.py
        id TEXT PRIMARY KEY COLLATE NOCASE,
        bot TEXT NOT NULL,
        owner TEXT NOT NULL,                   -- who may read it
        number INTEGER NOT NULL,               -- of the bot's submissions, from 1
        state TEXT NOT NULL,
        step TEXT NOT NULL,                    -- the one that failed
        reason TEXT NOT NULL,                  -- of the failure, or what it waits for
        version TEXT NOT NULL,                 -- the bot plays under it
        bundle TEXT NOT NULL,                  -- SHA-256 of what was built
        received_millis INTEGER NOT NULL,
        changed_millis INTEGER NOT NULL,
        attempts INTEGER NOT NULL              -- how often work began: once, and again after each stop of the server
    ) WITHOUT ROWID;
    """,
    # Seasons (seasons.py), repeating events (series.py), news (news.py)
    """
    CREATE TABLE frozen (
        ladder TEXT PRIMARY KEY,
        at_millis INTEGER NOT NULL,
        told INTEGER NOT NULL                  -- whether it was in the news
    ) WITHOUT ROWID;
    CREATE TABLE season (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        number INTEGER NOT NULL UNIQUE,        -- in the order in which they were archived
        archived_millis INTEGER NOT NULL,
        matches INTEGER NOT NULL,
        ladders TEXT NOT NULL,                 -- a list, as JSON
        next TEXT NOT NULL                     -- how the next one starts, as JSON; empty: not decided yet
    ) WITHOUT ROWID;
    CREATE TABLE series (
        name TEXT PRIMARY KEY COLLATE NOCASE,
        manifest TEXT NOT NULL,
        every TEXT NOT NULL,
        zone TEXT NOT NULL,
        opens_before_millis INTEGER NOT NULL,
        check_in_before_millis INTEGER NOT NULL,
        late_millis INTEGER NOT NULL,
        done_millis INTEGER NOT NULL,          -- events that start before this are on the calendar, or were missed
        ended INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE event_zone (
        event TEXT PRIMARY KEY COLLATE NOCASE,
        zone TEXT NOT NULL,
        series TEXT NOT NULL                   -- empty: not part of a repeating event
    ) WITHOUT ROWID;
    CREATE TABLE news (
        number INTEGER PRIMARY KEY,
        at_millis INTEGER NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL
    );
    """,
)
