"""`tortuga server bot host`: a bot that the arena starts itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from server.bots.kits import refuse_unbuilt
from server.bots.spec import absolute_spec, find_bot
from server.cli.server.group import ordering

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient

CHECK_SECONDS = 120.0
"""How long a check may take: far more than it does."""


@click.command()
@ordering
@click.argument("spec")
@click.option("--name", default="", help="Its name in the arena. [default: the name in its bot.toml]")
@click.option("--owner", default="", help="Its owner.")
def host_bot(arena: ArenaClient, spec: str, name: str, owner: str) -> None:
    """Host a bot, or a new version of one: a folder with a bot.toml, or a sample bot's name.

    The server starts it. First it plays against itself for a few seconds; a bot that fails is not hosted.
    """
    from server.cli.server.group import tell_bot
    from tortuga.v1 import arena_pb2 as pb

    refuse_unbuilt(find_bot(spec), spec)  # tell the user here what is wrong with it
    arena = replace(arena, timeout_seconds=max(arena.timeout_seconds, CHECK_SECONDS))
    tell_bot(arena, arena.call("HostBot", pb.HostBotRequest(spec=absolute_spec(spec), name=name, owner=owner)))
