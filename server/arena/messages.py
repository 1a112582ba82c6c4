"""Bots, matches and events as messages of the arena's services."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache

from referee.errors import ConfigError, FaultKind
from referee.wire.envelope import FAULT_KINDS
from server.arena.interface import Attendance, Progress
from server.arena.registry_values import CalendarEvent, EventState, KnownBot
from server.ratings.live import MICRO
from server.tournament.manifest import make_manifest
from server.tournament.summary import MatchSummary
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

EVENT_STATES = {state: pb.EventState.Value(f"EVENT_STATE_{state.name}") for state in EventState}


def bot_info(bot: KnownBot, attendance: Attendance) -> pb.Bot:
    """A bot as a message."""
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
    """A finished match, with its change of every seat's live Elo if that is settled."""
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
    """An event as a message."""
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
    """The format and the contests of a tournament.toml, which need not name its bots yet."""
    try:
        found = make_manifest(tomllib.loads(manifest))
    except (tomllib.TOMLDecodeError, ConfigError):
        return "", ()  # written by an older tortuga; its results can still be read
    return found.format, tuple(contest.id for contest in found.contests)
