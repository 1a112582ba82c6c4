"""`tortuga server …`: what the organiser of an arena does with it, over its admin socket, or far away with a token."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import harmless
from server.arena.zones import read_length, zone_of
from server.cli.common.call_options import choose_invite, far_arena, paged, wrap_command
from server.cli.common.command import Group, json_flag, timeout_option
from server.cli.common.lazy import LateModule, LazyCommand, LazyGroup
from server.cli.common.output import print_json

if TYPE_CHECKING:
    from server.cli.common import client_tables as tables
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb
else:
    pb = LateModule("tortuga.v1.arena_pb2")
    tables = LateModule("server.cli.common.client_tables")

SOCKET = "admin.sock"
DIR_OPTION = click.option(
    "--dir",
    "directory",
    envvar="TORTUGA_ARENA_DIR",
    default=".",
    show_default="here",
    type=click.Path(file_okay=False, path_type=Path),
    help="The data folder of the arena; also TORTUGA_ARENA_DIR.",
)
CALL_OPTIONS = [
    DIR_OPTION,
    click.option(
        "--invite",
        "invite_file",
        envvar="TORTUGA_ORGANISER",
        type=click.Path(dir_okay=False, path_type=Path),
        help="An organiser's invite, for an arena on another machine; also TORTUGA_ORGANISER.",
    ),
    timeout_option,
    json_flag,
]


def ordering(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all commands to a server have in common; the command gets them as an ArenaClient."""

    def run(directory: Path, invite_file: Path | None, timeout: float, as_json: bool, **words: Any) -> None:
        from server.arena.keys import read_admin_key
        from server.cli.common.arena_client import ArenaClient

        invite = choose_invite(invite_file, "directory")
        if invite is not None:
            if invite.kind != "organiser":
                raise ConfigError(f"{invite_file} is not an organiser's invite; its kind is {invite.kind}")
            command(far_arena(invite, timeout, as_json, service="ArenaAdmin"), **words)
            return
        address = find_socket(directory)
        key = read_admin_key(directory)
        command(ArenaClient(address, timeout, as_json, service="ArenaAdmin", key=key), **words)

    return wrap_command(command, run, CALL_OPTIONS)


def find_socket(directory: Path) -> str:
    """The address of the arena that runs in a folder."""
    path = (directory / SOCKET).absolute()
    short = min(str(path), os.path.relpath(path), key=len)  # the kernel takes a hundred characters or so
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(short)  # one that was killed has left its socket behind
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        raise ConfigError(
            f"no arena runs in {directory}: start one with `tortuga serve {directory}`, or pass --dir"
        ) from None
    except OSError as error:
        raise ConfigError(f"the arena in {directory} cannot be reached: {error}") from None
    return f"unix:{short}"


LAZY = {
    "backup": LazyCommand(
        "server.cli.server.backup:make_backup", "Copy the data folder to DEST, whether or not the server is running."
    ),
    "bundle": LazyCommand("server.cli.server.bundle:bundle", "The exact programs of hosted bots."),
    "kits": LazyCommand(
        "server.cli.server.kits:kits", "Manage packages for the builds of submissions, which have no network."
    ),
    "team": LazyCommand("server.cli.server.team:team", "Manage teams: people who write bots together."),
    "token": LazyCommand("server.cli.server.token:token", "Manage the tokens of teams, commentators and organisers."),
    "audit": LazyCommand("server.cli.server.audit:audit", "Show who changed what, latest change first."),
}


@click.group(cls=LazyGroup, lazy=LAZY)
def server() -> None:
    """Manage an arena that `tortuga serve` runs: bots, ladders, events."""


@server.command()
@ordering
def status(arena: ArenaClient) -> None:
    """Show the state of the server."""
    tables.show_one(arena, arena.call("GetStatus", pb.GetStatusRequest()))


LAZY_BOT = {
    "host": LazyCommand(
        "server.cli.server.host:host_bot",
        "Host a bot, or a new version of one: a folder with a bot.toml, or a sample bot's name.",
    )
}


@server.group(cls=LazyGroup, lazy=LAZY_BOT)
def bot() -> None:
    """Manage bots."""


@bot.command("add")
@ordering
@click.argument("name")
@click.option("--owner", default="", help="Its owner.")
def add_bot(arena: ArenaClient, name: str, owner: str) -> None:
    """Add a remote bot and print its token, which is shown only once."""
    tell_token(arena, arena.call("AddBot", pb.AddBotRequest(name=name, owner=owner)))


@bot.command("rotate")
@ordering
@click.argument("name")
def rotate_token(arena: ArenaClient, name: str) -> None:
    """Issue a new token for the bot NAME; the old one stops working at once."""
    tell_token(arena, arena.call("RotateToken", pb.RotateTokenRequest(name=name)))


def tell_token(arena: ArenaClient, found: Any) -> None:
    """The one time a token is shown, with how to use it."""
    from server.cli.common.plain import as_plain

    address = arena.call("GetStatus", pb.GetStatusRequest()).bots_address or "HOST:PORT"
    words = (
        f"{found.token}\n\n"
        f"This is the token of {found.bot.name}. It is shown this once: give it to the bot's author, who sets\n"
        f"  TORTUGA_ADDRESS={address}\n"
        f"  TORTUGA_TOKEN={found.token}\n"
        "  TORTUGA_TLS=system (or the file of your certificate; unset where the server speaks plain text)\n"
        "and starts the bot, or runs it with `tortuga bot connect` (docs/remote-bots.md). Lost or leaked?\n"
        f"`tortuga server bot rotate {found.bot.name}` makes another."
    )
    arena.answer(as_plain(found), words)


@bot.command("revoke")
@ordering
@click.argument("name")
def revoke_bot(arena: ArenaClient, name: str) -> None:
    """Ban the bot NAME permanently. Its results stay."""
    tell_bot(arena, arena.call("RevokeBot", pb.RevokeBotRequest(name=name)))


@bot.command("suspend")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="The reason, which the bot is told.")
def suspend_bot(arena: ArenaClient, name: str, reason: str) -> None:
    """Stop the bot NAME from playing until it is lifted."""
    tell_bot(arena, arena.call("SuspendBot", pb.SuspendBotRequest(name=name, reason=reason)))


@bot.command("disqualify")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
@click.option("--from", "from_match", default="", metavar="MATCH", help="From this match on. [default: from now on]")
@click.option("--from-start", is_flag=True, help="From its first match on: all its matches leave the tables.")
@click.option("--event", default="", help="Only in this event. [default: the ladders and all events being played]")
def disqualify_bot(arena: ArenaClient, name: str, reason: str, from_match: str, from_start: bool, event: str) -> None:
    """Disqualify the bot NAME: its later matches are lost, or all its matches leave the tables."""
    request = pb.DisqualifyBotRequest(
        name=name, reason=reason, from_match=from_match, from_start=from_start, event=event
    )
    tell_rulings(arena, arena.call("DisqualifyBot", request))


@bot.command("lift")
@ordering
@click.argument("name")
def lift_suspension(arena: ArenaClient, name: str) -> None:
    """Let the suspended bot NAME play again."""
    tell_bot(arena, arena.call("LiftSuspension", pb.LiftSuspensionRequest(name=name)))


def tell_bot(arena: ArenaClient, found: Any) -> None:
    """A bot in a line."""
    from server.cli.common.plain import as_plain

    arena.answer(as_plain(found), harmless(f"{found.name}: {tables.state_of(found)}"))


@bot.command("list")
@ordering
@click.option("--connected", is_flag=True, help="Only those that are connected now.")
@paged
def list_bots(arena: ArenaClient, connected: bool, **page: Any) -> None:
    """List all bots, by name."""
    # The admin socket also answers what everybody may ask.
    arena = replace(arena, service="Arena")
    tables.show_list(arena, "ListBots", pb.ListBotsRequest(connected=connected), "bots", tables.BOT, **page)


LAZY_LADDER = {
    "freeze": LazyCommand(
        "server.cli.server.seasons:freeze_ladder",
        "End the season of LADDER, or of all ladders: running matches are finished, and no new ones begin.",
    ),
    "unfreeze": LazyCommand(
        "server.cli.server.seasons:unfreeze_ladder", "Undo a freeze, as long as the season is not archived."
    ),
    "archive": LazyCommand(
        "server.cli.server.seasons:archive_season",
        "Archive the final tables and all records in archive/SEASON. All ladders must be frozen.",
    ),
    "start": LazyCommand(
        "server.cli.server.seasons:start_season", "Start the next season. The last one must be archived."
    ),
}


@server.group(cls=Group)
def match() -> None:
    """Manage matches."""


@match.command("annul")
@ordering
@click.argument("match_id", metavar="MATCH")
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
def annul_match(arena: ArenaClient, match_id: str, reason: str) -> None:
    """Annul MATCH, of a ladder or an event, so that it counts for nobody."""
    tell_rulings(arena, arena.call("AnnulMatch", pb.AnnulMatchRequest(match_id=match_id, reason=reason)))


@server.group(cls=Group)
def ruling() -> None:
    """Manage rulings about bots and matches."""


@ruling.command("list")
@ordering
@click.option("--event", default="", help="Only rulings of this event. [default: the ladders and all events]")
def list_rulings(arena: ArenaClient, event: str) -> None:
    """List all rulings: who, when and why."""
    tell_rulings(arena, arena.call("ListRulings", pb.ListRulingsRequest(event=event)))


@ruling.command("withdraw")
@ordering
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
@click.option("--event", default="", help="The event it was made in. [default: the ladders]")
def withdraw_ruling(arena: ArenaClient, number: int, reason: str, event: str) -> None:
    """Withdraw the ruling NUMBER."""
    request = pb.WithdrawRulingRequest(number=number, reason=reason, event=event)
    tell_rulings(arena, arena.call("WithdrawRuling", request))


def tell_rulings(arena: ArenaClient, found: Any) -> None:
    """Rulings, a line each."""
    from server.cli.common.plain import as_plain
    from server.standings.placing_views import ruling_line

    if arena.as_json:
        print_json(as_plain(found))
        return
    for one in found.rulings:
        where = f"event {one.event}, " if one.event else "ladders, "
        click.echo(harmless(f"{where}{ruling_line(one)}"))
    if not found.rulings:
        click.echo("there are no rulings")


@server.group(cls=LazyGroup, lazy=LAZY_LADDER)
def ladder() -> None:
    """Manage ladders and their seasons."""


@ladder.command("pause")
@ordering
@click.argument("name", default="")
def pause_ladder(arena: ArenaClient, name: str) -> None:
    """Start no more matches on the ladder NAME, or on any ladder."""
    tell_ladders(arena, arena.call("PauseLadder", pb.PauseLadderRequest(name=name)))


@ladder.command("resume")
@ordering
@click.argument("name", default="")
def resume_ladder(arena: ArenaClient, name: str) -> None:
    """Resume the ladder NAME, or all ladders."""
    tell_ladders(arena, arena.call("ResumeLadder", pb.ResumeLadderRequest(name=name)))


def tell_ladders(arena: ArenaClient, answer: Any) -> None:
    """All ladders."""
    from server.cli.common.plain import as_plain

    if arena.as_json:
        print_json(as_plain(answer))
    else:
        tables.show_table(tables.LADDER, answer.ladders)


@server.group(cls=Group)
def event() -> None:
    """Manage the calendar of events."""


@event.command("create")
@ordering
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="Its name in the calendar.")
@click.option(
    "--opens",
    default="",
    metavar="TIME",
    help="When registration opens: 2026-11-20T18:00, optionally with a zone, or +2h. [default: now]",
)
@click.option("--check-in", default="", metavar="TIME", help="When registration closes. [default: when it starts]")
@click.option("--starts", default="", metavar="TIME", help="When it starts. [default: with `event start`]")
@click.option(
    "--every",
    default="",
    metavar="WHEN",
    help='Repeat it: "day at 18:00", "monday, friday at 18:00 Europe/Paris". --opens and --check-in are then how long '
    "before each start: 2h, 15m.",
)
@click.option("--late", default="30m", show_default=True, help="With --every: how late a missed event may start.")
def create_event(
    arena: ArenaClient, file: Path, name: str, opens: str, check_in: str, starts: str, every: str, late: str
) -> None:
    """Put the event of the tournament.toml FILE on the calendar. Times without a zone are in the arena's."""
    from server.cli.common.arena_zone import arena_zone, read_moment

    try:
        manifest = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    if every:
        if starts:
            raise ConfigError("--every sets when a repeating event starts: leave out --starts")
        request = pb.CreateEventRequest(
            name=name,
            manifest=manifest,
            every=every if every.startswith("every ") else f"every {every}",
            opens_before_seconds=read_length(opens),
            check_in_before_seconds=read_length(check_in),
            late_seconds=read_length(late),
        )
    else:
        request = pb.CreateEventRequest(
            name=name,
            manifest=manifest,
            registration_millis=read_moment(arena, opens),
            check_in_millis=read_moment(arena, check_in),
            start_millis=read_moment(arena, starts),
            zone=zone_of(starts, "") or arena_zone(arena),
        )
    tell_event(arena, arena.call("CreateEvent", request))


@event.command("enter")
@ordering
@click.argument("name", metavar="EVENT")
@click.argument("bot")
def enter_bot(arena: ArenaClient, name: str, bot: str) -> None:
    """Enter BOT for EVENT, at any time before it starts."""
    tell_event(arena, arena.call("EnterBot", pb.EnterBotRequest(event=name, bot=bot)))


@event.command("start")
@ordering
@click.argument("name", metavar="EVENT")
def start_event(arena: ArenaClient, name: str) -> None:
    """Start EVENT now, whatever the calendar says."""
    tell_event(arena, arena.call("StartEvent", pb.StartEventRequest(name=name)))


@event.command("cancel")
@ordering
@click.argument("name", metavar="EVENT")
@click.option("--reason", default="", help="Why.")
def cancel_event(arena: ArenaClient, name: str, reason: str) -> None:
    """Cancel EVENT, or a series and its next event. Matches already played stay on record."""
    tell_event(arena, arena.call("CancelEvent", pb.CancelEventRequest(name=name, reason=reason)))


def tell_event(arena: ArenaClient, found: Any) -> None:
    """An event."""
    if arena.as_json:
        tables.show_one(arena, found)
    else:
        tables.show_table(tables.EVENT, [found])
        tables.show_entries(arena, found)
