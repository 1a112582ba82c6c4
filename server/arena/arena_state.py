"""What the services ask about an arena at this moment, besides its registry and its archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tortuga.v1 import arena_pb2 as pb


class Attendance(NamedTuple):
    """Whether a bot is connected, and how many matches it is playing."""

    presence: pb.Presence.ValueType = pb.PRESENCE_ABSENT
    running: int = 0


class Progress(NamedTuple):
    """How far an event is."""

    done: int
    planned: int
    """0: unknown."""


class EventOrigin(NamedTuple):
    """How an event came onto the calendar."""

    zone: str = ""
    """The zone its times were given in. Empty: the arena's."""
    series: str = ""
    """The repeating event it is one of. Empty: none."""
    repeats: str = ""
    """When that is played, as text. Empty: never again."""


class ArenaState(Protocol):
    """The state of a running arena (operations/running_arena.py), or of a folder (web/folder_state.py)."""

    def info(self) -> pb.ArenaInfo:
        """Return the arena itself: where its doors are."""
        ...

    def running(self) -> Sequence[pb.MatchInfo]:
        """Return the running matches, of ladders and events."""
        ...

    def attendance(self, bot: str) -> Attendance:
        """Return whether a bot is connected, and how many matches it is playing."""
        ...

    def ladders(self) -> Sequence[pb.LadderInfo]:
        """Return all ladders, in the order of the configuration."""
        ...

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        """Say why nothing is played on a ladder. Empty: something is, or will be in a moment."""
        ...

    def seasons(self) -> Sequence[pb.Season]:
        """Return the archived seasons, the latest first."""
        ...

    def progress(self, event: str) -> Progress | None:
        """Return how far an event is. None: it is not being played."""
        ...

    def schedule(self, event: str) -> EventOrigin:
        """Return how an event came onto the calendar."""
        ...

    def news(self) -> Sequence[pb.NewsItem]:
        """Return what happened, the latest first."""
        ...
