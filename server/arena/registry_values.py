"""Bots and events as the registry knows them."""

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
    """How a hosted bot is started. Empty: it is remote."""
    token_hash: bytes = b""
    added_millis: int = 0
    seen_millis: int = 0
    version: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """The games it plays. Empty: all."""
    seat_counts: tuple[int, ...] = ()
    """The numbers of seats it plays with. Empty: any."""
    slots: int = 1
    suspended: str = ""
    """Why it is suspended. Empty: it is not."""
    revoked: bool = False

    @property
    def hosted(self) -> bool:
        """Whether the server starts it itself."""
        return bool(self.spec)

    @property
    def ban(self) -> str:
        """Why it may not play. Empty: it may."""
        if self.revoked:
            return "this bot was revoked"
        return f"this bot is suspended: {self.suspended}" if self.suspended else ""

    @property
    def may_play(self) -> bool:
        """Whether it is neither suspended nor revoked."""
        return not self.ban


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarEvent:
    """An event on the calendar. A time of 0: registration at once, check-in with the start, start by the organiser."""

    name: str
    number: int
    manifest: str
    """The text of its tournament.toml."""
    registration_millis: int
    check_in_millis: int
    start_millis: int
    state: EventState
    reason: str = ""
    """Why it was cancelled."""
    entries: Mapping[str, bool] = field(default_factory=dict)
    """The entered bots in order, and whether each was checked in."""
