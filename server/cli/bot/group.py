"""`tortuga bot …`: bots on disk. Commands that run a bot are in modules of their own."""

from __future__ import annotations

from pathlib import Path

import click

from referee.rules.infos import BUILTIN, find_info
from server.bots.kits import find_kit, missing_tools, state_of
from server.bots.scaffold import new_bot
from server.bots.spec import SAMPLE_BOTS, find_bot, sample_bots
from server.cli.common.command import LazyCommand, LazyGroup, json_flag
from server.cli.common.output import console, print_json

LAZY = {
    "build": LazyCommand("server.cli.bot.build:build", "Run the build command of bots, each in its own folder."),
    "check": LazyCommand(
        "server.cli.bot.check:check",
        "Check that a bot follows the protocol: run well-behaved and hostile scripts against it, one line per step.",
    ),
    "connect": LazyCommand(
        "server.cli.bot.connect:connect",
        "Run a bot on this machine that plays at an arena elsewhere. It is restarted when it exits; Ctrl-C ends it.",
    ),
}


@click.group("bot", cls=LazyGroup, lazy=LAZY)
def bot_group() -> None:
    """Create, build, check and connect bots."""


@bot_group.command("list")
@json_flag
def list_bots(as_json: bool) -> None:
    """List the sample bots, and whether they are built."""
    from rich.markup import escape
    from rich.table import Table

    specs = {name: find_bot(name) for name in sample_bots()}
    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "language": spec.language,
                    "games": list(spec.games),
                    "slots": spec.slots,
                    "state": state_of(spec),
                    "missing_tools": missing_tools(spec.language),
                    "folder": str(spec.folder),
                }
                for name, spec in specs.items()
            ]
        )
        return
    table = Table("name", "games", "state", "folder")
    for column in table.columns:
        column.overflow = "fold"  # no bot is found by a name that was cut off
    for name, spec in specs.items():
        assert spec.folder is not None
        folder = str(spec.folder.relative_to(SAMPLE_BOTS))
        table.add_row(*map(escape, [name, ", ".join(spec.games) or "all", state_of(spec), folder]))
    console().print(table)
    click.echo(f"the folders are in {SAMPLE_BOTS}")


@bot_group.command("new")
@click.argument("name")
@click.option("--language", required=True, metavar="LANGUAGE", help="A language with a kit, e.g. python or go.")
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game it plays; may be repeated. [default: every game]"
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="The folder to create; it must not exist yet. [default: ./NAME]",
)
def new(name: str, language: str, games: tuple[str, ...], folder: Path | None) -> None:
    """Write a new bot that already builds, plays and passes the check."""
    games = tuple(find_info(game).id for game in games)
    target = folder or Path(name)
    spec = new_bot(name, find_kit(language), list(dict.fromkeys(games)), target)
    where = display_path(target)
    click.echo(f"made {where}: a bot in {language}; its README.md explains the rest. Next:")
    if spec.build:
        click.echo(f"  tortuga bot build {where}")
    else:
        click.echo(f"  tortuga bot check {where}")
    click.echo(f"  tortuga play {games[0] if games else BUILTIN[0].info.id} --bot {where} --bot random --watch")
    if missing := missing_tools(language):
        click.echo(f"to build it you need {', '.join(missing)}, which cannot be found", err=True)


def display_path(folder: Path | None) -> str:
    """Return a folder as the user would name it: relative to the current one, if it lies below."""
    if folder is None:
        return ""
    resolved, here = folder.resolve(), Path.cwd()
    return f"./{resolved.relative_to(here)}" if resolved.is_relative_to(here) and resolved != here else str(folder)
