"""What the services ask of the running arena, and how what is known looks on the wire.

`Arena` is the seam: the services know it and the data at rest, and nothing of how matches are made.
"""

from __future__ import annotations

import tomllib
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from referee.errors import ConfigError, FaultKind
from referee.wire.envelope import FAULT_KINDS
from server.arena.registry import CalendarEvent, EventState, KnownBot
from server.ratings import MICRO
from server.tournament.manifest import make_manifest
from server.tournament.summary import MatchSummary
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

EVENT_STATES = {state: pb.EventState.Value(f"EVENT_STATE_{state.name}") for state in EventState}


class Attendance(NamedTuple):
    """Whether a bot is there, and in how many matches."""

    presence: pb.Presence.ValueType = pb.PRESENCE_ABSENT
    running: int = 0


class Progress(NamedTuple):
    """How far an event is that is being played."""

    done: int
    planned: int
    """0: there is no telling."""


class Arena(Protocol):
    """The running arena. Looking costs nothing and is called on its loop; actions are durable when they return.

    Actions raise what errors.py lists: NotFound for a name that is not there, FailedPrecondition for the wrong moment.
    """

    def running(self) -> Sequence[pb.MatchInfo]:
        """The matches that are being played, of ladders and events."""
        ...

    def attendance(self, bot: str) -> Attendance:
        """Whether a bot is there."""
        ...

    def ladders(self) -> Sequence[pb.LadderInfo]:
        """In the order of the configuration."""
        ...

    def progress(self, event: str) -> Progress | None:
        """How far an event is; None: it is not being played."""
        ...

    def status(self) -> pb.ServerStatus:
        """How the server is."""
        ...

    def watch(self, match_id: str, commentator_key: str) -> AsyncGenerator[pb.Sight, None]:
        """A match as it is played. Raises NotFound for one that does not run, Unauthenticated for a wrong key."""
        ...

    async def add_bot(self, name: str, owner: str) -> str:
        """A new remote bot; gives its token."""
        ...

    async def host_bot(self, spec: str, name: str, owner: str) -> str:
        """A new hosted bot, or a new version of one; gives its name."""
        ...

    async def rotate(self, name: str) -> str:
        """Another token; the old one's stream is closed."""
        ...

    async def revoke(self, name: str) -> None:
        """No more of this bot."""
        ...

    async def suspend(self, name: str, reason: str) -> None:
        """Not for now."""
        ...

    async def lift(self, name: str) -> None:
        """Again."""
        ...

    async def pause(self, ladder: str) -> None:
        """Begin no further match; empty: on any ladder."""
        ...

    async def resume(self, ladder: str) -> None:
        """Go on; empty: on all ladders."""
        ...

    async def create_event(
        self, name: str, manifest: str, registration_millis: int, check_in_millis: int, start_millis: int
    ) -> None:
        """Put an event on the calendar."""
        ...

    async def enter(self, event: str, bot: str, *, late: bool) -> None:
        """Enter a bot: while registration is open, or `late`, at any time before the start."""
        ...

    async def leave(self, event: str, bot: str) -> None:
        """Take a bot out again."""
        ...

    async def start_event(self, name: str) -> None:
        """Now, whatever the calendar says."""
        ...

    async def cancel_event(self, name: str, reason: str) -> None:
        """Call it off."""
        ...


def bot_info(bot: KnownBot, attendance: Attendance) -> pb.Bot:
    """A bot."""
    return pb.Bot(
        name=bot.name,
        owner=bot.owner,
        hosted=bot.hosted,
        presence=attendance.presence,
        version=bot.version,
        language=bot.language,
        games=bot.games,
        seat_counts=bot.seat_counts,
        slots=bot.slots,
        running=attendance.running,
        suspended=bot.suspended,
        revoked=bot.revoked,
        added_millis=bot.added_millis,
        seen_millis=bot.seen_millis,
    )


def match_info(match: MatchSummary, changes: Sequence[tuple[int, int]], event: str = "") -> pb.MatchInfo:
    """A match that is over, with what it did to the live Elo of every seat, if that is settled."""
    seats = [
        pb.MatchSeat(entry=seat.bot, version=seat.version, rank=seat.rank, score=seat.score) for seat in match.seats
    ]
    for seat, (before, change) in zip(seats, changes, strict=False):
        seat.elo_before, seat.elo_change = before / MICRO, change / MICRO
    return pb.MatchInfo(
        match_id=match.match_id,
        state=pb.MATCH_STATE_FINISHED,
        contest=match.contest,
        event=event,
        started_millis=match.started_millis,
        seats=seats,
        reason=match.reason,
        decisions=match.decisions,
        faults=[
            referee_pb2.SeatFault(
                seat=fault.seat,
                decision=fault.decision,
                kind=FAULT_KINDS[FaultKind(fault.kind)],
                message=fault.message,
                out=fault.out,
            )
            for fault in match.faults
        ],
        record_sha256=match.record_sha256,
        record_bytes=match.record_bytes if match.kept else 0,
    )


def event_info(event: CalendarEvent, progress: Progress) -> pb.EventInfo:
    """An event."""
    format_name, contests = describe(event.manifest)
    return pb.EventInfo(
        name=event.name,
        state=EVENT_STATES[event.state],
        format=format_name,
        contests=contests,
        entries=[pb.EventEntry(bot=bot, checked_in=there) for bot, there in event.entries.items()],
        registration_millis=event.registration_millis,
        check_in_millis=event.check_in_millis,
        start_millis=event.start_millis,
        matches_done=progress.done,
        matches_planned=progress.planned,
        reason=event.reason,
    )


@lru_cache(maxsize=256)
def describe(manifest: str) -> tuple[str, tuple[str, ...]]:
    """The format and the contests of a tournament.toml. Its bots may still have to enter."""
    try:
        found = make_manifest(tomllib.loads(manifest))
    except (tomllib.TOMLDecodeError, ConfigError):
        return "", ()  # of an older tortuga; its results can still be read
    return found.format, tuple(contest.id for contest in found.contests)
