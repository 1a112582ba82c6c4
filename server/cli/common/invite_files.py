"""Invites that the organiser writes: where the arena is, seen from outside, and files for its guests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from server.system.invites import Invite, write_invite

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb

FOLDER_OPTION = click.option(
    "--invites",
    "folder",
    default="invites",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for invite files.",
)
HOST_OPTION = click.option(
    "--host", default="", metavar="NAME", help="Where others reach the arena. [default: host_name in arena.toml]"
)


def find_doors(arena: ArenaClient, host: str) -> pb.DoorsInfo:
    """Return the addresses at which guests reach the arena.

    Ask for them first: a new token is lost if no invite can be written for it.
    """
    from tortuga.v1 import arena_pb2 as pb

    doors: pb.DoorsInfo = arena.call("GetDoors", pb.GetDoorsRequest())
    if host:
        doors.bots_address = _at(host, doors.bots_address)
        doors.public_address = _at(host, doors.public_address)
    if doors.bots_address.startswith(":"):
        raise ConfigError(
            "this arena listens on every address of its machine and does not know its own name: pass --host NAME, or "
            "set host_name in arena.toml"
        )
    return doors


def _at(host: str, address: str) -> str:
    return f"{host}:{address.rpartition(':')[2]}" if address else ""


def make_invite(doors: pb.DoorsInfo, kind: str, name: str, token: str) -> Invite:
    """Return an invite for the holder of a new token."""
    return Invite(
        kind=kind,
        name=name,
        bots=doors.bots_address,
        public=doors.public_address,
        token=token,
        tls=doors.tls,
        ca=doors.ca,
    )


def save_invites(invites: dict[Path, Invite], redo: Callable[[Invite], str]) -> None:
    """Write invite files. The tokens exist already, so a full disk is reported with what to do."""
    failed: list[Any] = []
    for path, invite in invites.items():
        try:
            write_invite(path, invite)
        except OSError as error:
            failed.append((path, error.strerror, redo(invite)))
    if failed:
        path, why, cure = failed[0]
        raise ConfigError(f"{len(failed)} invites cannot be written, {path}: {why}; create new ones: {cure}")
