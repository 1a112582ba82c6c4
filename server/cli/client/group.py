"""`tortuga client …`: what an arena shows to everybody, on the command line."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.records.files import write_atomically
from referee.text import harmless
from server.cli.common.call_options import calling, paged
from server.cli.common.command import LazyCommand, LazyGroup

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb

FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A match id that is safe as the name of a file."""
CHALLENGE_SECONDS = 40.0
"""How long to wait for a challenge to begin: its bots may have to finish matches first."""


BOT_OPTION = click.option("--bot", default="", metavar="NAME", help="Which of your team's bots, if it has several.")
LAZY = {
    "submit": LazyCommand(
        "server.cli.client.submit:submit",
        "Submit a bot for the arena to build and host: a folder with a bot.toml, or a zip file of one.",
    ),
    "submission": LazyCommand("server.cli.client.submit:submission", "Show the state of the submission ID."),
    "submissions": LazyCommand("server.cli.client.submit:submissions", "List your submissions, latest first."),
}


@click.group(cls=LazyGroup, lazy=LAZY)
def client() -> None:
    """Look at an arena: ladders, bots, matches, events."""


@client.command()
@calling
@paged
def games(arena: ArenaClient, **page: Any) -> None:
    """List the games that the arena plays."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListGames", pb.ListGamesRequest(), "games", listings.GAME, **page)


@client.command()
@calling
@paged
def ladders(arena: ArenaClient, **page: Any) -> None:
    """List the ladders, without their standings."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListLadders", pb.ListLaddersRequest(), "ladders", listings.LADDER, **page)


@client.command()
@calling
@click.argument("name")
@click.option("--season", default="", metavar="NAME", help="The final standings of this archived season.")
@paged
def ladder(arena: ArenaClient, name: str, season: str, **page: Any) -> None:
    """Show the standings of the ladder NAME, e.g. pirates_cove-4."""
    from server.cli.common import client_listings as listings

    listings.show_ladder(arena, name, season, **page)


@client.command()
@calling
@click.option("--connected", is_flag=True, help="Only those that are connected now.")
@paged
def bots(arena: ArenaClient, connected: bool, **page: Any) -> None:
    """List the bots, by name."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListBots", pb.ListBotsRequest(connected=connected), "bots", listings.BOT, **page)


@client.command()
@calling
@click.argument("name")
def bot(arena: ArenaClient, name: str) -> None:
    """Show the bot NAME."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_one(arena, arena.call("GetBot", pb.GetBotRequest(name=name)))


@client.command()
@calling
@click.option("--bot", default="", metavar="NAME", help="Only matches of this bot, or of this ladder entry.")
@click.option("--contest", default="", metavar="NAME", help="Only matches of this ladder or contest.")
@click.option("--event", default="", metavar="NAME", help="Matches of this event, instead of the ladders.")
@click.option("--challenges", is_flag=True, help="Challenges, instead of ladder matches.")
@click.option("--season", default="", metavar="NAME", help="Ladder matches of this archived season.")
@click.option("--running", is_flag=True, help="Only matches that are being played.")
@click.option(
    "--since",
    default="",
    metavar="TIME",
    help="Only matches that began at or after this time: 2026-11-20T18:00, or -2h.",
)
@paged
def matches(
    arena: ArenaClient,
    bot: str,
    contest: str,
    event: str,
    challenges: bool,
    season: str,
    running: bool,
    since: str,
    **page: Any,
) -> None:
    """List matches, latest first."""
    from server.cli.common import client_listings as listings
    from server.cli.common.arena_client import read_moment
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListMatchesRequest(
        bot=bot,
        contest=contest,
        event=event,
        challenges=challenges,
        state=pb.MATCH_STATE_RUNNING if running else pb.MATCH_STATE_UNSPECIFIED,
        since_millis=read_moment(arena, since),
        season=season,
    )
    listings.show_list(arena, "ListMatches", request, "matches", listings.MATCH, **page)


@client.command()
@calling
@click.argument("match_id", metavar="ID")
def match(arena: ArenaClient, match_id: str) -> None:
    """Show the match ID."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_match(arena, arena.call("GetMatch", pb.GetMatchRequest(match_id=match_id)))


@client.command()
@calling
@click.argument("match_id", metavar="ID")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write. [default: ID.tortuga]"
)
def record(arena: ArenaClient, match_id: str, output: Path | None) -> None:
    """Download the record of the match ID, for `tortuga replay`."""
    from referee.records.record import unchecked_signer
    from tortuga.v1 import arena_pb2 as pb

    content = b"".join(
        chunk.data for chunk in arena.stream("DownloadRecord", pb.DownloadRecordRequest(match_id=match_id))
    )
    # The server knows the match, but what becomes a path here is our own business.
    if output is None and not FILE_NAME.fullmatch(match_id):
        raise ConfigError(f"{match_id!a} is not a usable file name; pass -o FILE")
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
    """Show the bots' notes on the match ID; with your token, also the private notes of your own bots."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    token = own_token(arena) if arena.invite or os.environ.get("TORTUGA_TOKEN") else ""
    found = arena.call("GetNotes", pb.GetNotesRequest(match_id=match_id), token=token)
    seats = arena.call("GetMatch", pb.GetMatchRequest(match_id=match_id)).seats
    listings.show_notes(arena, found, [seat.entry for seat in seats])


@client.command()
@calling
@paged
def events(arena: ArenaClient, **page: Any) -> None:
    """List the events of the calendar, latest first."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListEvents", pb.ListEventsRequest(), "events", listings.EVENT, **page)


@client.command()
@calling
@paged
def news(arena: ArenaClient, **page: Any) -> None:
    """Show the arena's news, latest first: events, suspended bots, seasons."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_list(arena, "ListNews", pb.ListNewsRequest(), "news", listings.NEWS, **page)


@client.command()
@calling
@click.argument("name")
def event(arena: ArenaClient, name: str) -> None:
    """Show the event NAME with its standings."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_event(arena, arena.call("GetEvent", pb.GetEventRequest(name=name)))


@client.command()
@calling
@click.argument("match_id", metavar="[ID]", default="")
@click.option("--bot", default="", metavar="NAME", help="Without ID: the latest match with this bot.")
@click.option(
    "--event", default="", metavar="NAME", help="Without ID: the latest match of this event, not of the ladders."
)
@click.option(
    "--key", default="", envvar="TORTUGA_KEY", help="A commentator's token, which also shows secrets; also TORTUGA_KEY."
)
def watch(arena: ArenaClient, match_id: str, bot: str, event: str, key: str) -> None:
    """Watch the match ID live, or the latest running match. With --json: one document per line."""
    from tortuga.v1 import arena_pb2 as pb

    if not key and arena.invite and arena.invite.kind != "author":
        key = arena.invite.token
    request = pb.WatchMatchRequest(match_id=match_id or latest_running(arena, bot, event), commentator_key=key)
    watch_match(arena, request)


def watch_match(arena: ArenaClient, request: pb.WatchMatchRequest) -> None:
    """Show a match as it is played, until it is over."""
    from server.cli.common import client_listings as listings

    names: list[str] = []
    for sight in arena.stream("WatchMatch", request, endless=True):
        if sight.HasField("start"):
            names = list(sight.start.seat_names)
        listings.show_sight(arena, sight, names)


def latest_running(arena: ArenaClient, bot: str, event: str) -> str:
    """The name of a match that is being played."""
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListMatchesRequest(state=pb.MATCH_STATE_RUNNING, bot=bot, event=event, page_size=50)
    running = arena.call("ListMatches", request).matches
    for match in running:
        if not match.on_cluster:
            return str(match.match_id)
    if running:
        raise ConfigError("the matches being played are on the arena's cluster, where nobody can watch them")
    where = f"in the event {event} right now" if event else "on the ladders right now; --event NAME looks into an event"
    raise ConfigError(f"no match {f'with {bot} ' if bot else ''}is being played {where}")


@client.command()
@calling
@click.argument("name", metavar="EVENT")
@BOT_OPTION
def enter(arena: ArenaClient, name: str, bot: str) -> None:
    """Enter your bot for EVENT, with its token in TORTUGA_TOKEN or with --invite."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    found = arena.call("EnterEvent", pb.EnterEventRequest(name=name), token=own_token(arena, bot))
    listings.show_entries(arena, found)


@client.command()
@calling
@click.argument("name", metavar="EVENT")
@BOT_OPTION
def leave(arena: ArenaClient, name: str, bot: str) -> None:
    """Withdraw your bot from EVENT, with its token in TORTUGA_TOKEN or with --invite."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    found = arena.call("LeaveEvent", pb.LeaveEventRequest(name=name), token=own_token(arena, bot))
    listings.show_entries(arena, found)


@client.command()
@calling
@click.argument("opponents", metavar="OPPONENT...", nargs=-1, required=True)
@click.option("--game", "ladder", required=True, metavar="GAME", help="A game, or one of the ladders.")
@click.option("--watch", "watches", is_flag=True, help="Watch it as it is played.")
@BOT_OPTION
def challenge(arena: ArenaClient, opponents: tuple[str, ...], ladder: str, watches: bool, bot: str) -> None:
    """Play an unrated match of your bot against OPPONENTs, with its token in TORTUGA_TOKEN or with --invite."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    arena = replace(arena, timeout_seconds=max(arena.timeout_seconds, CHALLENGE_SECONDS))
    request = pb.ChallengeRequest(ladder=ladder, opponents=opponents)
    match = arena.call("Challenge", request, token=own_token(arena, bot))
    if watches:
        watch_match(arena, pb.WatchMatchRequest(match_id=match.match_id))
        return
    listings.show_match(arena, match)
    if not arena.as_json:
        click.echo(f"It counts in no table. Its result: tortuga client match {match.match_id}")


@client.command()
@calling
def account(arena: ArenaClient) -> None:
    """Show whose token you have, in TORTUGA_TOKEN or with --invite, and the bots it is for."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    found = arena.call("GetAccount", pb.GetAccountRequest(), token=own_token(arena))
    if arena.as_json:
        listings.show_one(arena, found)
        return
    if found.team:
        click.echo(harmless(f"the team {found.team}: {len(found.bots)} of {found.bots_cap} bots"))
    listings.show_listing(listings.BOT, found.bots)


def own_token(arena: ArenaClient, bot: str = "") -> str:
    """The author's token, for one bot if it is named. Never on the command line, where everybody can read it."""
    if arena.invite is not None:
        token = arena.invite.token
    else:
        token = os.environ.get("TORTUGA_TOKEN", "").strip()
        if not token.isascii() or not token.isprintable() or " " in token or not token:
            raise ConfigError("set TORTUGA_TOKEN to the token of your bot or team, or pass --invite FILE")
    return f"{token.partition(':')[0]}:{bot}" if bot else token
