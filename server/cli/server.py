"""`tortuga server …`: what the organiser of an arena does with it, over its admin socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from referee.words import harmless
from server.arena.admin_key import read_admin_key
from server.cli import client_tables as tables
from server.cli.arena_client import ArenaClient
from server.cli.call_options import paged, wrap_command
from server.cli.command import Group, json_flag, timeout_option
from server.cli.lazy import LazyCommand, LazyGroup
from server.cli.output import print_json
from server.cli.plain import as_plain
from server.cli.times import read_time
from tortuga.v1 import arena_pb2 as pb

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
    timeout_option,
    json_flag,
]


def ordering(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all commands to a server have in common; the command gets them as an ArenaClient."""

    def run(directory: Path, timeout: float, as_json: bool, **words: Any) -> None:
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
        "server.cli.server_backup:make_backup", "Copy the data folder to DEST, while the server runs or not."
    )
}


@click.group(cls=LazyGroup, lazy=LAZY)
def server() -> None:
    """Look after an arena that `tortuga serve` runs: bots, ladders, events."""


@server.command()
@ordering
def status(arena: ArenaClient) -> None:
    """How the server is."""
    tables.show_one(arena, arena.call("GetStatus", pb.GetStatusRequest()))


LAZY_BOT = {
    "host": LazyCommand(
        "server.cli.server_host:host_bot",
        "A new bot that the server starts, or a new version of one: a folder with a bot.toml, or a sample bot's name.",
    )
}


@server.group(cls=LazyGroup, lazy=LAZY_BOT)
def bot() -> None:
    """Who may play."""


@bot.command("add")
@ordering
@click.argument("name")
@click.option("--owner", default="", help="Whose it is.")
def add_bot(arena: ArenaClient, name: str, owner: str) -> None:
    """A new remote bot; prints its token, this once."""
    tell_token(arena, arena.call("AddBot", pb.AddBotRequest(name=name, owner=owner)))


@bot.command("rotate")
@ordering
@click.argument("name")
def rotate_token(arena: ArenaClient, name: str) -> None:
    """A new token for the bot NAME; the old one is worth nothing from now on."""
    tell_token(arena, arena.call("RotateToken", pb.RotateTokenRequest(name=name)))


def tell_token(arena: ArenaClient, found: Any) -> None:
    """The one time a token is shown, with how to use it."""
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
    """The bot NAME may never play again. Its results stay."""
    tell_bot(arena, arena.call("RevokeBot", pb.RevokeBotRequest(name=name)))


@bot.command("suspend")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="Why; the bot is told.")
def suspend_bot(arena: ArenaClient, name: str, reason: str) -> None:
    """Keep the bot NAME from playing for now."""
    tell_bot(arena, arena.call("SuspendBot", pb.SuspendBotRequest(name=name, reason=reason)))


@bot.command("lift")
@ordering
@click.argument("name")
def lift_suspension(arena: ArenaClient, name: str) -> None:
    """Let the suspended bot NAME play again."""
    tell_bot(arena, arena.call("LiftSuspension", pb.LiftSuspensionRequest(name=name)))


def tell_bot(arena: ArenaClient, found: Any) -> None:
    """A bot in a line."""
    arena.answer(as_plain(found), harmless(f"{found.name}: {tables.state_of(found)}"))


@bot.command("list")
@ordering
@click.option("--connected", is_flag=True, help="Only those that are connected now.")
@paged
def list_bots(arena: ArenaClient, connected: bool, **page: Any) -> None:
    """All bots, by name."""
    # The admin socket also answers what everybody may ask.
    arena = replace(arena, service="Arena")
    tables.show_list(arena, "ListBots", pb.ListBotsRequest(connected=connected), "bots", tables.BOT, **page)


@server.group(cls=Group)
def ladder() -> None:
    """Which ladders are played."""


@ladder.command("pause")
@ordering
@click.argument("name", default="")
def pause_ladder(arena: ArenaClient, name: str) -> None:
    """Begin no further match on the ladder NAME, or on any."""
    tell_ladders(arena, arena.call("PauseLadder", pb.PauseLadderRequest(name=name)))


@ladder.command("resume")
@ordering
@click.argument("name", default="")
def resume_ladder(arena: ArenaClient, name: str) -> None:
    """Go on with the ladder NAME, or with all."""
    tell_ladders(arena, arena.call("ResumeLadder", pb.ResumeLadderRequest(name=name)))


def tell_ladders(arena: ArenaClient, answer: Any) -> None:
    """All ladders."""
    if arena.as_json:
        print_json(as_plain(answer))
    else:
        tables.show_table(tables.LADDER, answer.ladders)


@server.group(cls=Group)
def event() -> None:
    """The calendar."""


@event.command("create")
@ordering
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="What it is called in the calendar.")
@click.option(
    "--opens", default="", metavar="TIME", help="When bots can enter: 2026-11-20T18:00 or +2h. [default: now]"
)
@click.option("--check-in", default="", metavar="TIME", help="When entering ends. [default: when it starts]")
@click.option("--starts", default="", metavar="TIME", help="When it starts. [default: when `event start` says so]")
def create_event(arena: ArenaClient, file: Path, name: str, opens: str, check_in: str, starts: str) -> None:
    """Put the event of the tournament.toml FILE on the calendar."""
    try:
        manifest = file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    request = pb.CreateEventRequest(
        name=name,
        manifest=manifest,
        registration_millis=read_time(opens),
        check_in_millis=read_time(check_in),
        start_millis=read_time(starts),
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
    """Call EVENT off. What was played stays on record."""
    tell_event(arena, arena.call("CancelEvent", pb.CancelEventRequest(name=name, reason=reason)))


def tell_event(arena: ArenaClient, found: Any) -> None:
    """An event."""
    if arena.as_json:
        tables.show_one(arena, found)
    else:
        tables.show_table(tables.EVENT, [found])
        tables.show_entries(arena, found)
