"""`tortuga bot build`: run the build commands of bots, an author's own or, in the jail, a stranger's."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.text import harmless
from server.bots.build import Built, build_bots, exit_code, summarise
from server.bots.kit_cache import KitCache
from server.bots.kits import has_build
from server.bots.spec import BotSpec, find_bot, sample_bots
from server.cli.common.command import run_match
from server.cli.common.jail import make_confinement


@click.command()
@click.argument("specs", metavar="SPEC...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Build every sample bot that can be built.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Show the tools' output as they run. [default: for named bots, in a terminal]",
)
@click.option(
    "--jail",
    metavar="auto|LEVEL",
    help="Build an untrusted bot: in the jail, without network. [default: unconfined, with all your rights]",
)
@click.option(
    "--kits",
    envvar="TORTUGA_KITS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="With --jail: the folder DIR/kits with the packages from `tortuga server kits fetch`; also TORTUGA_KITS.",
)
def build(specs: tuple[str, ...], everything: bool, verbose: bool, jail: str | None, kits: Path | None) -> None:
    """Run the build command of bots, each in its own folder."""
    if bool(specs) == everything:
        raise ConfigError("name the bots to build, or pass --all")
    bots = [find_bot(name) for name in (sample_bots() if everything else specs)]
    if everything:
        bots = [spec for spec in bots if spec.build]
    results = []
    # Output that was not streamed is shown at the end if the build fails.
    streamed = verbose or (not everything and sys.stderr.isatty())
    printed = say_line if streamed else None
    for built in build_in_jail(bots, jail, kits) if jail else build_bots(bots, starting=say_building, printed=printed):
        click.echo(built.describe(whole_output=not everything), err=not built.usable)
        results.append(built)
    if everything:
        click.echo(summarise(results))
    sys.exit(exit_code(results, everything=everything))


def say_building(spec: BotSpec) -> None:
    """Print which bot is being built."""
    click.echo(f"{spec.name}: building", err=True)


def say_line(line: str) -> None:
    """Print a line of a tool's output, as it comes."""
    click.echo(f"  {harmless(line)}", err=True)


def build_in_jail(specs: Sequence[BotSpec], jail: str, kits: Path | None) -> Iterator[Built]:
    """Build one bot after the other, confined, with the packages of a folder."""
    from server.hosting.confined_build import build_confined

    confinement = make_confinement(jail)
    for spec in specs:
        if not has_build(spec):
            yield Built(bot=spec.name, verdict="nothing to build")
        else:
            say_building(spec)
            yield run_match(build_confined(spec, confinement, cache=KitCache(kits)))
