"""`tortuga client …`: what an arena shows to everybody, on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from server.cli.api_calls import Line
from server.cli.command import Group, json_flag, timeout_option

PAGE_OPTIONS = [
    click.option("--page-size", default=0, type=click.IntRange(0, 500), help="At most so many. [default: 50]"),
    click.option("--page-token", default="", metavar="TOKEN", help="Go on where the page before ended."),
    click.option("--all", "everything", is_flag=True, help="All pages."),
]
CALL_OPTIONS = [
    click.option(
        "--server",
        envvar="TORTUGA_ARENA",
        default="localhost:7072",
        show_default=True,
        metavar="HOST:PORT",
        help="The arena's public door; also TORTUGA_ARENA. TLS as TORTUGA_TLS says.",
    ),
    timeout_option,
    json_flag,
]


def calling(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all calls have in common; the command gets them as a Line."""

    def run(server: str, timeout: float, as_json: bool, **words: Any) -> None:
        command(Line(server, timeout, as_json, trust=os.environ.get("TORTUGA_TLS", "")), **words)

    return carry(command, run, CALL_OPTIONS)


def carry(command: Callable[..., None], run: Callable[..., None], options: list[Any]) -> Callable[..., None]:
    """Let `run` stand for a command: with its name, its help and its options, and some more after them."""
    run.__doc__, run.__name__ = command.__doc__, command.__name__
    with_options(run, options)
    run.__click_params__ += getattr(command, "__click_params__", ())  # type: ignore[attr-defined]
    return run


def with_options(command: Callable[..., None], options: list[Any]) -> Callable[..., None]:
    """Add options in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def paged(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of lists."""
    return with_options(command, PAGE_OPTIONS)


@click.group(cls=Group)
def client() -> None:
    """Look at an arena: ladders, bots, matches, events."""


@client.command()
@calling
@paged
def games(line: Line, **page: Any) -> None:
    """The games that can be played there."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_list(line, "ListGames", pb.ListGamesRequest(), "games", client_show.GAME, **page)


@client.command()
@calling
@paged
def ladders(line: Line, **page: Any) -> None:
    """The ladders, without their tables."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_list(line, "ListLadders", pb.ListLaddersRequest(), "ladders", client_show.LADDER, **page)


@client.command()
@calling
@click.argument("name")
@paged
def ladder(line: Line, name: str, **page: Any) -> None:
    """The table of the ladder NAME, e.g. pirates_cove-4."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    answer = client_show.show_list(
        line, "GetLadder", pb.GetLadderRequest(name=name), "rows", client_show.ROW, title=name, **page
    )
    if not line.as_json:
        client_show.show_footer(answer)


@client.command()
@calling
@click.option("--connected", is_flag=True, help="Only those that are there now.")
@paged
def bots(line: Line, connected: bool, **page: Any) -> None:
    """The bots, by name."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_list(line, "ListBots", pb.ListBotsRequest(connected=connected), "bots", client_show.BOT, **page)


@client.command()
@calling
@click.argument("name")
def bot(line: Line, name: str) -> None:
    """The bot NAME."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_one(line, line.call("GetBot", pb.GetBotRequest(name=name)))


@client.command()
@calling
@click.option("--bot", default="", metavar="NAME", help="Only those with this bot, or entry of a ladder.")
@click.option("--contest", default="", metavar="NAME", help="Only those of this ladder or contest.")
@click.option("--event", default="", metavar="NAME", help="Those of this event, instead of the ladders.")
@click.option("--running", is_flag=True, help="Only those that are being played.")
@click.option("--since", default="", metavar="TIME", help="Only those begun at or after: 2026-11-20T18:00, or -2h.")
@paged
def matches(line: Line, bot: str, contest: str, event: str, running: bool, since: str, **page: Any) -> None:
    """Matches, the latest first."""
    from server.cli import client_tables as client_show
    from server.cli.api_calls import read_time
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListMatchesRequest(
        bot=bot,
        contest=contest,
        event=event,
        state=pb.MATCH_STATE_RUNNING if running else pb.MATCH_STATE_UNSPECIFIED,
        since_millis=read_time(since),
    )
    client_show.show_list(line, "ListMatches", request, "matches", client_show.MATCH, **page)


@client.command()
@calling
@click.argument("match_id", metavar="ID")
def match(line: Line, match_id: str) -> None:
    """The match ID."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_match(line, line.call("GetMatch", pb.GetMatchRequest(match_id=match_id)))


@client.command()
@calling
@click.argument("match_id", metavar="ID")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where to. [default: ID.tortuga]")
def record(line: Line, match_id: str, output: Path | None) -> None:
    """Fetch the record of the match ID: `tortuga replay` reads it."""
    from referee.records.files import write_atomically
    from server.bots.spec import NAME
    from tortuga.v1 import arena_pb2 as pb

    content = b"".join(
        chunk.data for chunk in line.stream("DownloadRecord", pb.DownloadRecordRequest(match_id=match_id))
    )
    # The server knows the match, but what becomes a path here is our own business.
    if output is None and not NAME.fullmatch(match_id):
        raise ConfigError(f"{match_id!a} is no good file name; say -o FILE")
    path = output or Path(f"{match_id}.tortuga")
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}") from None
    line.say({"record": str(path), "bytes": len(content)}, f"{path}: {len(content)} bytes")


@client.command()
@calling
@paged
def events(line: Line, **page: Any) -> None:
    """The events of the calendar, the latest first."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_list(line, "ListEvents", pb.ListEventsRequest(), "events", client_show.EVENT, **page)


@client.command()
@calling
@click.argument("name")
def event(line: Line, name: str) -> None:
    """The event NAME with its tables."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_event(line, line.call("GetEvent", pb.GetEventRequest(name=name)))


@client.command()
@calling
@click.argument("match_id", metavar="[ID]", default="")
@click.option("--bot", default="", metavar="NAME", help="Without ID: the latest match with this bot.")
@click.option("--event", default="", metavar="NAME", help="Without ID: the latest of this event, not of the ladders.")
@click.option("--key", default="", envvar="TORTUGA_KEY", help="A commentator's, who sees secrets; also TORTUGA_KEY.")
def watch(line: Line, match_id: str, bot: str, event: str, key: str) -> None:
    """Watch the match ID as it is played, or the latest that is. With --json: one document per line."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    request = pb.WatchMatchRequest(match_id=match_id or latest_running(line, bot, event), commentator_key=key)
    for sight in line.stream("WatchMatch", request, endless=True):
        client_show.show_sight(line, sight)


def latest_running(line: Line, bot: str, event: str) -> str:
    """The name of a match that is being played."""
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING, bot=bot, event=event, page_size=1)
    for match in line.call("ListMatches", request).matches:
        return str(match.match_id)
    where = f"in the event {event} right now" if event else "on the ladders right now; --event NAME looks into an event"
    raise ConfigError(f"no match {f'with {bot} ' if bot else ''}is being played {where}")


@client.command()
@calling
@click.argument("name", metavar="EVENT")
def enter(line: Line, name: str) -> None:
    """Enter your bot for EVENT; its token is in TORTUGA_TOKEN."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    found = line.call("EnterEvent", pb.EnterEventRequest(name=name), token=own_token())
    client_show.show_entries(line, found)


@client.command()
@calling
@click.argument("name", metavar="EVENT")
def leave(line: Line, name: str) -> None:
    """Take your bot out of EVENT again; its token is in TORTUGA_TOKEN."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    found = line.call("LeaveEvent", pb.LeaveEventRequest(name=name), token=own_token())
    client_show.show_entries(line, found)


def own_token() -> str:
    """Never on the command line, where everybody on the machine can read it."""
    token = os.environ.get("TORTUGA_TOKEN", "").strip()
    if not token.isascii() or not token:
        raise ConfigError("TORTUGA_TOKEN has to hold the token of your bot")
    return token
