"""`tortuga bot connect`: run a bot here that plays at a far arena."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from referee.errors import ConfigError
from server.bots.kits import refuse_unbuilt
from server.bots.spec import NAME, find_bot
from server.cli.common.output import warn


@click.command()
@click.argument("spec")
@click.option(
    "--server",
    "address",
    envvar="TORTUGA_ADDRESS",
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
    help="Use TLS, trusting the system's roots or those in a PEM file; also TORTUGA_TLS.",
)
@click.option(
    "--invite",
    "invite_file",
    envvar="TORTUGA_INVITE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Your team's invite file, instead of the three options above; also TORTUGA_INVITE.",
)
@click.option(
    "--name", default="", help="With an invite: the bot's name in the arena. [default: the name in its bot.toml]"
)
@click.option("--insecure", is_flag=True, help="Allow plain text to other machines.")
def connect(
    spec: str,
    address: str | None,
    token_file: Path | None,
    tls: str,
    invite_file: Path | None,
    name: str,
    insecure: bool,
) -> None:
    """Run a bot on this machine that plays at an arena elsewhere. It is restarted when it exits; Ctrl-C ends it.

    With --invite, a new bot of your team is created at its first connection.
    """
    import asyncio

    from server.cli.common.call_options import choose_invite
    from server.hosting.connecting import read_arena_address, stay_connected

    bot = find_bot(spec)
    if bot.remote:
        raise ConfigError(f"{spec} names a bot that is started elsewhere: pass a folder, a sample bot or cmd: …")
    refuse_unbuilt(bot, spec)
    invite = choose_invite(invite_file, "address")
    if invite is None:
        if not address:
            raise ConfigError("name the arena: pass --invite FILE or --server HOST:PORT")
        if name:
            raise ConfigError("--name needs --invite: any other token determines the bot's name")
        arena = read_arena_address(address, token_file, tls, insecure=insecure)
        asyncio.run(stay_connected(bot, arena, warn))
        return
    if token_file is not None:
        raise ConfigError("an invite contains a token: leave out --token-file")
    if invite.kind != "author":
        raise ConfigError(f"{invite_file} is a {invite.kind}'s invite, and bots need a team's")
    name = name or bot.name
    if not NAME.fullmatch(name):
        raise ConfigError(f"the bot cannot be called {name!a} there: pass --name with A-Z a-z 0-9 . _ - only")
    with tempfile.NamedTemporaryFile("w", prefix="tortuga-ca-", suffix=".pem") as roots:
        roots.write(invite.ca)
        roots.flush()
        trust = roots.name if invite.ca else invite.trust
        token = f"{invite.token}:{name}"
        arena = read_arena_address(invite.bots, None, trust, insecure=insecure, token=token)
        asyncio.run(stay_connected(bot, arena, warn))
