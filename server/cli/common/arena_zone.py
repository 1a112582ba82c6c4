"""Times on the command line: those that name no zone are in the arena's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from server.arena.zones import read_time, zone_of

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient


def arena_zone(arena: ArenaClient) -> str:
    """The time zone of an arena's calendar."""
    from tortuga.v1 import arena_pb2 as pb

    return str(replace(arena, service="Arena").call("GetArena", pb.GetArenaRequest()).zone) or "UTC"


def read_moment(arena: ArenaClient, text: str) -> int:
    """A time in milliseconds since 1970. Empty: 0."""
    return read_time(text, arena_zone(arena) if text and not zone_of(text, "") else "UTC")
