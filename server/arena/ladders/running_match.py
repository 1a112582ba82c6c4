"""A match that an arena is playing, as lists and spectators know it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from referee.door.spectator import SpectatorFeed
from referee.match.match import Terms
from server.arena.ladders.lobby import Member
from tortuga.v1 import record_pb2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RunningMatch:
    """A match being played."""

    match_id: str
    contest: str
    event: str
    """Empty: it is a ladder match."""
    entries: tuple[str, ...]
    versions: tuple[str, ...]
    started_millis: int
    feed: SpectatorFeed | None
    """None: it is played on a machine of the cluster, where nobody can watch it."""
    game: str = ""
    place: record_pb2.RecordPlace | None = None
    """Its place in the event. None: it is not in one."""
    challenger: str = ""
    """The bot that made a challenge. Empty: it is not a challenge."""


def running_match(terms: Terms, contest: str, seats: Sequence[tuple[str, Member | None]]) -> RunningMatch:
    """A ladder match that begins now."""
    return RunningMatch(
        match_id=terms.match_id,
        contest=contest,
        event="",
        entries=tuple(name for name, _ in seats),
        versions=tuple(member.version if member else "" for _, member in seats),
        started_millis=int(time.time() * 1000),
        feed=None,
        game=terms.game.info.id,
    )
