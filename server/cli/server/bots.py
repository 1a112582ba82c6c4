"""`tortuga server bot …`: the bots of an arena, remote ones and those that it hosts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from referee.text import harmless
from server.cli.common.call_options import paged
from server.cli.common.command import CommandGroup
from server.cli.server.events import print_rulings
from server.cli.server.group import ordering

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient

CHECK_SECONDS = 120.0
"""Time limit of a check, far longer than it takes."""


@click.group(cls=CommandGroup)
def bot() -> None:
    """Manage bots."""


@bot.command("add")
@ordering
@click.argument("name")
@click.option("--owner", default="", help="Its owner.")
def add_bot(arena: ArenaClient, name: str, owner: str) -> None:
    """Add a remote bot and print its token, which is shown only once."""
    from tortuga.v1 import arena_pb2 as pb

    print_token(arena, arena.call("AddBot", pb.AddBotRequest(name=name, owner=owner)))


@bot.command("rotate")
@ordering
@click.argument("name")
def rotate_token(arena: ArenaClient, name: str) -> None:
    """Issue a new token for the bot NAME; the old one stops working at once."""
    from tortuga.v1 import arena_pb2 as pb

    print_token(arena, arena.call("RotateToken", pb.RotateTokenRequest(name=name)))


def print_token(arena: ArenaClient, answer: Any) -> None:
    """Print a token, this once, and how to use it."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    address = arena.call("GetStatus", pb.GetStatusRequest()).bots_address or "HOST:PORT"
    explanation = (
        f"{answer.token}\n\n"
        f"This is the token of {answer.bot.name}. It is shown this once: give it to the bot's author, who sets\n"
        f"  TORTUGA_ADDRESS={address}\n"
        f"  TORTUGA_TOKEN={answer.token}\n"
        "  TORTUGA_TLS=system (or the file of your certificate; unset where the server speaks plain text)\n"
        "and starts the bot, or runs it with `tortuga bot connect` (docs/remote-bots.md). Lost or leaked?\n"
        f"`tortuga server bot rotate {answer.bot.name}` makes another."
    )
    arena.answer(as_plain(answer), explanation)


@bot.command("host")
@ordering
@click.argument("spec")
@click.option("--name", default="", help="Its name in the arena. [default: the name in its bot.toml]")
@click.option("--owner", default="", help="Its owner.")
def host_bot(arena: ArenaClient, spec: str, name: str, owner: str) -> None:
    """Host a bot, or a new version of one: a folder with a bot.toml, or a sample bot's name.

    The server starts it. First it plays against itself for a few seconds; a bot that fails is not hosted.
    """
    from server.bots.kits import refuse_unbuilt
    from server.bots.spec import absolute_spec, find_bot
    from tortuga.v1 import arena_pb2 as pb

    refuse_unbuilt(find_bot(spec), spec)  # report here what is wrong with it
    arena = replace(arena, timeout_seconds=max(arena.timeout_seconds, CHECK_SECONDS))
    print_bot(arena, arena.call("HostBot", pb.HostBotRequest(spec=absolute_spec(spec), name=name, owner=owner)))


@bot.command("revoke")
@ordering
@click.argument("name")
def revoke_bot(arena: ArenaClient, name: str) -> None:
    """Ban the bot NAME permanently. Its results stay."""
    from tortuga.v1 import arena_pb2 as pb

    print_bot(arena, arena.call("RevokeBot", pb.RevokeBotRequest(name=name)))


@bot.command("suspend")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="The reason, which the bot is told.")
def suspend_bot(arena: ArenaClient, name: str, reason: str) -> None:
    """Stop the bot NAME from playing until it is lifted."""
    from tortuga.v1 import arena_pb2 as pb

    print_bot(arena, arena.call("SuspendBot", pb.SuspendBotRequest(name=name, reason=reason)))


@bot.command("disqualify")
@ordering
@click.argument("name")
@click.option("--reason", default="", help="The reason, which everybody can read in the tables.")
@click.option("--from", "from_match", default="", metavar="MATCH", help="From this match on. [default: from now on]")
@click.option("--from-start", is_flag=True, help="From its first match on: all its matches leave the tables.")
@click.option("--event", default="", help="Only in this event. [default: the ladders and all events being played]")
def disqualify_bot(arena: ArenaClient, name: str, reason: str, from_match: str, from_start: bool, event: str) -> None:
    """Disqualify the bot NAME: its later matches are lost, or all its matches leave the tables."""
    from tortuga.v1 import arena_pb2 as pb

    request = pb.DisqualifyBotRequest(
        name=name, reason=reason, from_match=from_match, from_start=from_start, event=event
    )
    print_rulings(arena, arena.call("DisqualifyBot", request))


@bot.command("lift")
@ordering
@click.argument("name")
def lift_suspension(arena: ArenaClient, name: str) -> None:
    """Let the suspended bot NAME play again."""
    from tortuga.v1 import arena_pb2 as pb

    print_bot(arena, arena.call("LiftSuspension", pb.LiftSuspensionRequest(name=name)))


def print_bot(arena: ArenaClient, bot: Any) -> None:
    """Print a bot in a line."""
    from server.cli.common import client_listings as listings
    from server.cli.common.arena_client import as_plain

    arena.answer(as_plain(bot), harmless(f"{bot.name}: {listings.state_of(bot)}"))


@bot.command("list")
@ordering
@click.option("--connected", is_flag=True, help="Only those that are connected now.")
@paged
def list_bots(arena: ArenaClient, connected: bool, **page: Any) -> None:
    """List all bots, by name."""
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    # The admin socket also serves the public calls.
    arena = replace(arena, service="Arena")
    listings.show_list(arena, "ListBots", pb.ListBotsRequest(connected=connected), "bots", listings.BOT, **page)
