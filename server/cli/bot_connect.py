"""`tortuga bot connect`: run a bot here that plays at a far arena."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from referee.errors import ConfigError
from server.bots.kits import refuse_unbuilt
from server.bots.spec import find_bot
from server.cli.output import warn
from server.hosting.connecting import read_arena_address, stay_connected


@click.command()
@click.argument("spec")
@click.option(
    "--server",
    "address",
    envvar="TORTUGA_ADDRESS",
    required=True,
    metavar="HOST:PORT",
    help="The arena's door for bots; also TORTUGA_ADDRESS.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file with the bot's token. [default: TORTUGA_TOKEN holds it]",
)
@click.option(
    "--tls",
    envvar="TORTUGA_TLS",
    default="",
    metavar="system|FILE",
    help="Speak TLS, and trust the system's roots or those of a PEM file; also TORTUGA_TLS.",
)
@click.option("--insecure", is_flag=True, help="Speak plain text beyond this machine all the same.")
def connect(spec: str, address: str, token_file: Path | None, tls: str, insecure: bool) -> None:
    """Run a bot here that plays at a far arena, and start it again when it ends. Ctrl-C ends both."""
    bot = find_bot(spec)
    if bot.remote:
        raise ConfigError(f"{spec} names a bot that somebody else starts: give a folder, a sample bot or cmd: …")
    refuse_unbuilt(bot, spec)
    arena = read_arena_address(address, token_file, tls, insecure=insecure)
    asyncio.run(stay_connected(bot, arena, warn))
