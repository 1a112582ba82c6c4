"""`tortuga tournament disqualify|annul|rulings`: rulings on an event in a folder. Of an arena: `tortuga server …`."""

from __future__ import annotations

import getpass
from pathlib import Path

import click

from referee.errors import ConfigError
from referee.text import harmless
from server.cli.common.command import json_flag
from server.cli.common.output import print_json
from server.tournament.folder import Folder
from server.tournament.rulings.new_rulings import annul_match, disqualify_bot, withdraw_ruling
from server.tournament.rulings.ruling_file import Ruling, read_rulings

directory_argument = click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
reason_option = click.option("--reason", default="", help="The reason, which everybody can read in the tables.")


@click.command()
@directory_argument
@click.argument("bot")
@reason_option
@click.option("--from", "from_match", default="", metavar="MATCH", help="From this match on. [default: from now on]")
@click.option("--from-start", is_flag=True, help="From its first match on: all its matches leave the tables.")
@json_flag
def disqualify(directory: Path, bot: str, reason: str, from_match: str, from_start: bool, as_json: bool) -> None:
    """Disqualify BOT in the event in DIR.

    Its later matches are lost without play; with --from-start all its matches leave tables, ratings and tie-breaks.
    """
    folder = Folder(directory)
    ruling = disqualify_bot(folder, bot, by=user_name(), reason=reason, from_match=from_match, from_start=from_start)
    print_ruling(folder, ruling, as_json=as_json)


@click.command()
@directory_argument
@click.argument("match")
@reason_option
@json_flag
def annul(directory: Path, match: str, reason: str, as_json: bool) -> None:
    """Annul MATCH of the event in DIR, so that it counts for nobody."""
    folder = Folder(directory)
    print_ruling(folder, annul_match(folder, match, by=user_name(), reason=reason), as_json=as_json)


@click.command()
@directory_argument
@click.option("--withdraw", type=click.IntRange(1), metavar="N", help="Withdraw ruling N.")
@reason_option
@json_flag
def rulings(directory: Path, withdraw: int | None, reason: str, as_json: bool) -> None:
    """List the rulings of the event in DIR, or withdraw one of them."""
    folder = Folder(directory)
    if withdraw is not None:
        print_ruling(folder, withdraw_ruling(folder, withdraw, by=user_name(), reason=reason), as_json=as_json)
        return
    if reason:
        raise ConfigError("--reason goes with --withdraw N")
    folder.require_agreement()
    listed = read_rulings(folder.rulings)
    if as_json:
        print_json(listed.as_json())
        return
    for line in listed.texts():
        click.echo(harmless(line))
    if not listed:
        click.echo("there are no rulings in this event")


def user_name() -> str:
    """Return who makes a ruling: the user of this machine."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        return "organiser"


def print_ruling(folder: Folder, ruling: Ruling, *, as_json: bool) -> None:
    """Print the ruling that was made. A report that was written before is written again."""
    from server.standings.crashes import group_crashes
    from server.standings.report import write_report
    from server.tournament.event import follow_rulings
    from server.tournament.standings import read_standings
    from server.tournament.status import read_status

    follow_rulings(folder)
    if folder.report.exists():
        ladders = read_standings(folder)
        write_report(folder, folder.require_agreement(), read_status(folder), ladders, group_crashes(folder, ladders))
    if as_json:
        print_json(read_rulings(folder.rulings).as_json())
        return
    click.echo(harmless(ruling.line()))
    click.echo(f"tables now include it: tortuga tournament status {folder.path}; a running event picks it up too")
