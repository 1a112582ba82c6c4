"""`tortuga bot …`: parse, call, print; nothing else. Heavy modules are imported by the command that needs them."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.errors import ConfigError
from server.cli.command import json_flag, run_match

if TYPE_CHECKING:
    from server.bots.spec import BotSpec


@click.group("bot")
def bot_group() -> None:
    """Make, build, check and connect bots."""


@bot_group.command("list")
@json_flag
def list_bots(as_json: bool) -> None:
    """List the bots that come along, and whether they can be started."""
    from server.bots.kits import missing_tools, state_of
    from server.bots.spec import find_bot, sample_bots
    from server.cli import output

    specs = {name: find_bot(name) for name in sample_bots()}
    if as_json:
        output.print_json(
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
    output.show_rows(
        ["name", "language", "games", "state", "folder"],
        [
            [name, spec.language, ", ".join(spec.games) or "all", state_of(spec), shown(spec.folder)]
            for name, spec in specs.items()
        ],
    )


@bot_group.command("build")
@click.argument("specs", metavar="SPEC...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every sample bot; those that cannot be built are left out.")
@click.option("-v", "--verbose", is_flag=True, help="Show what the tools print while they work.")
def build(specs: tuple[str, ...], everything: bool, verbose: bool) -> None:
    """Run the build command of bots, each in its own folder."""
    from server.bots.build import build_bots, exit_code, summarise
    from server.bots.spec import find_bot, sample_bots

    if bool(specs) == everything:
        raise ConfigError("name the bots to build, or say --all")
    found = [find_bot(name) for name in (sample_bots() if everything else specs)]
    if everything:
        found = [spec for spec in found if spec.build]
    results = []
    for built in build_bots(
        found, stream=verbose, starting=lambda spec: click.echo(f"{spec.name}: building", err=True)
    ):
        click.echo(built.describe(whole_output=not everything), err=not built.usable)
        results.append(built)
    if everything:
        click.echo(summarise(results))
    sys.exit(exit_code(results, everything=everything))


@bot_group.command("new")
@click.argument("name")
@click.option("--language", required=True, metavar="LANGUAGE", help="A language with a kit, e.g. python or go.")
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game it plays; may be repeated. [default: every game]"
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), help="Where to; must not be there yet. [default: ./NAME]"
)
def new(name: str, language: str, games: tuple[str, ...], folder: Path | None) -> None:
    """Write a new bot that builds, plays and passes the check at once."""
    from referee.games import find_game
    from server.bots.kits import find_kit, missing_tools
    from server.bots.scaffold import new_bot

    for game in games:
        find_game(game)
    target = folder or Path(name)
    spec = new_bot(name, find_kit(language), list(dict.fromkeys(games)), target)
    where = shown(target)
    click.echo(f"made {where}: a bot in {language}; its README.md tells how to go on. Next:")
    if spec.build:
        click.echo(f"  tortuga bot build {where}")
    else:
        click.echo(f"  tortuga bot check {where}")
    click.echo(f"  tortuga play {games[0] if games else 'pavillon_noir'} --bot {where} --bot random --watch")
    if missing := missing_tools(language):
        click.echo(f"to build it you need {', '.join(missing)}, which cannot be found", err=True)


@bot_group.command("check")
@click.argument("spec")
@click.option(
    "--game", "games", multiple=True, metavar="GAME", help="A game to check; may be repeated. [default: all it plays]"
)
@click.option("--step", "only", multiple=True, metavar="ID", help="Play this step only, after Hello; may be repeated.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Also write the steps as JUnit XML.")
@json_flag
def check(spec: str, games: tuple[str, ...], only: tuple[str, ...], junit: Path | None, as_json: bool) -> None:
    """Try whether a bot is sound: a scripted referee plays it golden and hostile scripts, a line per step."""
    from server.bots.spec import find_bot
    from server.cli import output
    from server.conformance import report
    from server.conformance.check import check as check_bot

    bot = find_bot(spec)
    refuse_unbuilt(bot, spec)
    for game in games:
        bot.check_game(game)
    out, began = output.console(), time.monotonic()
    findings = run_match(
        check_bot(bot, games, only, tell=lambda one: None if as_json else report.show_finding(out, one))
    )
    if junit is not None:
        report.write_junit(junit, bot, findings)
    if as_json:
        output.print_json(report.as_json(bot, findings))
    else:
        report.show_sum(out, bot, findings, time.monotonic() - began)
    sys.exit(0 if report.is_sound(findings) else 1)


@bot_group.command("connect")
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
    import asyncio

    from server.bots.spec import find_bot
    from server.hosting.connecting import keep_connected, read_place

    bot = find_bot(spec)
    if bot.remote:
        raise ConfigError(f"{spec} names a bot that somebody else starts: give a folder, a sample bot or cmd: …")
    refuse_unbuilt(bot, spec)
    place = read_place(address, token_file, tls, insecure=insecure)
    asyncio.run(keep_connected(bot, place, lambda text: click.echo(f"tortuga: {text}", err=True)))


def refuse_unbuilt(bot: BotSpec, spec: str) -> None:
    """Say what to do about a bot that is not built."""
    from server.bots.kits import missing_files

    missing: Sequence[Path] = missing_files(bot)
    if missing and bot.build:
        raise ConfigError(f"{bot.name} is not built, {missing[0]} is not there: tortuga bot build {spec}")


def shown(folder: Path | None) -> str:
    """A folder as the user would name it: from here, if it lies below."""
    if folder is None:
        return ""
    resolved, here = folder.resolve(), Path.cwd()
    return f"./{resolved.relative_to(here)}" if resolved.is_relative_to(here) and resolved != here else str(folder)
