"""The interface through which the gRPC services use the running arena, besides the registry and the archive."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
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


class Schedule(NamedTuple):
    """How an event came onto the calendar."""

    zone: str = ""
    """The zone its times were given in. Empty: the arena's."""
    series: str = ""
    """The repeating event it is one of. Empty: none."""
    repeats: str = ""
    """When that is played, as text. Empty: never again."""


class Arena(Protocol):
    """The running arena. Its methods are called on its loop. Actions are durable when they return.

    Actions raise the exceptions of errors.py: NotFound for an unknown name, FailedPrecondition at the wrong moment.
    """

    def running(self) -> Sequence[pb.MatchInfo]:
        """The running matches, of ladders and events."""
        ...

    def attendance(self, bot: str) -> Attendance:
        """Whether a bot is connected, and how many matches it is playing."""
        ...

    def ladders(self) -> Sequence[pb.LadderInfo]:
        """All ladders, in the order of the configuration."""
        ...

    def progress(self, event: str) -> Progress | None:
        """How far an event is. None: it is not being played."""
        ...

    def info(self) -> pb.ArenaInfo:
        """The arena itself: where its doors are."""
        ...

    def status(self) -> pb.ServerStatus:
        """The state of the server."""
        ...

    def watch(self, match_id: str, *, full: bool, pace_seconds: float = 0.0) -> AsyncGenerator[pb.Sight, None]:
        """A match as it is played, a sight per `pace_seconds` at most. `full`: as commentators see it.

        Raises NotFound if it is not running.
        """
        ...

    def doors(self) -> pb.DoorsInfo:
        """How others reach the arena."""
        ...

    def disconnect_token(self, label: str, reason: str) -> None:
        """Disconnect the bots that came with the team's token of this label."""
        ...

    async def add_bot(self, name: str, owner: str) -> str:
        """Register a new remote bot; returns its token."""
        ...

    async def host_bot(self, spec: str, name: str, owner: str) -> str:
        """Register a new hosted bot, or a new version of one; returns its name."""
        ...

    async def rotate(self, name: str) -> str:
        """Replace a bot's token and disconnect it; returns the new token."""
        ...

    async def revoke(self, name: str) -> None:
        """Revoke a bot: it may never play again."""
        ...

    async def suspend(self, name: str, reason: str) -> None:
        """Suspend a bot: it may not play for now."""
        ...

    async def lift(self, name: str) -> None:
        """Lift a bot's suspension."""
        ...

    async def forget_submissions(self, owner: str) -> None:
        """Forget what an owner submitted. Bundles stay, for records name them."""
        ...

    async def pause(self, ladder: str) -> None:
        """Begin no further match on a ladder. Empty: on all ladders."""
        ...

    async def resume(self, ladder: str) -> None:
        """Resume a ladder. Empty: all ladders."""
        ...

    def schedule(self, event: str) -> Schedule:
        """How an event came onto the calendar."""
        ...

    def why_quiet(self, ladder: pb.LadderInfo) -> str:
        """Why nothing is played on a ladder, as text. Empty: something is, or will be in a moment."""
        ...

    def seasons(self) -> Sequence[pb.Season]:
        """The archived seasons, the latest first."""
        ...

    def news(self) -> Sequence[pb.NewsItem]:
        """What happened, the latest first."""
        ...

    async def freeze(self, ladder: str, at_millis: int) -> None:
        """Begin no match on a ladder from a moment on. Empty: on all ladders. 0: now."""
        ...

    async def unfreeze(self, ladder: str) -> None:
        """Take a freeze back. Empty: of all ladders."""
        ...

    async def archive_season(self, name: str) -> pb.Season:
        """Keep the final tables and the records of a season that is over."""
        ...

    async def start_season(self, *, from_ratings: bool, shrink: float) -> Sequence[pb.StartingRating]:
        """Start the next season; returns what bots start with."""
        ...

    async def create_event(
        self,
        name: str,
        manifest: str,
        registration_millis: int,
        check_in_millis: int,
        start_millis: int,
        zone: str = "",
    ) -> None:
        """Put an event on the calendar. The zone is that of its times."""
        ...

    async def create_series(self, request: pb.CreateEventRequest) -> str:
        """Put a repeating event on the calendar; returns the name of its first one."""
        ...

    async def enter(self, event: str, bot: str, *, late: bool) -> None:
        """Enter a bot: while registration is open, or `late`, at any time before the start."""
        ...

    async def leave(self, event: str, bot: str) -> None:
        """Withdraw a bot from an event."""
        ...

    async def challenge(self, bot: str, ladder: str, opponents: Sequence[str]) -> pb.MatchInfo:
        """Begin an unrated match of a bot."""
        ...

    async def start_event(self, name: str) -> None:
        """Start an event now, whatever the calendar says."""
        ...

    async def cancel_event(self, name: str, reason: str) -> str:
        """Cancel an event, or end one that repeats; returns the name of the event that was cancelled."""
        ...

    async def take_rulings(self, event: str) -> None:
        """Go on under the rulings that were just made on an event. Empty: on the ladders."""
        ...
