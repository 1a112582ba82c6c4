"""`tortuga server …`: the organiser's commands to an arena, over its admin socket, or from afar with a token."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from server.cli.common.call_options import choose_invite, remote_arena, wrap_command
from server.cli.common.command import LazyCommand, LazyGroup, json_flag, timeout_option

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient

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
    """Add the options that all commands to a server have in common. The command gets them as an ArenaClient."""

    def run(directory: Path, invite_file: Path | None, timeout: float, as_json: bool, **words: Any) -> None:
        from server.arena.keys import read_admin_key
        from server.cli.common.arena_client import ArenaClient

        invite = choose_invite(invite_file, "directory")
        if invite is not None:
            if invite.kind != "organiser":
                raise ConfigError(f"{invite_file} is not an organiser's invite; its kind is {invite.kind}")
            command(remote_arena(invite, timeout, as_json, service="ArenaAdmin"), **words)
            return
        address = find_socket(directory)
        key = read_admin_key(directory)
        command(ArenaClient(address, timeout, as_json, service="ArenaAdmin", key=key), **words)

    return wrap_command(command, run, CALL_OPTIONS)


def find_socket(directory: Path) -> str:
    """Return the address of the arena that runs in a folder."""
    path = (directory / SOCKET).absolute()
    short = min(str(path), os.path.relpath(path), key=len)  # the kernel accepts about a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(short)  # a killed server leaves its socket behind
    except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
        raise ConfigError(
            f"no arena runs in {directory}: start one with `tortuga serve {directory}`, or pass --dir"
        ) from None
    except OSError as error:
        raise ConfigError(f"the arena in {directory} cannot be reached: {error}") from None
    return f"unix:{short}"


LAZY = {
    "audit": LazyCommand("server.cli.server.people:audit", "Show who changed what, latest change first."),
    "backup": LazyCommand(
        "server.cli.server.data_folder:make_backup",
        "Copy the data folder to DEST, whether or not the server is running.",
    ),
    "bot": LazyCommand("server.cli.server.bots:bot", "Manage bots."),
    "bundle": LazyCommand("server.cli.server.data_folder:bundle", "The exact programs of hosted bots."),
    "event": LazyCommand("server.cli.server.events:event", "Manage the calendar of events."),
    "kits": LazyCommand(
        "server.cli.server.data_folder:kits", "Manage packages for the builds of submissions, which have no network."
    ),
    "ladder": LazyCommand("server.cli.server.ladders:ladder", "Manage ladders and their seasons."),
    "match": LazyCommand("server.cli.server.events:match", "Manage matches."),
    "ruling": LazyCommand("server.cli.server.events:ruling", "Manage rulings about bots and matches."),
    "team": LazyCommand("server.cli.server.people:team", "Manage teams: people who write bots together."),
    "token": LazyCommand("server.cli.server.people:token", "Manage the tokens of teams, commentators and organisers."),
}


@click.group(cls=LazyGroup, lazy=LAZY)
def server() -> None:
    """Manage an arena that `tortuga serve` runs: bots, ladders, events."""


@server.command()
@ordering
def status(arena: ArenaClient) -> None:
    """Show the state of the server."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    listings.show_one(arena, arena.call("GetStatus", pb.GetStatusRequest()))
