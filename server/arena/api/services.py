"""The two gRPC services of an arena, each put together from parts that are about one thing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from server.arena.api.admin_api import AdminCalls
from server.arena.api.answer_cache import ANSWER_SECONDS, AnswerCache
from server.arena.api.author_api import MAX_WATCHERS, AuthorCalls, SubmissionCalls, WatchCalls
from server.arena.api.people_api import PeopleCalls
from server.arena.api.reading_api import ReadingCalls
from server.arena.api.ruling_api import RulingCalls
from server.arena.operations.running_arena import RunningArena
from server.arena.people.callers import Callers
from server.arena.reading.archive import Archive
from server.arena.reading.standings_maker import StandingsMaker
from server.arena.registry import Registry
from tortuga.v1 import arena_pb2 as pb


class Services(NamedTuple):
    """What the doors serve."""

    arena: Any
    """The service Arena, for everybody."""
    admin: Any
    """The service ArenaAdmin, for the organiser."""
    answers: AnswerCache
    """Answers of the service Arena, whichever door they were given at."""


def make_services(
    arena: RunningArena,
    registry: Registry,
    archive: Archive,
    maker: StandingsMaker,
    callers: Callers,
    *,
    max_watchers: int = MAX_WATCHERS,
    answer_seconds: float = ANSWER_SECONDS,
) -> Services:
    """Put the services together."""
    reading = ReadingCalls(arena, registry, archive, maker)
    author = AuthorCalls(arena, registry, archive, callers, reading)
    return Services(
        arena=gather("Arena", reading, author, WatchCalls(arena, callers, max_watchers), SubmissionCalls(arena)),
        admin=gather(
            "ArenaAdmin",
            AdminCalls(arena, registry, archive),
            PeopleCalls(arena, registry, archive, callers.teams),
            RulingCalls(arena, registry, archive),
        ),
        answers=AnswerCache(answer_seconds),
    )


def gather(service: str, *parts: object) -> Any:
    """Return a servicer whose methods are those of the parts: each method of the service is in exactly one."""
    servicer = SimpleNamespace()
    for method in pb.DESCRIPTOR.services_by_name[service].methods:
        [call] = [getattr(part, method.name) for part in parts if hasattr(part, method.name)]
        setattr(servicer, method.name, call)
    return servicer
