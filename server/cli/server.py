"""`tortuga server …`: what the organiser of an arena does with it, over its admin socket."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from server.cli.api_calls import Line
from server.cli.client import carry, paged
from server.cli.command import Group, json_flag, timeout_option

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
    """Add the options that all commands to a server have in common; the command gets them as a Line."""

    def run(directory: Path, timeout: float, as_json: bool, **words: Any) -> None:
        command(Line(find_socket(directory), timeout, as_json, service="ArenaAdmin"), **words)

    return carry(command, run, CALL_OPTIONS)


def find_socket(directory: Path) -> str:
    """The address of the arena that runs in a folder."""
    path = (directory / SOCKET).absolute()
    short = min(str(path), os.path.relpath(path), key=len)  # the kernel takes a hundred characters or so
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(short)  # one that was killed has left its socket behind
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        raise ConfigError(
            f"no arena runs in {directory}: start one with `tortuga serve {directory}`, or say --dir"
        ) from None
    except OSError as error:
        raise ConfigError(f"the arena in {directory} cannot be reached: {error}") from None
    return f"unix:{short}"


@click.group(cls=Group)
def server() -> None:
    """Look after an arena that `tortuga serve` runs: bots, ladders, events."""


@server.command()
@ordering
def status(line: Line) -> None:
    """How the server is."""
    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    client_show.show_one(line, line.call("GetStatus", pb.GetStatusRequest()))


@server.command("backup")
@click.argument("dest", type=click.Path(path_type=Path))
@DIR_OPTION
@json_flag
def make_backup(dest: Path, directory: Path, as_json: bool) -> None:
    """Copy the data folder to DEST, while the server runs or not."""
    from dataclasses import asdict

    from server.arena.backup import backup

    done = backup(directory, dest)
    words = f"{dest}: {done.databases} databases, {done.records} records, {done.files} other files"
    Line("", 0, as_json).say({"backup": str(dest), **asdict(done)}, words)


@server.group(cls=Group)
def bot() -> None:
    """Who may play."""


@bot.command("add")
@ordering
@click.argument("name")
@click.option("--owner", default="", help="Whose it is.")
def add_bot(line: Line, name: str, owner: str) -> None:
    """A new remote bot; prints its token, this once."""
    from tortuga.v1 import arena_pb2 as pb

    tell_token(line, line.call("AddBot", pb.AddBotRequest(name=name, owner=owner)))


@bot.command("rotate")
@ordering
@click.argument("name")
def rotate_token(line: Line, name: str) -> None:
    """A new token for the bot NAME; the old one is worth nothing from now on."""
    from tortuga.v1 import arena_pb2 as pb

    tell_token(line, line.call("RotateToken", pb.RotateTokenRequest(name=name)))


def tell_token(line: Line, found: Any) -> None:
    """The one time a token is shown, with how to use it."""
    from server.cli.plain import as_plain
    from tortuga.v1 import arena_pb2 as pb

    address = line.call("GetStatus", pb.GetStatusRequest()).bots_address or "HOST:PORT"
    words = (
        f"{found.token}\n\n"
        f"This is the token of {found.bot.name}. It is shown this once: give it to the bot's author, who sets\n"
        f"  TORTUGA_ADDRESS={address}\n"
        f"  TORTUGA_TOKEN={found.token}\n"
        "  TORTUGA_TLS=system (or the file of your certificate; unset where the server speaks plain text)\n"
        "and starts the bot, or runs it with `tortuga bot connect` (docs/remote-bots.md). Lost or leaked?\n"
        f"`tortuga server bot rotate {found.bot.name}` makes another."
    )
    line.say(as_plain(found), words)


@bot.command("host")
@ordering
@click.argument("spec")
@click.option("--name", default="", help="Its name here. [default: that of its bot.toml]")
@click.option("--owner", default="", help="Whose it is.")
def host_bot(line: Line, spec: str, name: str, owner: str) -> None:
    """A new bot that the server starts, or a new version of one: a folder with a bot.toml, or a sample bot's name."""
    from server.bots.spec import absolute_spec, find_bot
    from tortuga.v1 import arena_pb2 as pb

    find_bot(spec)  # what is wrong with it is best told here
    tell_bot(line, line.call("HostBot", pb.HostBotRequest(spec=absolute_spec(spec), name=name, owner=owner)))


@bot.command("revoke")
@ordering
@click.argument("name")
def revoke_bot(line: Line, name: str) -> None:
    """The bot NAME may never play again. Its results stay."""
    from tortuga.v1 import arena_pb2 as pb

    tell_bot(line, line.call("RevokeBot", pb.RevokeBotRequest(name=name)))


@bot.command("suspend")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="Why; the bot is told.")
def suspend_bot(line: Line, name: str, reason: str) -> None:
    """Keep the bot NAME from playing for now."""
    from tortuga.v1 import arena_pb2 as pb

    tell_bot(line, line.call("SuspendBot", pb.SuspendBotRequest(name=name, reason=reason)))


@bot.command("lift")
@ordering
@click.argument("name")
def lift_suspension(line: Line, name: str) -> None:
    """Let the suspended bot NAME play again."""
    from tortuga.v1 import arena_pb2 as pb

    tell_bot(line, line.call("LiftSuspension", pb.LiftSuspensionRequest(name=name)))


def tell_bot(line: Line, found: Any) -> None:
    """A bot in a line."""
    from server.cli.client_tables import state_of
    from server.cli.plain import as_plain, plain

    line.say(as_plain(found), plain(f"{found.name}: {state_of(found)}"))


@bot.command("list")
@ordering
@click.option("--connected", is_flag=True, help="Only those that are there now.")
@paged
def list_bots(line: Line, connected: bool, **page: Any) -> None:
    """All bots, by name."""
    from dataclasses import replace

    from server.cli import client_tables as client_show
    from tortuga.v1 import arena_pb2 as pb

    # The admin socket also answers what everybody may ask.
    line = replace(line, service="Arena")
    client_show.show_list(line, "ListBots", pb.ListBotsRequest(connected=connected), "bots", client_show.BOT, **page)


@server.group(cls=Group)
def ladder() -> None:
    """Which ladders are played."""


@ladder.command("pause")
@ordering
@click.argument("name", default="")
def pause_ladder(line: Line, name: str) -> None:
    """Begin no further match on the ladder NAME, or on any."""
    from tortuga.v1 import arena_pb2 as pb

    tell_ladders(line, line.call("PauseLadder", pb.PauseLadderRequest(name=name)))


@ladder.command("resume")
@ordering
@click.argument("name", default="")
def resume_ladder(line: Line, name: str) -> None:
    """Go on with the ladder NAME, or with all."""
    from tortuga.v1 import arena_pb2 as pb

    tell_ladders(line, line.call("ResumeLadder", pb.ResumeLadderRequest(name=name)))


def tell_ladders(line: Line, answer: Any) -> None:
    """All ladders."""
    from server.cli import client_tables as client_show
    from server.cli.output import print_json
    from server.cli.plain import as_plain

    if line.as_json:
        print_json(as_plain(answer))
    else:
        client_show.show_table(client_show.LADDER, answer.ladders)


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
def create_event(line: Line, file: Path, name: str, opens: str, check_in: str, starts: str) -> None:
    """Put the event of the tournament.toml FILE on the calendar."""
    from server.cli.api_calls import read_time
    from tortuga.v1 import arena_pb2 as pb

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
    tell_event(line, line.call("CreateEvent", request))


@event.command("enter")
@ordering
@click.argument("name", metavar="EVENT")
@click.argument("bot")
def enter_bot(line: Line, name: str, bot: str) -> None:
    """Enter BOT for EVENT, at any time before it starts."""
    from tortuga.v1 import arena_pb2 as pb

    tell_event(line, line.call("EnterBot", pb.EnterBotRequest(event=name, bot=bot)))


@event.command("start")
@ordering
@click.argument("name", metavar="EVENT")
def start_event(line: Line, name: str) -> None:
    """Start EVENT now, whatever the calendar says."""
    from tortuga.v1 import arena_pb2 as pb

    tell_event(line, line.call("StartEvent", pb.StartEventRequest(name=name)))


@event.command("cancel")
@ordering
@click.argument("name", metavar="EVENT")
@click.option("--reason", default="", help="Why.")
def cancel_event(line: Line, name: str, reason: str) -> None:
    """Call EVENT off. What was played stays on record."""
    from tortuga.v1 import arena_pb2 as pb

    tell_event(line, line.call("CancelEvent", pb.CancelEventRequest(name=name, reason=reason)))


def tell_event(line: Line, found: Any) -> None:
    """An event."""
    from server.cli import client_tables as client_show

    if line.as_json:
        client_show.show_one(line, found)
    else:
        client_show.show_table(client_show.EVENT, [found])
        client_show.show_entries(line, found)
