"""`tortuga ladder …`: the ratings of an event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from referee.errors import ConfigError
from server.cli.command import Group, json_flag
from server.cli.ladder_tables import show_ladders
from server.cli.output import console, print_json, warn
from server.cli.tournament import folder_argument
from server.tournament.event import rebuild as rebuild_database
from server.tournament.export import history_of
from server.tournament.folder import Folder
from server.tournament.standings import read_standings


@click.group(cls=Group)
def ladder() -> None:
    """Ratings, with how sure they are."""


@ladder.command("show")
@folder_argument
@click.option("--game", metavar="GAME", help="Only this game.")
@json_flag
def show_ladder(directory: Path, game: str | None, as_json: bool) -> None:
    """Print the ladders of the event in DIR."""
    ladders = read_standings(Folder(directory), game)
    if game is not None and not ladders:
        played = dict.fromkeys(one.contest.game for one in read_standings(Folder(directory)))
        raise ConfigError(f"{directory} has no {game}; it has {', '.join(played)}")
    if as_json:
        print_json([one.as_json() for one in ladders])
    else:
        show_ladders(console(), ladders)


@ladder.command()
@click.argument("bot")
@click.option(
    "--dir",
    "directory",
    default=Path(),
    show_default="here",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the event.",
)
@json_flag
def history(bot: str, directory: Path, as_json: bool) -> None:
    """How the live Elo of BOT moved, match by match."""
    rows = history_of(Folder(directory), bot)
    if as_json:
        print_json(rows)
        return
    show_history(bot, rows)


@ladder.command()
@folder_argument
def rebuild(directory: Path) -> None:
    """Make the database of DIR again from its records."""
    findings = rebuild_database(Folder(directory))
    for problem in findings.problems:
        warn(problem)
    click.echo(f"{findings.sound} matches read from {Folder(directory).records}")


def show_history(bot: str, rows: Sequence[dict[str, Any]]) -> None:
    """How a bot's live Elo moved: a line per match."""
    out = console()
    table = Table(title=escape(bot), title_justify="left")
    for head in ("contest", "match", "rank", "live Elo", "change"):
        table.add_column(head, overflow="fold")  # a name that is cut off finds nothing
    for row in rows:
        table.add_row(row["contest"], row["match"], str(row["rank"]), f"{row['live_elo']:.1f}", f"{row['change']:+.1f}")
    out.print(table)
