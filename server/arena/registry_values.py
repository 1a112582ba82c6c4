"""Bots and events as the registry knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class EventState(StrEnum):
    """Where an event is."""

    ANNOUNCED = "announced"
    REGISTRATION = "registration"
    CHECK_IN = "check_in"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


BEFORE_START = (EventState.ANNOUNCED, EventState.REGISTRATION, EventState.CHECK_IN)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownBot:
    """A bot, as it was last seen. The fields are the columns of its table."""

    name: str
    owner: str = ""
    spec: str = ""
    """Of a hosted bot; empty: it dials in."""
    token_hash: bytes = b""
    added_millis: int = 0
    seen_millis: int = 0
    version: str = ""
    language: str = ""
    games: tuple[str, ...] = ()
    """Empty: all."""
    seat_counts: tuple[int, ...] = ()
    """Empty: any."""
    slots: int = 1
    suspended: str = ""
    """Why it may not play for now."""
    revoked: bool = False

    @property
    def hosted(self) -> bool:
        """Whether the server starts it."""
        return bool(self.spec)

    @property
    def may_play(self) -> bool:
        """Neither suspended nor revoked."""
        return not self.suspended and not self.revoked


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarEvent:
    """An event on the calendar. Times of 0: at once, with the start, and when the organiser says so."""

    name: str
    number: int
    manifest: str
    """The text of its tournament.toml."""
    registration_millis: int
    check_in_millis: int
    start_millis: int
    state: EventState
    reason: str = ""
    """Why it was called off."""
    entries: Mapping[str, bool] = field(default_factory=dict)
    """Who entered, in order, and whether it was there at check-in."""
