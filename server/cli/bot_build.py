"""`tortuga bot build`: run the build commands of bots, an author's own or, in the jail, a stranger's."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from referee.errors import ConfigError
from referee.words import harmless
from server.bots.build import Built, build_bots, exit_code, summarise
from server.bots.kits import needs_packages
from server.bots.spec import BotSpec, find_bot, sample_bots
from server.cli.event_loop import run_match
from server.cli.jail import make_confinement
from server.hosting.confined_build import build_confined


@click.command()
@click.argument("specs", metavar="SPEC...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every sample bot; those that cannot be built are left out.")
@click.option("-v", "--verbose", is_flag=True, help="With --all, too, show what the tools print while they work.")
@click.option(
    "--jail",
    metavar="auto|LEVEL",
    help="Build a stranger's bot: in the jail, without network. [default: as your own, with all your rights]",
)
def build(specs: tuple[str, ...], everything: bool, verbose: bool, jail: str | None) -> None:
    """Run the build command of bots, each in its own folder."""
    if bool(specs) == everything:
        raise ConfigError("name the bots to build, or pass --all")
    found = [find_bot(name) for name in (sample_bots() if everything else specs)]
    if everything:
        found = [spec for spec in found if spec.build]
    results = []
    printed = None if everything and not verbose else say_line
    for built in build_in_jail(found, jail) if jail else build_bots(found, starting=say_building, printed=printed):
        click.echo(built.describe(whole_output=not everything), err=not built.usable)
        results.append(built)
    if everything:
        click.echo(summarise(results))
    sys.exit(exit_code(results, everything=everything))


def say_building(spec: BotSpec) -> None:
    """Say which bot is being built."""
    click.echo(f"{spec.name}: building", err=True)


def say_line(line: str) -> None:
    """Show what a tool prints, as it prints it."""
    click.echo(f"  {harmless(line)}", err=True)


def build_in_jail(specs: Sequence[BotSpec], jail: str) -> Iterator[Built]:
    """Build one bot after the other, confined."""
    confinement = make_confinement(jail)
    for spec in specs:
        if needs_packages(spec):
            detail = "there is no network in the jail to install its requirements.txt; build it without --jail"
            yield Built(bot=spec.name, verdict="failed", detail=detail)
        elif spec.folder is None or not spec.build:
            yield Built(bot=spec.name, verdict="nothing to build")
        else:
            say_building(spec)
            yield run_match(build_confined(spec, confinement))
