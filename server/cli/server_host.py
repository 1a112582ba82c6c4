"""`tortuga server bot host`: a bot that the arena starts itself."""

from __future__ import annotations

import click

from server.bots.spec import absolute_spec, find_bot
from server.cli.arena_client import ArenaClient
from server.cli.server import ordering, tell_bot
from tortuga.v1 import arena_pb2 as pb


@click.command()
@ordering
@click.argument("spec")
@click.option("--name", default="", help="Its name here. [default: that of its bot.toml]")
@click.option("--owner", default="", help="Whose it is.")
def host_bot(arena: ArenaClient, spec: str, name: str, owner: str) -> None:
    """A new bot that the server starts, or a new version of one: a folder with a bot.toml, or a sample bot's name."""
    find_bot(spec)  # tell the user here what is wrong with it
    tell_bot(arena, arena.call("HostBot", pb.HostBotRequest(spec=absolute_spec(spec), name=name, owner=owner)))
