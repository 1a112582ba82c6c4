"""`tortuga game`: for authors of games."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.cli.common.command import CommandGroup, json_flag
from server.cli.common.output import console, print_json

if TYPE_CHECKING:
    from server.games.suite import SuiteReport


@click.group(cls=CommandGroup)
def game() -> None:
    """Write a game as a package of your own, and check it."""


@game.command()
@click.argument("game_id", metavar="GAME")
@click.option(
    "--games",
    default=5,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Games per number of seats.",
)
@click.option("--seed", default="check", show_default=True, help="Determines luck and choices of these games.")
@json_flag
def check(game_id: str, games: int, seed: str, as_json: bool) -> None:
    """Hold a game to every promise of the contract, one line for each: GAME is its name, or MODULE:NAME."""
    from server.games.suite import check_game

    report = check_game(game_id, games=games, seed=seed)
    if as_json:
        print_json({**asdict(report), "sound": report.is_sound})
    else:
        show_report(report)
    sys.exit(0 if report.is_sound else 1)


def show_report(report: SuiteReport) -> None:
    """Print one line for each promise, and what a broken one needs to be found again."""
    from rich.text import Text

    out = console()
    for checked in report.promises:
        word, style = ("FAIL", "bold red") if checked.broken else ("ok", "green")
        line = Text.assemble((f"{word:5}", style), (f"{checked.promise:26}", "bold"), checked.meaning)
        out.print(line)
        if checked.broken:
            out.print(Text(f"      {checked.broken}", style="red"))
    broken = sum(bool(checked.broken) for checked in report.promises)
    verdict = f"{broken} promises are broken" if broken else "every promise held"
    out.print(f"{report.game} of {report.package}: {verdict}, in {report.games} games", markup=False)
    if not report.hidden:
        out.print("nothing was hidden from any seat: if the game has secrets, `hide` has to draw them again")


@game.command()
@click.argument("name")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="The folder to create; it must not exist yet. [default: ./NAME]",
)
def new(name: str, folder: Path | None) -> None:
    """Write a package with a small complete game called NAME: rules, tests, a README and a bot."""
    from server.games.new_package import write_package

    target = folder or Path(name)
    write_package(name, target)
    click.echo(f"made {target}: Kuhn poker, for you to change; its README.md explains the rest. Next:")
    click.echo(f"  cd {target} && pip install -e . && tortuga game check {name}")
