"""`tortuga matches`: the matches of an event, and how to look into them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from referee.errors import ConfigError
from referee.rules.infos import end_words
from referee.text import harmless
from server.cli.common.command import json_flag
from server.cli.common.output import console, print_json
from server.tournament.folder import Folder
from server.tournament.match_list import ListedMatch, MatchFilter, find_matches


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--bot", default="", metavar="NAME", help="Only matches of this bot.")
@click.option("--lost", is_flag=True, help="Only matches in which it did not come first.")
@click.option("--won", is_flag=True, help="Only matches in which it came first.")
@click.option(
    "--faults", is_flag=True, help="Only matches in which it had a fault; without --bot: in which any bot had one."
)
@click.option("--game", default="", metavar="GAME", help="Only matches of this game.")
@click.option(
    "--limit",
    default=50,
    show_default=True,
    type=click.IntRange(1),
    help="Show only the last matches, up to this many.",
)
@json_flag
def matches(
    directory: Path, bot: str, lost: bool, won: bool, faults: bool, game: str, limit: int, as_json: bool
) -> None:
    """List the matches of the event in DIR, and show how to study them."""
    if (lost or won) and not bot:
        raise ConfigError("--lost and --won need --bot: who lost?")
    if lost and won:
        raise ConfigError("pass --lost or --won, not both")
    wanted = MatchFilter(bot=bot, game=game, lost=lost, won=won, faults=faults)
    shown, count = find_matches(Folder(directory), wanted, limit)
    if as_json:
        print_json([match_json(listed) for listed in shown])
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table("match", "seats and ranks", "end", "decisions", "faults")
    for listed in shown:
        match = listed.match
        seats = ", ".join(f"{seat.bot} {seat.rank}" for seat in match.seats)
        failed = ", ".join(f"{fault.bot}: {fault.kind}" for fault in match.faults)
        end = f"{end_words(match.reason)}; {listed.ruling}" if listed.ruling else end_words(match.reason)
        cells = [match.match_id, seats, end, str(match.decisions), failed]
        table.add_row(*(escape(harmless(cell)) for cell in cells))
    for column in table.columns:
        column.overflow = "fold"
    out = console()
    if shown:
        out.print(table)
    out.print(f"{len(shown)} of {count} matches" if len(shown) < count else f"{count} matches", markup=False)
    if shown and (command := shown[-1].command):
        out.print(f"to look into the last one: {command}", markup=False, soft_wrap=True)


def match_json(listed: ListedMatch) -> dict[str, Any]:
    """Return a match for programs."""
    match = listed.match
    return {
        "match_id": match.match_id,
        "contest": match.contest,
        "seat": listed.seat,
        "seats": [{"bot": seat.bot, "rank": seat.rank, "score": seat.score} for seat in match.seats],
        "reason": match.reason,
        "decisions": match.decisions,
        "faults": [
            {"seat": fault.seat, "bot": fault.bot, "kind": fault.kind, "message": fault.message}
            for fault in match.faults
        ],
        "record": None if listed.record is None else str(listed.record),
        "ruling": listed.ruling,
    }
