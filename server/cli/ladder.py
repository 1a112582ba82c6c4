"""`tortuga ladder …`: the ratings of an event. What computes them is imported when it is needed: it needs numpy."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from server.cli.common.command import CommandGroup, folder_argument, json_flag
from server.cli.common.output import console, print_json, warn
from server.tournament.folder import Folder

event_option = click.option(
    "--dir",
    "directory",
    default=Path(),
    show_default="here",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the event.",
)


@click.group(cls=CommandGroup)
def ladder() -> None:
    """Show ratings and how certain they are."""


@ladder.command("show")
@folder_argument
@click.option("--game", metavar="GAME", help="Only this game.")
@click.option("--overall", is_flag=True, help="One table over all games instead; each game counts the same.")
@json_flag
def show_ladder(directory: Path, game: str | None, overall: bool, as_json: bool) -> None:
    """Print the ladders of the event in DIR."""
    from server.tournament.standings import read_standings

    if overall:
        if game is not None:
            raise ConfigError("pass --game or --overall, not both")
        show_overall(directory, as_json=as_json)
        return
    check_game(directory, game)
    ladders = read_standings(Folder(directory), game)
    if as_json:
        print_json([standings.as_json() for standings in ladders])
    else:
        from server.cli.common.printed_standings import show_ladders
        from server.standings.crashes import group_crashes

        folder = Folder(directory)
        show_ladders(console(), ladders, group_crashes(folder, ladders), folder.logs)


def show_overall(directory: Path, *, as_json: bool) -> None:
    """Print one table over all games of an event."""
    from server.tournament.standings import read_overall

    overall = read_overall(Folder(directory))
    if as_json:
        print_json(overall.as_json())
        return
    from server.cli.common.printed_standings import show_ladder_rows, show_lines
    from server.standings.cells import overall_lines
    from server.standings.messages import make_overall_listing

    listing = make_overall_listing(overall)
    show_ladder_rows(console(), listing.rows, f"over {overall.games} games", leave_out=("version",))
    show_lines(console(), overall_lines(listing, overall))


@ladder.command()
@click.argument("first")
@click.argument("second")
@event_option
@json_flag
def pair(first: str, second: str, directory: Path, as_json: bool) -> None:
    """Show how certain it is that FIRST is better than SECOND. Choose the pair before you look at the standings."""
    from server.tournament.standings import compare_pair

    pairs = [comparison.as_json() for comparison in compare_pair(Folder(directory), first, second)]
    if as_json:
        print_json(pairs)
        return
    for facts in pairs:
        difference = "they never met, not even through others"
        if facts["plus_minus"] is not None:
            difference = (
                f"{facts['difference']:+.0f} ± {facts['plus_minus']:.0f} Elo; {first} is better with a probability of "
                f"{facts['chance_better']:.1%}"
            )
        click.echo(f"{facts['contest']}: {first} against {second}: {difference}; {facts['matches']} matches together")


@ladder.command()
@folder_argument
@click.option("--game", metavar="GAME", help="Only this game.")
@json_flag
def luck(directory: Path, game: str | None, as_json: bool) -> None:
    """Show scores of the event in DIR minus the luck of the dice. Replays its records, about 50 a second."""
    from server.cli.common.printed_standings import show_luck
    from server.standings.luck import read_luck

    check_game(directory, game)
    ladders = read_luck(Folder(directory), game)
    if as_json:
        print_json([standings.as_json() for standings in ladders])
        return
    for standings in ladders:
        show_luck(console(), standings)


@ladder.command()
@click.argument("bot")
@event_option
@json_flag
def trend(bot: str, directory: Path, as_json: bool) -> None:
    """Show how the Elo of BOT developed, after each tenth of the matches."""
    from rich.markup import escape
    from rich.table import Table

    from server.tournament.standings import read_trend

    rows = read_trend(Folder(directory), bot)
    if as_json:
        print_json(rows)
        return
    grid = Table(title=escape(bot), title_justify="left")
    for head in ("contest", "matches of all", "of the bot", "Elo", "±"):
        grid.add_column(head, justify="left" if head == "contest" else "right")
    for row in rows:
        half = "–" if row["rating_plus_minus"] is None else f"{row['rating_plus_minus']:.0f}"
        grid.add_row(row["contest"], str(row["ladder_matches"]), str(row["matches"]), f"{row['rating']:.0f}", half)
    console().print(grid)


@ladder.command()
@click.argument("bot")
@event_option
@json_flag
def history(bot: str, directory: Path, as_json: bool) -> None:
    """Show the live Elo of BOT after each match."""
    from server.standings.export import history_of

    rows = history_of(Folder(directory), bot)
    if as_json:
        print_json(rows)
        return
    show_history(bot, rows)


@ladder.command()
@folder_argument
@click.option(
    "--course-only", is_flag=True, help="Also count records of a version with other messages, which proves less."
)
@click.option(
    "--unsigned",
    is_flag=True,
    help="Also count records without a signature, though DIR has a key: for an event that got its key later.",
)
def rebuild(directory: Path, course_only: bool, unsigned: bool) -> None:
    """Rebuild the database of DIR from its records, each of which is verified."""
    from server.tournament.event import rebuild as rebuild_database

    findings = rebuild_database(Folder(directory), course_only=course_only, unsigned=unsigned)
    for problem in findings.problems:
        warn(problem)
    click.echo(f"{findings.sound} matches read from {Folder(directory).records}")
    sys.exit(1 if findings.problems else 0)


def check_game(directory: Path, game: str | None) -> None:
    """Refuse a game that the event does not have."""
    played = dict.fromkeys(contest.game for contest in Folder(directory).require_agreement().manifest.contests)
    if game is not None and game not in played:
        raise ConfigError(f"{directory} has no {game}; it has {', '.join(played)}")


def show_history(bot: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print a bot's live Elo, a line per match."""
    from rich.markup import escape
    from rich.table import Table

    out = console()
    grid = Table(title=escape(bot), title_justify="left")
    for head in ("contest", "match", "rank", "live Elo", "change"):
        grid.add_column(head, overflow="fold")  # a name that is cut off finds nothing
    for row in rows:
        grid.add_row(row["contest"], row["match"], str(row["rank"]), f"{row['live_elo']:.1f}", f"{row['change']:+.1f}")
    out.print(grid)
