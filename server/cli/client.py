"""`tortuga client …`: what an arena shows to everybody, on the command line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from referee.records.record import unchecked_signer
from server.cli import client_tables as tables
from server.cli.arena_client import ArenaClient
from server.cli.call_options import calling, paged
from server.cli.command import Group
from server.cli.times import read_time
from tortuga.v1 import arena_pb2 as pb

FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A match id that is safe as the name of a file."""


@click.group(cls=Group)
def client() -> None:
    """Look at an arena: ladders, bots, matches, events."""


@client.command()
@calling
@paged
def games(arena: ArenaClient, **page: Any) -> None:
    """The games that can be played there."""
    tables.show_list(arena, "ListGames", pb.ListGamesRequest(), "games", tables.GAME, **page)


@client.command()
@calling
@paged
def ladders(arena: ArenaClient, **page: Any) -> None:
    """The ladders, without their tables."""
    tables.show_list(arena, "ListLadders", pb.ListLaddersRequest(), "ladders", tables.LADDER, **page)


@client.command()
@calling
@click.argument("name")
@paged
def ladder(arena: ArenaClient, name: str, **page: Any) -> None:
    """The table of the ladder NAME, e.g. pirates_cove-4."""
    answer = tables.show_list(
        arena, "GetLadder", pb.GetLadderRequest(name=name), "rows", tables.ROW, title=name, **page
    )
    if not arena.as_json:
        tables.show_footer(answer)


@client.command()
@calling
@click.option("--connected", is_flag=True, help="Only those that are connected now.")
@paged
def bots(arena: ArenaClient, connected: bool, **page: Any) -> None:
    """The bots, by name."""
    tables.show_list(arena, "ListBots", pb.ListBotsRequest(connected=connected), "bots", tables.BOT, **page)


@client.command()
@calling
@click.argument("name")
def bot(arena: ArenaClient, name: str) -> None:
    """The bot NAME."""
    tables.show_one(arena, arena.call("GetBot", pb.GetBotRequest(name=name)))


@client.command()
@calling
@click.option("--bot", default="", metavar="NAME", help="Only those with this bot, or entry of a ladder.")
@click.option("--contest", default="", metavar="NAME", help="Only those of this ladder or contest.")
@click.option("--event", default="", metavar="NAME", help="Those of this event, instead of the ladders.")
@click.option("--running", is_flag=True, help="Only those that are being played.")
@click.option("--since", default="", metavar="TIME", help="Only those begun at or after: 2026-11-20T18:00, or -2h.")
@paged
def matches(arena: ArenaClient, bot: str, contest: str, event: str, running: bool, since: str, **page: Any) -> None:
    """Matches, the latest first."""
    request = pb.ListMatchesRequest(
        bot=bot,
        contest=contest,
        event=event,
        state=pb.MATCH_STATE_RUNNING if running else pb.MATCH_STATE_UNSPECIFIED,
        since_millis=read_time(since),
    )
    tables.show_list(arena, "ListMatches", request, "matches", tables.MATCH, **page)


@client.command()
@calling
@click.argument("match_id", metavar="ID")
def match(arena: ArenaClient, match_id: str) -> None:
    """The match ID."""
    tables.show_match(arena, arena.call("GetMatch", pb.GetMatchRequest(match_id=match_id)))


@client.command()
@calling
@click.argument("match_id", metavar="ID")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where to. [default: ID.tortuga]")
def record(arena: ArenaClient, match_id: str, output: Path | None) -> None:
    """Fetch the record of the match ID: `tortuga replay` reads it."""
    content = b"".join(
        chunk.data for chunk in arena.stream("DownloadRecord", pb.DownloadRecordRequest(match_id=match_id))
    )
    # The server knows the match, but what becomes a path here is our own business.
    if output is None and not FILE_NAME.fullmatch(match_id):
        raise ConfigError(f"{match_id!a} is no good file name; pass -o FILE")
    path = output or Path(f"{match_id}.tortuga")
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
    signer = unchecked_signer(content).hex()
    signed = f", signed by {signer} (compare with the key the organiser published)" if signer else ", not signed"
    arena.answer(
        {"record": str(path), "bytes": len(content), "signed_by": signer or None},
        f"{path}: {len(content)} bytes{signed}",
    )


@client.command()
@calling
@click.argument("match_id", metavar="ID")
def notes(arena: ArenaClient, match_id: str) -> None:
    """What the bots noted in the match ID; with a token in TORTUGA_TOKEN also what is for that bot's owner alone."""
    token = own_token() if os.environ.get("TORTUGA_TOKEN") else ""
    found = arena.call("GetNotes", pb.GetNotesRequest(match_id=match_id), token=token)
    seats = arena.call("GetMatch", pb.GetMatchRequest(match_id=match_id)).seats
    tables.show_notes(arena, found, [seat.entry for seat in seats])


@client.command()
@calling
@paged
def events(arena: ArenaClient, **page: Any) -> None:
    """The events of the calendar, the latest first."""
    tables.show_list(arena, "ListEvents", pb.ListEventsRequest(), "events", tables.EVENT, **page)


@client.command()
@calling
@click.argument("name")
def event(arena: ArenaClient, name: str) -> None:
    """The event NAME with its tables."""
    tables.show_event(arena, arena.call("GetEvent", pb.GetEventRequest(name=name)))


@client.command()
@calling
@click.argument("match_id", metavar="[ID]", default="")
@click.option("--bot", default="", metavar="NAME", help="Without ID: the latest match with this bot.")
@click.option("--event", default="", metavar="NAME", help="Without ID: the latest of this event, not of the ladders.")
@click.option("--key", default="", envvar="TORTUGA_KEY", help="A commentator's, who sees secrets; also TORTUGA_KEY.")
def watch(arena: ArenaClient, match_id: str, bot: str, event: str, key: str) -> None:
    """Watch the match ID as it is played, or the latest that is. With --json: one document per line."""
    request = pb.WatchMatchRequest(match_id=match_id or latest_running(arena, bot, event), commentator_key=key)
    names: list[str] = []
    for sight in arena.stream("WatchMatch", request, endless=True):
        if sight.HasField("start"):
            names = list(sight.start.seat_names)
        tables.show_sight(arena, sight, names)


def latest_running(arena: ArenaClient, bot: str, event: str) -> str:
    """The name of a match that is being played."""
    request = pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING, bot=bot, event=event, page_size=1)
    for match in arena.call("ListMatches", request).matches:
        return str(match.match_id)
    where = f"in the event {event} right now" if event else "on the ladders right now; --event NAME looks into an event"
    raise ConfigError(f"no match {f'with {bot} ' if bot else ''}is being played {where}")


@client.command()
@calling
@click.argument("name", metavar="EVENT")
def enter(arena: ArenaClient, name: str) -> None:
    """Enter your bot for EVENT; its token is in TORTUGA_TOKEN."""
    found = arena.call("EnterEvent", pb.EnterEventRequest(name=name), token=own_token())
    tables.show_entries(arena, found)


@client.command()
@calling
@click.argument("name", metavar="EVENT")
def leave(arena: ArenaClient, name: str) -> None:
    """Take your bot out of EVENT again; its token is in TORTUGA_TOKEN."""
    found = arena.call("LeaveEvent", pb.LeaveEventRequest(name=name), token=own_token())
    tables.show_entries(arena, found)


def own_token() -> str:
    """Never on the command line, where everybody on the machine can read it."""
    token = os.environ.get("TORTUGA_TOKEN", "").strip()
    if not token.isascii() or not token:
        raise ConfigError("TORTUGA_TOKEN has to hold the token of your bot")
    return token
