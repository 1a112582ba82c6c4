"""Bots, matches and events as messages of the arena's services."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache

from referee.errors import ConfigError, FaultKind
from referee.wire import envelope
from referee.wire.envelope import FAULT_KINDS
from server.arena.arena_state import Attendance, EventOrigin, Progress
from server.arena.registry import wall_millis
from server.arena.registry_schema import CalendarEvent, EventState, KnownBot
from server.play.summary import MatchSummary
from server.ratings.live import MICRO
from server.tournament.manifest import Contest, Manifest, make_manifest
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1 import referee_pb2

CHALLENGE = "challenge by "
"""How the label of a challenge's match begins. The name of the bot whose author asked for it follows."""
EVENT_STATES = {state: pb.EventState.Value(f"EVENT_STATE_{state.name}") for state in EventState}


def bot_info(bot: KnownBot, attendance: Attendance) -> pb.Bot:
    """Return a bot as a message."""
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


def match_info(
    match: MatchSummary, changes: Sequence[tuple[int, int]] = (), event: str = "", block_matches: Sequence[str] = ()
) -> pb.MatchInfo:
    """Return a finished match as a message, with each seat's change of the live Elo if that is settled."""
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
        block=match.block,
        stage=match.stage,
        label=match.label,
        rotation=match.rotation,
        revealed=match.kept,  # a block is stored when all of it is over: its luck is not needed any more
        game=game_of(match.contest),
        block_matches=block_matches,
        challenger=challenger_of(match.label),
    )


def challenge_label(bot: str) -> str:
    """Return the label of a challenge in its record."""
    return f"{CHALLENGE}{bot}"


def challenger_of(label: str) -> str:
    """Return the bot that made a challenge, from the label of its match. Empty: it is not a challenge."""
    return label.removeprefix(CHALLENGE) if label.startswith(CHALLENGE) else ""


def game_of(contest: str) -> str:
    """Return the game of a contest, which is named after it: see `Contest.id`."""
    return contest.rpartition("-")[0]


def event_info(
    event: CalendarEvent, progress: Progress, public_key: bytes = b"", schedule: EventOrigin | None = None
) -> pb.EventInfo:
    """Return an event as a message."""
    manifest = read_manifest(event.manifest)
    return pb.EventInfo(
        name=event.name,
        state=EVENT_STATES[event.state],
        format=manifest.format if manifest else "",
        contests=[contest.id for contest in manifest.contests] if manifest else (),
        entries=[pb.EventEntry(bot=bot, checked_in=there) for bot, there in event.entries.items()],
        registration_millis=event.registration_millis,
        check_in_millis=event.check_in_millis,
        start_millis=event.start_millis,
        matches_done=progress.done,
        matches_planned=progress.planned,
        reason=event.reason,
        public_key=public_key,
        clock=envelope.clock(manifest.time_control) if manifest else None,
        rounds=manifest.rounds if manifest else 0,
        mirrored=manifest.mirrored if manifest else False,
        contest_infos=[contest_info(contest) for contest in manifest.contests] if manifest else (),
        zone=schedule.zone if schedule else "",
        series=schedule.series if schedule else "",
        repeats=schedule.repeats if schedule else "",
    )


def contest_info(contest: Contest) -> pb.ContestInfo:
    """Return a contest of an event as a message."""
    return pb.ContestInfo(
        name=contest.id,
        game=contest.game,
        seats=contest.seats,
        variant=[referee_pb2.Setting(name=name, value=value) for name, value in contest.variant.items()],
    )


def why_quiet(ladder: pb.LadderInfo) -> str:
    """Return why nothing is played on a ladder, or an empty string if matches are played or will be in a moment."""
    if 0 < ladder.frozen_millis <= wall_millis():
        return "frozen: the season is over, and no further match begins"
    if ladder.paused:
        return "paused: no further match begins"
    if ladder.bots < ladder.seats:
        return f"it needs {ladder.seats} bots, and has {ladder.bots}"
    return ""


@lru_cache(maxsize=256)
def read_manifest(manifest: str) -> Manifest | None:
    """Parse a tournament.toml, which need not name its bots yet.

    Returns None if an older tortuga wrote it: the results of the event remain readable.
    """
    try:
        return make_manifest(tomllib.loads(manifest))
    except (tomllib.TOMLDecodeError, ConfigError):
        return None
